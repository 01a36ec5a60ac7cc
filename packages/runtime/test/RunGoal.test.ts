import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RunGoal from "../src/revisions/RunGoal.ts"
import * as StoredRevision from "../src/revisions/StoredRevision.ts"
import * as lab from "./lab.ts"
import { Desk, hire, opened, processOf } from "./party.ts"
import { proposes } from "./slots.ts"

const toBasel = { changes: [{ change: "set", clause: "city", value: "Basel" }] } as const

const party = Effect.gen(function* () {
  const process = processOf(yield* lab.shared, new Desk())
  yield* lab.elapsing(lab.as(process)(Effect.flatMap(opened(), (handle) => proposes(handle, hire("Casino")))))
  return process
})

describe("RunGoal", () => {
  it.effect("shows the clauses, and the plan of a revision before and after it is recorded", () =>
    Effect.gen(function* () {
      const process = yield* party
      const before = yield* lab.as(process)(RunGoal.specification(lab.trip))
      assert.deepInclude(before, { run: lab.trip.id, permitted: true, revisions: [] })
      const nothing = yield* lab.as(process)(Effect.flip(RunGoal.plan(lab.trip, { changes: [] })))
      assert.strictEqual(nothing.message, `Nothing is pending in run ${lab.trip.id}. Say what changes`)
      const planned = yield* lab.as(process)(RunGoal.plan(lab.trip, toBasel))
      const recorded = yield* lab.elapsing(
        lab.as(process)(Effect.scoped(StoredRevision.record(lab.trip, { revision: { ...toBasel, by: "Ada" } })))
      )
      const shown = RunGoal.revised(lab.trip, recorded)
      assert.deepInclude(shown, { ...toBasel, run: lab.trip.id, done: true, followUp: null, outcome: null })
      assert.deepStrictEqual(shown.plan?.undo, planned.undo)
      const pending = yield* lab.as(process)(RunGoal.plan(lab.trip, { changes: [] }))
      assert.deepStrictEqual(pending.undo, planned.undo)
      const [revision] = (yield* lab.as(process)(RunGoal.specification(lab.trip))).revisions
      assert.deepInclude(revision, { by: "Ada", changes: ["set city=Basel"], absorbed: false })
    })
  )
})
