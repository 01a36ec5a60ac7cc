import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as ActionState from "@backstitch/ledger/ActionState"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as RecoverySafety from "../../release/src/gates/RecoverySafety.ts"
import * as Discrepancy from "../src/evidence/Discrepancy.ts"
import * as RecoveryAction from "../src/recovery/RecoveryAction.ts"
import * as RecoveryRow from "../src/recovery/RecoveryRow.ts"
import * as RecoveryTable from "../src/recovery/RecoveryTable.ts"

const everyCondition = RecoverySafety.everyCondition()
const subjects: ReadonlyArray<Discrepancy.RecoverySubject> = [
  ...new Set([...Discrepancy.classes, ...Discrepancy.findings])
]
const sections = Object.keys(RecoveryTable.sections) as ReadonlyArray<keyof RecoveryRow.RecoverySections>
const rows = sections.flatMap((section) =>
  (RecoveryTable.sections[section] as ReadonlyArray<RecoveryRow.RecoveryRow>).map((row) => ({ section, row }))
)

const Subject = Schema.Literals(subjects)
const SideEffect = Schema.Literals(ToolContract.sideEffects)
const Conditions = Schema.Struct({
  withinDelay: Schema.Boolean,
  maybeStale: Schema.Boolean,
  budgetLeft: Schema.Boolean,
  transactionOpen: Schema.Boolean,
  reversible: Schema.Boolean,
  pivotPassed: Schema.Boolean,
  keyRecorded: Schema.Boolean,
  keyHonoured: Schema.Boolean,
  executed: Schema.Boolean,
  providerUp: Schema.Boolean,
  permitted: Schema.Boolean,
  policyCurrent: Schema.Boolean,
  approvalMatches: Schema.Boolean
})

const decide = (
  subject: Discrepancy.RecoverySubject,
  more: Partial<RecoveryRow.Conditions> = {},
  sideEffect: ToolContract.SideEffect = "high_risk_external"
) => RecoveryTable.decide(subject, sideEffect, { ...RecoveryRow.calm, ...more }).action

describe("RecoveryTable", () => {
  it("answers every discrepancy of every class under every condition (L9)", () => {
    const used = new Set<string>()
    let answered = 0
    for (const subject of subjects) {
      for (const sideEffect of ToolContract.sideEffects) {
        for (const conditions of everyCondition) {
          const { row, section } = RecoveryTable.decide(subject, sideEffect, conditions)
          used.add(`${section} ${row}`)
          answered++
        }
      }
    }
    assert.strictEqual(answered, 22 * 6 * 2 ** 13)
    assert.strictEqual(used.size, rows.length, "each row is the answer to something")
  })

  it.prop(
    "gives the same answer to a class and to its finding, and names the row (L9)",
    [Subject, SideEffect, Conditions],
    ([subject, sideEffect, conditions]) => {
      const decision = RecoveryTable.decide(subject, sideEffect, conditions)
      const table: ReadonlyArray<RecoveryRow.RecoveryRow> = RecoveryTable.sections[decision.section]
      assert.strictEqual(table[decision.row - 1]?.action, decision.action)
      const before = table.slice(0, decision.row - 1)
      assert.isFalse(before.some((row) => RecoveryRow.applies(row, sideEffect, conditions)))
      return RecoveryTable.decide(decision.section, sideEffect, conditions).action === decision.action
    },
    { arbitrary: { runs: 500 } }
  )

  it("has all 21 rows of its source, and one from the typical recovery for each of the other six classes", () => {
    const numbers = new Set(rows.flatMap(({ row }) => (typeof row.sourceRow === "number" ? [row.sourceRow] : [])))
    assert.sameMembers(
      [...numbers],
      Array.from({ length: 21 }, (_, index) => index + 1)
    )
    for (const name of Discrepancy.classes.filter((name) => Discrepancy.findingOf[name] === null)) {
      assert.isTrue(
        rows.some(({ row, section }) => section === name && row.sourceRow === "typical"),
        name
      )
    }
  })

  it("decides the 21 cases of Action Verification as it does", () => {
    const irreversible = { reversible: false }
    const cases: ReadonlyArray<readonly [RecoveryAction.RecoveryAction, RecoveryAction.RecoveryAction]> = [
      [decide("observation_authority_mismatch", { withinDelay: true }), "retry_verification"],
      [decide("observation_authority_mismatch", { maybeStale: true }), "force_strong_read"],
      [decide("observation_authority_mismatch", { reversible: true }), "compensate"],
      [decide("observation_authority_mismatch", { reversible: true, transactionOpen: true }), "roll_back"],
      [decide("observation_authority_mismatch", irreversible), "hold_and_escalate"],
      [decide("verification_timeout", { reversible: true }), "compensate_and_stop"],
      [decide("verification_timeout", { reversible: true, pivotPassed: true }), "hold_and_escalate"],
      [decide("verification_timeout", irreversible), "hold_and_escalate"],
      [decide("pending_timeout", { keyRecorded: true }), "poll_key_record"],
      [decide("pending_timeout"), "freeze_and_reconcile"],
      [decide("partial_success", { reversible: true }), "compensate_backward"],
      [decide("partial_success", { pivotPassed: true }), "recover_forward"],
      [decide("stale_state_error"), "refresh_and_replan"],
      [decide("duplicate_side_effect"), "freeze_and_alert"],
      [decide("duplicate_side_effect", { permitted: true }), "record_replay"],
      [decide("wrong_target_modified"), "freeze_and_alarm"],
      [decide("unverifiable_result", {}, "low_risk_internal"), "report_unverified"],
      [decide("unverifiable_result", {}, "read_only"), "report_unverified"],
      [decide("unverifiable_result", {}, "critical_mutation"), "hold_and_escalate"],
      [decide("compensation_failure", {}, "medium_risk_write"), "review"],
      [decide("compensation_failure", {}, "critical_mutation"), "open_incident"],
      [decide("provider_outage", { executed: false }), "defer"],
      [decide("provider_outage"), "hold_pending"],
      [decide("policy_version_mismatch", { executed: false }), "revalidate_approval"],
      [decide("approval_token_mismatch", { executed: false }), "fail_closed"]
    ]
    for (const [found, expected] of cases) assert.strictEqual(found, expected)
  })

  it("sends again under the same key only if it is proven that nothing happened", () => {
    const keyed = { keyRecorded: true, keyHonoured: true }
    assert.strictEqual(decide("no_op_failure", keyed), "retry_same_key")
    assert.strictEqual(decide("no_op_failure", { ...keyed, keyHonoured: false }), "hold_and_escalate")
    assert.strictEqual(decide("no_op_failure", { ...keyed, withinDelay: true }), "retry_verification")
    assert.strictEqual(decide("unknown_state", keyed), "poll_key_record")
  })

  it("does not change under one version: ledger entries name it for ever", () => {
    assert.strictEqual(RecoveryTable.policyVersion(), "recovery@1+e796aef10fc5")
  })
})

describe("RecoveryAction", () => {
  it("leads only to states that there are, and nothing that only looks sends anything", () => {
    for (const [name, { leadsTo, sends, strategy }] of Object.entries(RecoveryAction.definitions)) {
      if (leadsTo !== null) assert.include(ActionState.states, leadsTo, name)
      if (strategy === "none" || strategy === "hold" || strategy === "review")
        assert.strictEqual(sends, "nothing", name)
    }
  })
})
