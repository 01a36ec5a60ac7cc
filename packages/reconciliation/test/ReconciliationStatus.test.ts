import type * as ActionState from "@backstitch/ledger/ActionState"
import type * as EffectStatus from "@backstitch/ledger/EffectStatus"
import { assert, describe, it } from "@effect/vitest"
import * as ReconciliationStatus from "../src/reporting/ReconciliationStatus.ts"

const done = {
  class: "high_risk_external",
  state: "reconciled_success",
  trust: 3,
  undo: "standing",
  verified: true
} as const

describe("ReconciliationStatus", () => {
  it("reports pending, partial, unknown, compensated, rolled back and under review as what they are", () => {
    const at = (state: ActionState.State) => ReconciliationStatus.ofState[state]
    assert.deepStrictEqual(
      (["accepted", "partially_committed", "unknown", "compensated", "rolled_back", "review_required"] as const).map(
        at
      ),
      ["pending", "partial", "unknown", "compensated", "rolled_back", "review_required"]
    )
    assert.deepStrictEqual(ReconciliationStatus.of(done), "success")
    const after = (undo: EffectStatus.UndoState) => ReconciliationStatus.of({ ...done, undo })
    assert.deepStrictEqual((["undone", "undoing", "undo_failed", "undo_abandoned", "attested"] as const).map(after), [
      "compensated",
      "undoing",
      "review_required",
      "partial",
      "compensation_attested"
    ])
  })

  it("tells a reversal as verified as far as it was, and no further (L8)", () => {
    const after = (unproven?: ReadonlyArray<string>) =>
      ReconciliationStatus.of({ ...done, undo: "undone", ...(unproven === undefined ? {} : { unproven }) })
    assert.deepStrictEqual(
      [after(), after([]), after(["fees"])],
      ["compensated", "compensated_in_part", "compensated_in_part"]
    )
  })

  it("has the eight stages, the eight results and the seven rows of planning, and reaches each", () => {
    const counts = [ReconciliationStatus.stages, ReconciliationStatus.results, ReconciliationStatus.adaptations].map(
      (it) => Object.keys(it).length
    )
    assert.deepStrictEqual(counts, [8, 8, 7])
    const standings = new Set<string>([...Object.values(ReconciliationStatus.ofState)])
    assert.includeMembers([...standings], [...ReconciliationStatus.stages])
    assert.includeMembers([...standings], [...ReconciliationStatus.results])
  })

  it("reports a differing record as waiting for a person if recovery froze it or asked for a review (L9)", () => {
    const decided = (decision?: string, state: ActionState.State = "reconciliation_failed") =>
      ReconciliationStatus.of({
        state,
        ...{ class: "high_risk_external", trust: 3, undo: "standing", verified: true },
        ...(decision === undefined ? {} : { decision })
      })
    for (const name of ["freeze_and_alarm", "freeze_and_alert", "open_incident", "hold_and_escalate", "review"]) {
      assert.deepStrictEqual([name, decided(name)], [name, "review_required"])
    }
    assert.deepStrictEqual([decided(), decided("retry_verification")], ["verified", "verified"])
    assert.strictEqual(decided("review", "reconciled_success"), "success")
  })

  it("has the one way on that a standing permits, unless a target or a compensation went wrong", () => {
    assert.strictEqual(ReconciliationStatus.adapt("success", {}), "success")
    assert.strictEqual(ReconciliationStatus.adapt("verified", {}), "pending")
    assert.strictEqual(ReconciliationStatus.adapt("verified", { discrepancy: "wrong_target_modified" }), "wrong_target")
    assert.strictEqual(ReconciliationStatus.adapt("compensated", { discrepancy: "wrong_target_modified" }), "failure")
    assert.strictEqual(ReconciliationStatus.adapt("review_required", { undo: "undo_failed" }), "compensation_failed")
  })

  it("reports an action that is proven to have done nothing and was not sent since as not carried out (L8)", () => {
    const recovering = { ...done, state: "forward_recovery", trust: 1 } as const
    assert.strictEqual(ReconciliationStatus.of(recovering), "partial")
    assert.strictEqual(ReconciliationStatus.of({ ...recovering, decision: "retry_same_key" }), "not_attempted")
    assert.strictEqual(ReconciliationStatus.of({ ...recovering, decision: "review", deferred: true }), "not_attempted")
  })

  it("reports a person's word as a person's, and an action that was never sent as not carried out (L8)", () => {
    const word = { ...done, trust: 1, reconciled: { outcome: { basis: "attested", trust: 1 } } } as const
    const vouched = { by: "Ada", evidence: "a ticket" }
    assert.deepStrictEqual(
      [ReconciliationStatus.of(word), ReconciliationStatus.of({ ...word, vouched })],
      ["unverified", "attested"]
    )
    assert.strictEqual(ReconciliationStatus.of({ ...word, deferred: true, vouched }), "not_attempted")
    const stands = { ...done, trust: 1, reconciled: { outcome: { basis: "readback", trust: 3 } } } as const
    assert.strictEqual(ReconciliationStatus.of(stands), "unverified")
    assert.strictEqual(
      ReconciliationStatus.of({ ...stands, letStand: { by: "Ada", evidence: "a ticket" } }),
      "let_stand"
    )
  })

  it("reports an action that was read back from too few sources as verified in part, and not as answered (L8)", () => {
    assert.strictEqual(ReconciliationStatus.of({ ...done, trust: 2 }), "verified_in_part")
    assert.strictEqual(ReconciliationStatus.of({ ...done, trust: 2, verified: undefined }), "unverified")
  })
})
