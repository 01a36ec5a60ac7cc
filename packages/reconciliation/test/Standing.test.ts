import type * as ActionState from "@backstitch/ledger/ActionState"
import type * as Undoing from "@backstitch/ledger/Undoing"
import { assert, describe, it } from "@effect/vitest"
import * as Standing from "../src/Standing.ts"

const done = {
  class: "high_risk_external",
  state: "reconciled_success",
  trust: 3,
  undo: "standing",
  verified: true
} as const

describe("Standing", () => {
  it("reports pending, partial, unknown, compensated, rolled back and under review as what they are", () => {
    const at = (state: ActionState.State) => Standing.standings[state]
    assert.deepStrictEqual(
      (["accepted", "partially_committed", "unknown", "compensated", "rolled_back", "review_required"] as const).map(
        at
      ),
      ["pending", "partial", "unknown", "compensated", "rolled_back", "review_required"]
    )
    assert.deepStrictEqual(Standing.of(done), "success")
    const after = (undo: Undoing.Undo) => Standing.of({ ...done, undo })
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
      Standing.of({ ...done, undo: "undone", ...(unproven === undefined ? {} : { unproven }) })
    assert.deepStrictEqual(
      [after(), after([]), after(["fees"])],
      ["compensated", "compensated_in_part", "compensated_in_part"]
    )
    for (const at of ["compensated_in_part", "compensation_attested", "undoing"] as const) {
      assert.notInclude(Standing.say(at), "and the reversal was verified.")
    }
  })

  it("has the eight stages, the eight results and the seven rows of planning, and reaches each", () => {
    const counts = [Standing.invariant, Standing.updates, Standing.adaptations].map((it) => Object.keys(it).length)
    assert.deepStrictEqual(counts, [8, 8, 7])
    const standings = new Set<string>([...Object.values(Standing.standings)])
    assert.includeMembers([...standings], Object.keys(Standing.invariant))
    assert.includeMembers([...standings], Object.keys(Standing.updates))
    const says = Object.values({ ...Standing.updates, ...Standing.invariant }).map((it) =>
      typeof it === "string" ? it : it.user
    )
    assert.strictEqual(says.filter((say) => say === Standing.invariant.success).length, 1)
  })

  it("tells what differs as waiting for a person where recovery froze it or asked for a review (L9)", () => {
    const decided = (decision?: string, state: ActionState.State = "reconciliation_failed") =>
      Standing.of({
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
    assert.strictEqual(Standing.adapt("success", {}), "success")
    assert.strictEqual(Standing.adapt("verified", {}), "pending")
    assert.strictEqual(Standing.adapt("verified", { discrepancy: "wrong_target_modified" }), "wrong_target")
    assert.strictEqual(Standing.adapt("compensated", { discrepancy: "wrong_target_modified" }), "failure")
    assert.strictEqual(Standing.adapt("review_required", { undo: "undo_failed" }), "compensation_failed")
    assert.strictEqual(Standing.say("partial"), Standing.does("partial").user)
  })

  it("tells what was proven to have done nothing and was not sent since as not carried out (L8)", () => {
    const recovering = { ...done, state: "forward_recovery", trust: 1 } as const
    assert.strictEqual(Standing.of(recovering), "partial")
    assert.strictEqual(Standing.of({ ...recovering, decision: "retry_same_key" }), "not_attempted")
    assert.strictEqual(Standing.of({ ...recovering, decision: "review", deferred: true }), "not_attempted")
  })

  it("tells a person's word as a person's, and what never left as not carried out (L8)", () => {
    const word = { ...done, trust: 1, reconciled: { outcome: { basis: "attested", trust: 1 } } } as const
    const vouched = { by: "Ada", evidence: "a ticket" }
    assert.deepStrictEqual([Standing.of(word), Standing.of({ ...word, vouched })], ["unverified", "attested"])
    assert.strictEqual(Standing.of({ ...word, deferred: true, vouched }), "not_attempted")
    const stands = { ...done, trust: 1, reconciled: { outcome: { basis: "readback", trust: 3 } } } as const
    assert.strictEqual(Standing.of(stands), "unverified")
    assert.strictEqual(Standing.of({ ...stands, letStand: { by: "Ada", evidence: "a ticket" } }), "let_stand")
  })

  it("tells what was read back without enough sources as verified in part, and not as answered (L8)", () => {
    assert.strictEqual(Standing.of({ ...done, trust: 2 }), "verified_in_part")
    assert.strictEqual(Standing.of({ ...done, trust: 2, verified: undefined }), "unverified")
  })
})
