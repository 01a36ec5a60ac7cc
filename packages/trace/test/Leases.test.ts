import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { suite } from "../../conformance/src/suites/LeasesSuite.ts"
import * as Run from "../src/chain/Run.ts"
import * as Leases from "../src/port/Leases.ts"

suite("memory", Leases.layerMemory)

const run = Run.make("trip")
const Ask = Schema.Struct({
  holder: Schema.Literals(["one", "two", "three"]),
  after: Schema.Literals([0, 1, 5, 20]),
  ttlMillis: Schema.Literals([1, 10])
})

describe("Leases", () => {
  it.prop(
    "have one holder at a time, whoever asks and whenever",
    [Schema.Array(Ask)],
    ([asks]) => {
      let known: Leases.Lease | undefined
      let now = 0
      for (const { after, holder, ttlMillis } of asks) {
        now += after
        const before = known
        const answer = Leases.decide(before, { run, holder, ttlMillis, now })
        if (answer._tag === "Taken") {
          assert.strictEqual(answer.lease, before)
          assert.isAbove(answer.lease.until, now)
          continue
        }
        known = answer.lease
        assert.strictEqual(known.until, now + ttlMillis)
        if (before !== undefined && before.until > now) assert.strictEqual(before.holder, holder)
      }
    },
    { arbitrary: { runs: 300 } }
  )

  it.effect("end by the clock of the store alone", () =>
    Effect.gen(function* () {
      const leases = yield* Leases.Leases
      yield* leases.acquire(run, { holder: "one", ttlMillis: 1000 })
      yield* TestClock.adjust("999 millis")
      assert.strictEqual((yield* leases.find(run))?.holder, "one")
      yield* TestClock.adjust("1 millis")
      assert.isUndefined(yield* leases.find(run))
    }).pipe(Effect.provide(Leases.layerMemory))
  )
})
