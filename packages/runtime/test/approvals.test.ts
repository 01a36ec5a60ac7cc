import type * as Reviews from "@backstitch/kernel/Reviews"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PendingApprovals from "../src/pending/PendingApprovals.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Report from "../src/reporting/Report.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as lab from "./lab.ts"

// A tool that the contract does not name waits for an operator, and so does the script behind it.
const steps = [
  { id: "launch", propose: { tool: "launch", params: { when: "now" } } },
  { id: "note", propose: lab.note("after") }
]

const decides = (handle: RunHandle.RunHandle, review: string, verdict: Reviews.ApprovalVerdict) =>
  handle.propose({ type: "review.decided", author: "user", data: { review, verdict, by: "Ada", role: "operator" } })

describe("an approval", () => {
  it.effect("lets the parked step pass after a resume, once, and the script goes on", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const process = lab.process(store, { steps })
      yield* lab.as(process)(lab.work)
      const [waits] = (yield* lab.as(process)(Report.of(lab.trip))).waits
      assert.deepInclude(waits, { tool: "launch", needs: ["operator"], tick: 3 })
      const decided = yield* lab.as(process)(
        Effect.flatMap(lab.open(), (handle) => decides(handle, waits?.review ?? "", "approved"))
      )
      assert.strictEqual(decided._tag, "Done")
      yield* lab.as(process)(lab.work)
      const all = yield* lab.as(process)(lab.transitions())
      assert.deepStrictEqual(lab.types(all).slice(1, 6), [
        "policy.decision",
        "review.requested",
        "review.decided",
        "action.request",
        "action.started"
      ])
      assert.deepInclude(all[4]?.body.data?.["approval"], { id: waits?.review, approver: "Ada" })
      const { differs } = yield* lab.as(process)(DecisionReplay.redecide(lab.trip, { secret: "secret" }))
      assert.deepStrictEqual(differs, [])
      assert.deepStrictEqual((yield* lab.as(process)(Report.of(lab.trip))).waits, [])
    })
  )

  it.effect("is not waited for once the goal was reached without it, and no view of the run says otherwise", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const seen = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(steps[0]!.propose)
          const before = (yield* PendingApprovals.ofTenant(lab.trip.tenant)).length
          yield* handle.propose({ type: "goal.complete" })
          const report = yield* Report.of(lab.trip)
          const { status } = yield* Receipt.make(lab.trip, undefined)
          return [before, (yield* PendingApprovals.ofTenant(lab.trip.tenant)).length, report.waits.length, status]
        })
      )
      assert.deepStrictEqual(seen, [1, 0, 0, "done"])
    })
  )

  it.effect("is asked for once, however often a planner proposes again", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const types = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          for (let count = 0; count < 9; count++) yield* handle.propose(steps[0]!.propose)
          return lab.types(yield* lab.transitions())
        })
      )
      assert.strictEqual(types.filter((type) => type === "review.requested").length, 1)
      assert.isBelow(types.filter((type) => type === "policy.decision").length, 6)
    })
  )
})
