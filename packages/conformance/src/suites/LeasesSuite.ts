/**
 * The requirements for every `Leases` layer, as tests.
 *
 * A package with leases calls {@link suite} with its layer in a test file of its own. Time is the layer's own, so no
 * test depends on a clock: a lease that has to expire is requested until it is granted.
 */
import { Leases } from "@backstitch/trace/Leases"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"

const long = 600_000
const trip = Run.make("trip", "leases")

/** Registers the suite for a layer. */
export const suite = <E>(name: string, layer: Layer.Layer<Leases, E>): void => {
  const isolated = Effect.provide(layer, { local: true })

  describe(`Leases (${name})`, () => {
    it.live("gives a free lease, and tells the next process who holds it and since when (decision 0037)", () =>
      Effect.gen(function* () {
        const leases = yield* Leases
        assert.isUndefined(yield* leases.find(trip))
        const { _tag, lease } = yield* leases.acquire(trip, { holder: "one", ttlMillis: long })
        assert.deepStrictEqual([_tag, lease.run, lease.holder], ["Acquired", trip, "one"])
        assert.strictEqual(lease.until - lease.since, long)
        const taken = yield* leases.acquire(trip, { holder: "two", ttlMillis: long })
        assert.deepStrictEqual(taken, { _tag: "Taken", lease })
        assert.deepStrictEqual(yield* leases.find(trip), lease)
      }).pipe(isolated)
    )

    it.live("makes the holder's own lease last longer, since the same time", () =>
      Effect.gen(function* () {
        const leases = yield* Leases
        const first = yield* leases.acquire(trip, { holder: "one", ttlMillis: long })
        const again = yield* leases.acquire(trip, { holder: "one", ttlMillis: 2 * long })
        assert.strictEqual(again._tag, "Acquired")
        assert.strictEqual(again.lease.since, first.lease.since)
        assert.isAtLeast(again.lease.until, first.lease.until + long)
      }).pipe(isolated)
    )

    it.live("is released by its holder alone", () =>
      Effect.gen(function* () {
        const leases = yield* Leases
        yield* leases.acquire(trip, { holder: "one", ttlMillis: long })
        yield* leases.release(trip, "two")
        assert.strictEqual((yield* leases.find(trip))?.holder, "one")
        yield* leases.release(trip, "one")
        assert.isUndefined(yield* leases.find(trip))
        yield* leases.release(trip, "one")
        assert.strictEqual((yield* leases.acquire(trip, { holder: "two", ttlMillis: long }))._tag, "Acquired")
      }).pipe(isolated)
    )

    it.live("expires, and is another's from then on", () =>
      Effect.gen(function* () {
        const leases = yield* Leases
        const { lease } = yield* leases.acquire(trip, { holder: "one", ttlMillis: 1 })
        const ask = leases.acquire(trip, { holder: "two", ttlMillis: long })
        const had = yield* Effect.repeat(ask, {
          schedule: Schedule.spaced("2 millis"),
          times: 2000,
          until: ({ _tag }) => _tag === "Acquired"
        })
        assert.deepInclude(had.lease, { holder: "two" })
        assert.isAtLeast(had.lease.since, lease.until)
        assert.strictEqual((yield* leases.acquire(trip, { holder: "one", ttlMillis: long }))._tag, "Taken")
      }).pipe(isolated)
    )

    it.live("is of one run of one tenant (L15)", () =>
      Effect.gen(function* () {
        const leases = yield* Leases
        yield* leases.acquire(trip, { holder: "one", ttlMillis: long })
        for (const other of [Run.make("trip", "others"), Run.make("trip2", "leases")]) {
          assert.isUndefined(yield* leases.find(other))
          assert.strictEqual((yield* leases.acquire(other, { holder: "two", ttlMillis: long }))._tag, "Acquired")
        }
      }).pipe(isolated)
    )

    it.live("is given to one of many who ask at once", () =>
      Effect.gen(function* () {
        const leases = yield* Leases
        const ask = (index: number) => leases.acquire(trip, { holder: `${index}`, ttlMillis: long })
        const answers = yield* Effect.forEach(Array.from({ length: 16 }).keys(), ask, { concurrency: "unbounded" })
        const [had, ...more] = answers.filter(({ _tag }) => _tag === "Acquired")
        assert.deepStrictEqual(more, [])
        for (const { lease } of answers) assert.deepStrictEqual(lease, had?.lease)
      }).pipe(isolated)
    )
  })
}
