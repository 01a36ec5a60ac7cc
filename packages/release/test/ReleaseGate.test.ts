import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionLedgerSchema from "@backstitch/ledger/ActionLedgerSchema"
import * as ActionMetrics from "@backstitch/reconciliation/ActionMetrics"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { answered, settled, trace } from "../../reconciliation/test/traces.ts"
import * as CanaryGate from "../src/gates/CanaryGate.ts"
import * as FailureInjectionGate from "../src/gates/FailureInjectionGate.ts"
import * as FalseSuccessGate from "../src/gates/FalseSuccessGate.ts"
import * as GateVerdict from "../src/gates/GateVerdict.ts"
import * as LedgerSchemaGate from "../src/gates/LedgerSchemaGate.ts"
import * as PredicateDiffGate from "../src/gates/PredicateDiffGate.ts"
import * as RecoveryDrillGate from "../src/gates/RecoveryDrillGate.ts"
import * as TraceReplayGate from "../src/gates/TraceReplayGate.ts"
import * as UnknownStateGate from "../src/gates/UnknownStateGate.ts"
import * as ReleaseGate from "../src/ReleaseGate.ts"

const packOf = (expect: ReadonlyArray<string>) =>
  Result.getOrThrow(
    TaskPack.make({
      pack: "acme.travel",
      version: "1.0.0",
      state: { world: {}, working: {} },
      tools: {
        book: {
          class: "high_risk_external",
          idempotency: "effectful",
          identity: "none",
          input: {},
          readback: { source: "primary", expect: [...expect], within: "30s", consistency: "strong" },
          undo: { class: "X" }
        }
      }
    })
  )

const histories = ActionHistories.all(trace(...answered("a1"), ...settled("a1")))
const measured = (failures: number): ActionMetrics.Measures => {
  const none = ActionMetrics.sum([])
  const of = (numerator: number) => ({ numerator, denominator: 100 })
  return { ...none, verification_success: of(100 - failures), verification_failure: of(failures) }
}
const reported: Parameters<typeof FalseSuccessGate.judge>[0] = (self) =>
  Reporting.isSuccess(Reporting.report({ ...histories.get("a1")!, ...self }).user)

const injected = [
  { fault: "stale_read", found: "propagation_delay" },
  { fault: "timeout", found: "unknown_state" },
  { fault: "duplicate", found: "duplicate_side_effect" },
  { fault: "wrong_tenant", found: "wrong_target_modified" },
  { fault: "partial_commit", found: "partial_application" },
  { fault: "ignored", found: "no_op_failure" },
  { fault: "no_op", found: "no_op_success" },
  { fault: "stale_version", found: "stale_state" },
  { fault: "unreversed", found: "compensation_required" }
] as const
const drilled = [
  { path: "rollback", ended: "rolled_back" },
  { path: "compensation", ended: "compensated" },
  { path: "compensation_failure", ended: "review_required" },
  { path: "forward_recovery", ended: "reconciled_success" },
  { path: "review", ended: "review_required" }
] as const

const passing = (): ReadonlyArray<GateVerdict.GateVerdict> => [
  TraceReplayGate.judge([{ action: "a1", before: "success", after: "success" }]),
  PredicateDiffGate.judge([], new Set(), 1),
  CanaryGate.judge({ canary: measured(1), rest: measured(1) }, { actionsMin: 50, slack: 0.01 }),
  FailureInjectionGate.judge(injected),
  RecoveryDrillGate.judge(drilled),
  LedgerSchemaGate.judge(ActionLedgerSchema.schema, ActionLedgerSchema.schema),
  FalseSuccessGate.judge(reported, []),
  UnknownStateGate.judge()
]

describe("ReleaseGate", () => {
  it("promotes when all eight gates passed", () => {
    const verdicts = passing()
    assert.deepStrictEqual(
      verdicts.flatMap((verdict) => verdict.against),
      []
    )
    assert.sameMembers(
      verdicts.map((verdict) => verdict.gate),
      Object.keys(GateVerdict.gates)
    )
    assert.isTrue(Result.isSuccess(ReleaseGate.promote(verdicts)))
  })

  it("refuses when any gate is missing or did not pass, and says which and why", () => {
    const all = passing()
    const odd = { code: "fault_untried", fault: "timeout" } as const
    for (const { gate } of all) {
      const less = ReleaseGate.promote(all.filter((verdict) => verdict.gate !== gate))
      assert.isTrue(Result.isFailure(less) && less.failure.message.includes(`${gate}: it was not run`))
      const failed = all.map((one) => (one.gate === gate ? { ...one, passed: false, against: [odd] } : one))
      const refused = ReleaseGate.promote(failed)
      assert.isTrue(Result.isFailure(refused) && refused.failure.message.includes(`${gate}: timeout was not injected`))
    }
  })

  it("refuses a gate with two verdicts, of which one may stand for another candidate", () => {
    const all = passing()
    for (const verdict of all) {
      const refused = ReleaseGate.promote([...all, verdict])
      assert.isTrue(
        Result.isFailure(refused) && refused.failure.message.includes(`${verdict.gate}: it has two verdicts`)
      )
    }
  })

  it("passes no gate that looked at nothing", () => {
    const empty = [
      TraceReplayGate.judge([]),
      CanaryGate.judge(undefined, { actionsMin: 0, slack: 1 }),
      FailureInjectionGate.judge([]),
      RecoveryDrillGate.judge([])
    ]
    for (const verdict of empty) assert.isFalse(verdict.passed, verdict.gate)
    assert.deepStrictEqual(empty[1]?.against, [{ code: "nothing_examined", gate: "canary", needs: "canary" }])
  })

  it("finds recorded actions with another outcome now, unless that was accepted", () => {
    const outcomes = [{ action: "a1", before: { class: null }, after: { class: "value_mismatch" } }]
    assert.isFalse(TraceReplayGate.judge(outcomes).passed)
    assert.isTrue(TraceReplayGate.judge(outcomes, new Set(["a1"])).passed)
  })

  it("shows the changed predicates and the recorded actions that they affect, until a person reviewed them", () => {
    const [before, after] = [packOf(["actual.pnr == observed.pnr"]), packOf(["actual.status == 'confirmed'"])]
    const changes = PredicateDiffGate.changes(before, after, histories)
    assert.deepStrictEqual(changes, [
      {
        tool: "book",
        added: ["actual.status == 'confirmed'"],
        removed: ["actual.pnr == observed.pnr"],
        source: null,
        actions: ["a1"]
      }
    ])
    assert.isFalse(PredicateDiffGate.judge(changes, new Set(), 1).passed)
    assert.isTrue(PredicateDiffGate.judge(changes, new Set(["book"]), 1).passed)
    assert.deepStrictEqual(PredicateDiffGate.changes(before, before, histories), [])
  })

  it("stops a canary that is worse, or that has seen too little", () => {
    const gate = (failures: number, actionsMin: number) =>
      CanaryGate.judge({ canary: measured(failures), rest: measured(1) }, { actionsMin, slack: 0.01 })
    assert.isFalse(gate(5, 50).passed)
    assert.isFalse(gate(1, 101).passed)
    const alone = { canary: measured(1), rest: ActionMetrics.sum([]) }
    const verdict = CanaryGate.judge(alone, { actionsMin: 50, slack: 0.01 })
    assert.deepStrictEqual(verdict.against, [{ code: "canary_alone" }])
  })

  it("wants every failure injected, and none taken for a success", () => {
    assert.isFalse(FailureInjectionGate.judge(injected.slice(1)).passed)
    assert.isFalse(FailureInjectionGate.judge([...injected, { fault: "timeout", found: "success" }]).passed)
    assert.isFalse(RecoveryDrillGate.judge(drilled.slice(1)).passed)
    const unreversed = [...drilled, { path: "compensation_failure", ended: "reconciled_success" }] as const
    assert.isFalse(RecoveryDrillGate.judge(unreversed).passed)
    // What no contract can suffer need not be injected.
    assert.isFalse(FailureInjectionGate.judge(injected.slice(0, 6)).passed)
    const possible = injected.slice(0, 6).map(({ fault }) => fault)
    assert.isTrue(FailureInjectionGate.judge(injected.slice(0, 6), { possible }).passed)
    assert.isFalse(RecoveryDrillGate.judge([...drilled, { path: "compensation", ended: "committed" }]).passed)
  })

  it("objects to a tool that fails alone, was changed twice, or was not played, each by its own code", () => {
    const codes = (verdict: GateVerdict.GateVerdict) => verdict.against.map(({ code }) => code)
    const twice = injected.map((each) => (each.fault === "timeout" ? { ...each, effects: 2 } : each))
    assert.deepStrictEqual(codes(FailureInjectionGate.judge(twice)), ["effects_repeated"])
    const conditions = { failedAlone: [{ of: "book", outcome: "held" }], untried: ["pay"] }
    assert.deepStrictEqual(codes(FailureInjectionGate.judge(injected, conditions)), ["fails_alone", "tool_untried"])
    const unreversed = [{ fault: "mismatch", tool: "book" }]
    const unmade = new Set(["unpay", "unbook"])
    const drills = { unmade, unreversed, excepted: ["unpay"] }
    assert.deepStrictEqual(codes(RecoveryDrillGate.judge(drilled, drills)), ["reversal_missing", "reversal_undrilled"])
    // Without the reversing tool its path cannot be drilled, and only the tool is objected to.
    const rest = drilled.filter(({ path }) => !path.startsWith("compensation"))
    assert.deepStrictEqual(codes(RecoveryDrillGate.judge(rest, { unmade: new Set(["unbook"]) })), [
      "reversal_undrilled"
    ])
    const report = { canary: measured(1), rest: measured(1), otherPack: ["trip-1"] }
    assert.deepStrictEqual(codes(CanaryGate.judge(report, { actionsMin: 50, slack: 0.01 })), ["canary_pack"])
    const told = { examined: 1, told: [{ fault: "timeout", tool: "book" }] }
    assert.deepStrictEqual(codes(FalseSuccessGate.judge(reported, [], told)), ["drill_reported"])
    assert.deepStrictEqual(codes(UnknownStateGate.judge(undefined, [{ tool: "book", keys: 2 }])), ["keys_repeated"])
  })

  it("refuses a ledger schema that no longer takes an old entry, and takes one that only adds", () => {
    const before = {
      type: "object",
      required: ["a"],
      properties: { a: { type: ["string", "null"], enum: ["x", null] } }
    }
    const gate = (after: unknown) => LedgerSchemaGate.judge(before, after)
    assert.isTrue(gate({ ...before, properties: { ...before.properties, b: { type: "string" } } }).passed)
    assert.isFalse(gate({ ...before, required: ["a", "b"] }).passed)
    assert.isFalse(gate({ ...before, properties: {} }).passed)
    assert.isFalse(gate({ ...before, properties: { a: { type: "string", enum: ["x", null] } } }).passed)
    assert.isFalse(gate({ ...before, properties: { a: { type: ["string", "null"], enum: [null] } } }).passed)
  })

  it("catches a reporter that tells success too early, and a history in which it did (L8)", () => {
    const eager = FalseSuccessGate.judge(({ state }) => state === "committed", [])
    assert.isFalse(eager.passed)
    assert.isFalse(FalseSuccessGate.judge(reported, [{ tick: 4, action: "a1" }]).passed)
    // At each level of trust, and of what was undone since.
    for (const level of [0, 1, 2, 3, 4]) {
      assert.isFalse(FalseSuccessGate.judge(({ state, trust }) => state === "failed" && trust === level, []).passed)
    }
    for (const gone of ["undoing", "undone", "undo_failed", "undo_abandoned", "absent"] as const) {
      const told = FalseSuccessGate.judge(({ state, undo }) => state === "reconciled_success" && undo === gone, [])
      const early = { code: "success_early", state: "reconciled_success", trust: 3, undo: gone } as const
      assert.deepInclude(told.against, early)
    }
  })

  it("catches a table that repeats an unknown action (L7)", () => {
    const again = { when: {}, action: "retry_same_key", because: "again" } as const
    const blind = UnknownStateGate.judge({ ...RecoveryTable.sections, unknown_state: [again] })
    assert.isFalse(blind.passed)
  })
})
