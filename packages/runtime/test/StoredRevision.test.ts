import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Receipt from "../src/reporting/Receipt.ts"
import type * as Revising from "../src/revisions/Revising.ts"
import * as StoredRevision from "../src/revisions/StoredRevision.ts"
import * as lab from "./lab.ts"
import { Desk, hire, opened, processOf } from "./party.ts"
import { proposes } from "./slots.ts"

const revision = { changes: [{ change: "set", clause: "city", value: "Basel" }] } as const
const nothing = { changes: [] }

const partyOf = (...last: ReadonlyArray<{ readonly type: "goal.complete" }>) =>
  Effect.gen(function* () {
    const process = processOf(yield* lab.shared, new Desk())
    yield* lab.elapsing(
      lab.as(process)(Effect.flatMap(opened(), (handle) => proposes(handle, hire("Casino"), ...last)))
    )
    return process
  })

describe("StoredRevision", () => {
  it.effect("plans a revision, records it once, and takes what says it again as due", () =>
    Effect.gen(function* () {
      const process = yield* partyOf()
      const { prepare, record } = StoredRevision
      assert.isUndefined(yield* lab.as(process)(StoredRevision.plan(lab.trip, nothing)))
      const before = yield* lab.as(process)(prepare(lab.trip, { revision }))
      assert.deepStrictEqual([before.isDue, before.plan?.undo.map(({ by }) => by)], [false, ["cancel"]])
      const empty = yield* lab.as(process)(Effect.flip(prepare(lab.trip, { revision: nothing })))
      assert.deepInclude(empty, { _tag: "RevisionEmpty", isDue: false })
      yield* lab.elapsing(lab.as(process)(Effect.scoped(record(lab.trip, { revision }))))
      const again = yield* lab.as(process)(prepare(lab.trip, { revision }))
      assert.deepStrictEqual([again.isDue, again.revision.changes], [true, []])
      const due = yield* lab.as(process)(Effect.flip(Effect.scoped(record(lab.trip, { revision }))))
      assert.deepInclude(due, { _tag: "RevisionEmpty", isDue: true })
      const receipt = yield* lab.as(process)(Receipt.make(lab.trip, undefined))
      assert.strictEqual(receipt.status, "stopped")
      assert.match(
        receipt.why ?? "",
        /^The goal was revised at tick \d+, and what was done is not adapted to that yet\.$/
      )
    })
  )

  it.effect("records a revision once for one command, and answers a repeated one from the record", () =>
    Effect.gen(function* () {
      const process = yield* partyOf()
      const again = { changes: [{ change: "set", clause: "city", value: "Bern" }] } as const
      const record = (asked: Revising.Revision) =>
        lab.elapsing(lab.as(process)(Effect.scoped(StoredRevision.record(lab.trip, { revision: asked }))))
      const first = yield* record({ ...revision, by: "Ada", command: "request 1" })
      yield* record(again)
      const { head } = yield* lab.as(process)(StoredRevision.at(lab.trip))
      const repeated = yield* record({ ...revision, by: "Ada", command: "request 1" })
      assert.deepStrictEqual(repeated.revision.changes, first.revision.changes)
      assert.deepInclude(repeated.revision, { by: "Ada" })
      assert.isTrue(repeated.isDone)
      assert.deepStrictEqual((yield* lab.as(process)(StoredRevision.at(lab.trip))).head, head)
    })
  )

  it.effect("refuses answers about acts that contracts decide, and goals that were reached", () =>
    Effect.gen(function* () {
      const process = yield* partyOf({ type: "goal.complete" })
      const plan = StoredRevision.plan(lab.trip, { ...revision, keeps: ["a1"] })
      const unasked = yield* lab.as(process)(Effect.flip(plan))
      assert.match(unasked.message, /^Nobody is asked whether a1 fits: contracts decide about each act$/)
      const reached = yield* lab.as(process)(Effect.flip(StoredRevision.underWay(lab.trip)))
      assert.strictEqual(reached._tag, "GoalReached")
    })
  )
})
