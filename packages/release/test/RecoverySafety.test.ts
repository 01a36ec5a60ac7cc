import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import * as Wording from "@backstitch/wording/Wording"
import { assert, describe, it } from "@effect/vitest"
import * as RecoverySafety from "../src/gates/RecoverySafety.ts"

type Row = RecoveryRow.RecoveryRow
type Section = keyof RecoveryRow.RecoverySections

/** Lists the findings in the table in force, with one section replaced by a row that asks for nothing. */
const against = (section: Section, action: Row["action"], ...before: ReadonlyArray<Row>): string =>
  RecoverySafety.check(
    { ...RecoveryTable.sections, [section]: [...before, { when: {}, action, because: "it is tried" }] },
    [section]
  )
    .against.map((each) => Wording.objection(each))
    .join("\n")

const sections = Object.keys(RecoveryTable.sections) as ReadonlyArray<Section>

describe("RecoverySafety", () => {
  it("finds nothing against the table in force, over every case (L5, L7, L9)", () => {
    const { against, cases } = RecoverySafety.check()
    assert.deepStrictEqual(against, [])
    assert.strictEqual(cases, sections.length * ToolContract.sideEffects.length * 2 ** 13)
  })

  it("refuses every section that repeats, reverses or completes in every case (L5, L7)", () => {
    for (const section of sections) {
      for (const action of ["retry_same_key", "compensate", "recover_forward", "roll_back"] as const) {
        assert.include(against(section, action), `${section}, `, `${section} ${action}`)
      }
    }
  })

  it("refuses a repetition under a known key if it is not proven that nothing happened (L7)", () => {
    const when = { keyRecorded: true, keyHonoured: true, providerUp: true, withinDelay: false, maybeStale: false }
    const known: Row = { when, action: "retry_same_key", because: "it is tried" }
    for (const section of ["provider_outage", "verification_timeout", "partial_success", "value_mismatch"] as const) {
      assert.include(against(section, "hold_and_escalate", known), "not proven that nothing happened")
    }
    assert.strictEqual(against("no_op_failure", "hold_and_escalate", known), "")
  })

  it("refuses a success without proof, and a run that goes on after a failure (L8)", () => {
    for (const [section, action, why] of [
      ["compensation_failure", "settle_as_is", "it counts as a success"],
      ["wrong_target_modified", "record_replay", "it counts as a success"],
      ["no_op_success", "settle_as_is", "it counts as a success"],
      ["unverifiable_result", "report_unverified", "the run goes on"],
      ["wrong_target_modified", "report_unverified", "nobody is told"],
      ["compensation_failure", "hold_pending", "nobody is told"],
      ["provider_outage", "defer", "treated as never sent"],
      ["unknown_state", "refresh_and_replan", "treated as never sent"],
      ["duplicate_side_effect", "hold_pending", "left to a machine"],
      ["value_mismatch", "retry_verification", "never ends"],
      ["pending_timeout", "poll_key_record", "not on record"]
    ] as const) {
      assert.include(against(section, action), why, `${section} ${action}`)
    }
  })

  it("takes a table that is more careful than the one in force", () => {
    for (const section of sections) assert.strictEqual(against(section, "hold_and_escalate"), "")
  })

  it("has no rule that nothing can break", () => {
    const broken = new Set<string>()
    for (const section of sections) {
      for (const sideEffect of ToolContract.sideEffects) {
        for (const { id, breaks } of RecoverySafety.rules) {
          const conditions = { ...RecoveryRow.calm, budgetLeft: false }
          const actions = ["retry_same_key", "compensate", "recover_forward", "roll_back", "settle_as_is"] as const
          const others = ["report_unverified", "defer", "poll_key_record"] as const
          for (const action of [...actions, ...others]) {
            if (breaks({ section, sideEffect, conditions, action })) broken.add(id)
          }
        }
      }
    }
    assert.strictEqual(broken.size, RecoverySafety.rules.length)
  })
})
