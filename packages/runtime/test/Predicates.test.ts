import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as BoundPredicates from "../src/versioning/BoundPredicates.ts"
import * as Predicates from "../src/versioning/Predicates.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const journeying = <A, E, R>(then: Effect.Effect<A, E, R>) =>
  Effect.flatMap(journey.travelled(), ({ process }) => lab.as(process)(then))

const samples = [lab.trip]

/** Adds a predicate to the pack of the trip. */
const added = (violation: Predicates.Violation) =>
  Effect.map(BoundPredicates.add(lab.trip, violation, { approvedBy: "grace", samples }), ({ outcome }) => outcome)

const moody = { id: "moody", when: "working.mood > 5" }

describe("Predicates", () => {
  it.effect("accepts a predicate that never recovers as monotone", () =>
    journeying(
      Effect.gen(function* () {
        const { registration } = yield* Predicates.register(
          { id: "rich", when: "world.spent > 100", monotone: true },
          { samples }
        )
        assert.strictEqual(registration.as, "monotone")
        assert.deepStrictEqual(registration.tested, ["trip"])
      })
    )
  )

  it.effect("refuses as monotone a predicate that recovers, names the tick, and takes it as a lift", () =>
    journeying(
      Effect.gen(function* () {
        const error = yield* Effect.flip(Predicates.register({ ...moody, monotone: true }, { samples }))
        assert.strictEqual(error._tag, "NotMonotone")
        assert.include(error.message, "lift")
        const { registration } = yield* Predicates.register({ ...moody, monotone: "lift" }, { samples })
        assert.strictEqual(registration.as, "lift")
      })
    )
  )

  it.effect("does not take as monotone a predicate that held in no sample", () =>
    journeying(
      Effect.gen(function* () {
        const never = { id: "never", when: "world.spent > 100000", monotone: true } as const
        for (const tried of [[], samples]) {
          const error = yield* Effect.flip(Predicates.register(never, { samples: tried, pack: journey.pack }))
          assert.strictEqual(error._tag, "MonotoneUntested")
          assert.include(error.message, tried.length === 0 ? "tried on no run" : "none of 1 sample runs")
        }
        const { registration } = yield* Predicates.register({ ...never, monotone: "lift" }, { samples })
        assert.strictEqual(registration.as, "lift")
      })
    )
  )

  it.effect("lists the predicates of a run whose head is a snapshot", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store, { snapshotEvery: 1, steps: lab.script }))(lab.work)
      const found = yield* lab.as(lab.process(store))(Predicates.list(lab.trip))
      assert.deepStrictEqual(
        found.map(({ id }) => id),
        ["over"]
      )
    })
  )

  it.effect("refuses a predicate over fields that are not there, with every one of them", () =>
    journeying(
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          Predicates.register({ id: "odd", when: "world.spnt > 1 && working.moody > 1" }, { samples })
        )
        assert.include(error.message, "world.spnt")
        assert.include(error.message, "working.moody")
      })
    )
  )

  it.effect("refuses to try a predicate on nothing", () =>
    journeying(
      Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(Predicates.register(moody, { samples: [] })))._tag, "NothingToTry")
      })
    )
  )

  it.effect("commits an approved predicate, which binds from the next tick on and latches then", () =>
    journeying(
      Effect.gen(function* () {
        const coordinator = yield* Coordinator.Coordinator
        const outcome = yield* added({ ...moody, monotone: "lift" })
        const handle = yield* coordinator.reopen(lab.trip)
        assert.strictEqual(outcome._tag, "Done")
        const before = (yield* Predicates.list(lab.trip)).find(({ id }) => id === "moody")
        assert.deepStrictEqual([before?.monotone, before?.violatedAt], ["lift", null])
        yield* handle.propose({ type: "observation.add", data: { text: "rain", mood: 8 } })
        yield* handle.propose({ type: "observation.add", data: { text: "more rain", mood: 9 } })
        const { head } = yield* handle.position
        const now = (yield* Predicates.list(lab.trip)).find(({ id }) => id === "moody")
        assert.isAtMost(now?.violatedAt ?? Number.POSITIVE_INFINITY, head.tick)
        assert.isAbove(now?.violatedAt ?? 0, (outcome as { readonly tick: number }).tick)
        assert.isTrue((yield* RunVerification.verify(lab.trip)).consistent)
      })
    )
  )

  it.effect("does not commit a predicate that is in the contract already", () =>
    journeying(
      Effect.gen(function* () {
        const outcome = yield* added({ id: "over", when: "world.spent > 1" })
        assert.strictEqual(outcome._tag, "Refused")
      })
    )
  )
})
