import * as Bisect from "@backstitch/version-control/Bisect"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as History from "../src/history/History.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Bisecting from "../src/versioning/Bisecting.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

/** The tick at which an answer of the store says that something was first so, found by looking at every tick. */
const scanned = (predicate: (state: History.At["state"]) => boolean) =>
  Effect.gen(function* () {
    const history = yield* History.History
    const { head } = yield* history.info(lab.trip)
    for (let tick = 1; tick <= head.tick; tick++) {
      if (predicate((yield* history.at(lab.trip, tick)).state)) return tick
    }
    return null
  })

const overspent = scanned(({ world }) => Number(world["spent"]) > 200)

describe("Bisecting", () => {
  it.effect.each([2, 5, 1000])(
    "finds the onset of a registered predicate, with a snapshot every %d ticks",
    (snapshotEvery) =>
      Effect.gen(function* () {
        const { process } = yield* journey.travelled({ snapshotEvery })
        yield* lab.as(process)(
          Effect.gen(function* () {
            const answer = yield* Bisecting.bisect(lab.trip, { predicate: "over" })
            assert.strictEqual(answer.onset, yield* overspent)
            assert.isAtMost(answer.evaluations, Bisect.bound(answer.length))
            assert.strictEqual(answer.question._tag, "Predicate")
            assert.isUndefined(answer.linear)
            assert.strictEqual(answer.transition?.["type"], "action.reconciled")
            assert.isTrue(answer.causalChain.every((link) => link.heuristic))
            const requested = (yield* lab.transitions()).findLast(
              ({ body, tick }) => body.type === "action.request" && tick < answer.onset!
            )
            assert.deepInclude(answer.suggestion.args, { from: requested!.tick - 1 })
            assert.include(
              answer.causalChain.map(({ type }) => type),
              "predicate.violation"
            )
          })
        )
      })
  )

  it.effect("answers none for a predicate that never held, within the same bound", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const answer = yield* lab.as(process)(Bisecting.bisect(lab.trip, { predicate: "kernel.anomaly_free" }))
      assert.strictEqual(answer.onset, null)
      assert.strictEqual(answer.transition, null)
      assert.isAtMost(answer.evaluations, Bisect.bound(answer.length))
    })
  )

  it.effect("looks at every tick for an expression that recovers, and says so", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          const answer = yield* Bisecting.bisect(lab.trip, { predicate: "working.mood > 5" })
          assert.strictEqual(answer.onset, yield* scanned(({ working }) => Number(working["mood"]) > 5))
          assert.strictEqual(answer.evaluations, answer.onset)
          assert.strictEqual(answer.linear?.code, "search.unregistered")
        })
      )
    })
  )

  it.effect("makes a pass once for a head, and again when the run went on", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const kept = new Map<string, string>()
      const passes = {
        get: (key: string) => kept.get(key),
        put: (key: string, answer: string) => void kept.set(key, answer)
      }
      const ask = Bisecting.bisect(lab.trip, { predicate: "working.mood > 5" }).pipe(
        Effect.provideService(Bisecting.Passes, passes)
      )
      yield* lab.as(process)(
        Effect.gen(function* () {
          const first = yield* ask
          const second = yield* ask
          assert.isUndefined(first.cached)
          assert.deepStrictEqual(second, { ...first, cached: true })
          const coordinator = yield* Coordinator.Coordinator
          yield* (yield* coordinator.reopen(lab.trip)).propose(lab.note("later"))
          assert.isUndefined((yield* ask).cached)
          assert.strictEqual(kept.size, 2)
        })
      )
    })
  )

  it.effect("refuses an expression over a field that is not there", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const error = yield* lab.as(process)(Effect.flip(Bisecting.bisect(lab.trip, { predicate: "world.spnt > 5" })))
      assert.include(error.message, "world.spnt")
      assert.include(error.message, "spent")
    })
  )

  it.effect("finds where a fork parted from its parent by digests alone", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          yield* Forking.fork({ parent: lab.trip, at: 7, child: journey.other })
          const answer = yield* Bisecting.bisect(lab.trip, { _tag: "Divergence", run: "other" })
          assert.strictEqual(answer.onset, 8)
          assert.strictEqual(yield* Bisecting.parted(lab.trip, lab.trip), undefined)
        })
      )
    })
  )

  it.effect("commits an answer to the run as bisect.result and causal.chain", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          const answer = yield* Bisecting.bisect(lab.trip, { predicate: "over" })
          yield* Bisecting.record(lab.trip, answer)
          const committed = (yield* lab.transitions()).slice(answer.length)
          assert.deepStrictEqual(lab.types(committed), ["bisect.result", "causal.chain"])
          assert.strictEqual(committed[0]?.body.data?.["onset"], answer.onset)
          assert.strictEqual(committed[1]?.body.data?.["heuristic"], true)
          assert.strictEqual((yield* Bisecting.bisect(lab.trip, { predicate: "over" })).onset, answer.onset)
        })
      )
    })
  )
})
