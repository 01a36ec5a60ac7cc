/**
 * Eight gates that a new verifier, recovery table or ledger schema passes before it is promoted.
 *
 * This module is pure and only judges evidence. Five gates need nothing else. A canary, injected failures and a
 * recovery drill need a running system; their gates judge its report, and refuse without one.
 *
 * @source Action Verification, "Regression Control and Release Gates"
 */

import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionState from "@backstitch/ledger/ActionState"
import type { UndoState } from "@backstitch/ledger/EffectStatus"
import { undos } from "@backstitch/ledger/Payload"
import * as Trust from "@backstitch/ledger/Trust"
import * as ActionMetrics from "@backstitch/reconciliation/ActionMetrics"
import type * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import type * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import type { Need, Objection } from "@backstitch/wording/ReleaseWords"
import * as Wording from "@backstitch/wording/Wording"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as RecoverySafety from "./RecoverySafety.ts"
import * as ToolVerification from "./ToolVerification.ts"

/** The gates, and the evidence that each needs. */
export const gates = {
  trace_replay: { needs: "history" },
  predicate_diff: { needs: "history" },
  canary: { needs: "canary" },
  failure_injection: { needs: "runtime" },
  recovery_drill: { needs: "runtime" },
  ledger_schema: { needs: "nothing" },
  false_success: { needs: "history" },
  unknown_state: { needs: "nothing" }
} as const satisfies { readonly [gate: string]: { readonly needs: Need } }

/** Name of a gate. */
export type Gate = keyof typeof gates

/** The verdict of a gate. It passed if it checked something and found nothing. */
export interface GateVerdict {
  readonly gate: Gate
  readonly passed: boolean
  readonly examined: number
  readonly against: ReadonlyArray<Objection>
}

/** Error for a release that may not be promoted. */
export class PromotionRefused extends Schema.TaggedError<PromotionRefused>("@backstitch/release/PromotionRefused")(
  "PromotionRefused",
  { gates: Schema.Array(Schema.String), against: Schema.Array(Schema.String) }
) {
  override get message(): string {
    const shown = this.against.map((line) => `  ${line}`).join("\n")
    const which = this.gates.join(", ")
    return `Not promoted: ${which} did not pass. Correct what stands against it and run the gates again\n${shown}`
  }
}

const judge = (gate: Gate, examined: number, against: ReadonlyArray<Objection>): GateVerdict => {
  const { needs } = gates[gate]
  const all = examined === 0 ? [...against, { code: "nothing_examined", gate, needs } as const] : against
  return { gate, examined, against: all, passed: all.length === 0 }
}

/** Gate 1: the outcome of each recorded action under the old and the new rules. Differences are accepted by action. */
export const traceReplay = (
  outcomes: ReadonlyArray<{ readonly action: string; readonly before: Canonical.Json; readonly after: Canonical.Json }>,
  accepted: ReadonlySet<string> = new Set()
): GateVerdict =>
  judge(
    "trace_replay",
    outcomes.length,
    outcomes
      .filter(({ action, after, before }) => !Canonical.equals(before, after) && !accepted.has(action))
      .map(({ action, after, before }) => ({ code: "outcome_changed", action, was: before, is: after }))
  )

/** A tool whose verification changed, with the recorded actions that it affects. */
export interface PredicateChange {
  readonly tool: string
  readonly added: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
  readonly source: readonly [before: string, after: string] | null
  readonly actions: ReadonlyArray<string>
}

/** Lists the differences between two packs in the verification of results. */
export const predicateChanges = (
  before: TaskPack.TaskPack,
  after: TaskPack.TaskPack,
  histories: ActionHistories.ActionHistories
): ReadonlyArray<PredicateChange> =>
  [...new Set([...Object.keys(before.tools), ...Object.keys(after.tools)])].sort().flatMap((tool) => {
    const [was, is] = [before.tools[tool], after.tools[tool]].map(ToolVerification.of) as [Told, Told]
    const added = is.rules.filter((rule) => !was.rules.includes(rule))
    const removed = was.rules.filter((rule) => !is.rules.includes(rule))
    const source = was.source === is.source ? null : ([was.source, is.source] as const)
    if (added.length + removed.length === 0 && source === null) return []
    const actions = [...histories.values()].filter((history) => history.tool === tool).map((history) => history.id)
    return [{ tool, added, removed, source, actions }]
  })

type Told = ToolVerification.ToolVerification

/** Gate 2: a person looked at every change of a predicate or a source, by tool. */
export const predicateDiff = (
  changes: ReadonlyArray<PredicateChange>,
  reviewed: ReadonlySet<string>,
  tools: number
): GateVerdict =>
  judge(
    "predicate_diff",
    tools,
    changes
      .filter(({ tool }) => !reviewed.has(tool))
      .map(({ actions, added, removed, tool }) => {
        return { code: "verification_changed", actions: actions.length, added, removed, tool }
      })
  )

/** Tells whether a run takes part in a canary: by tenant, or by a share of all runs, always the same ones. */
export const isCanary = (
  run: { readonly tenant: string; readonly id: string },
  route: { readonly tenant: string } | { readonly share: number }
): boolean =>
  "tenant" in route
    ? run.tenant === route.tenant
    : Number.parseInt(Digest.ofText("backstitch.canary.1", `${run.tenant}\n${run.id}`).slice(0, 8), 16) / 2 ** 32 <
      route.share

/** Measures that may not rise in a canary by more than `slack`. */
export const watched = [
  "verification_failure",
  "unknown_state",
  "duplicate_action",
  "failed_compensation",
  "false_success_escape",
  "human_escalation"
] as const satisfies ReadonlyArray<ActionMetrics.Metric>

/** Gate 3: the canary's measures compared with those of all other runs. It must have seen `actionsMin` actions. */
export const canary = (
  report: { readonly canary: ActionMetrics.Measures; readonly rest: ActionMetrics.Measures } | undefined,
  options: { readonly actionsMin: number; readonly slack: number }
): GateVerdict => {
  if (report === undefined) return judge("canary", 0, [])
  const seen = report.canary.verification_success.denominator
  const few: ReadonlyArray<Objection> =
    seen < options.actionsMin ? [{ code: "canary_small", least: options.actionsMin, seen }] : []
  const others = report.rest.verification_success.denominator
  const alone: ReadonlyArray<Objection> = others === 0 ? [{ code: "canary_alone" }] : []
  const worse = watched.flatMap((name): ReadonlyArray<Objection> => {
    const [is, was] = [ActionMetrics.value(report.canary[name]) ?? 0, ActionMetrics.value(report.rest[name]) ?? 0]
    return is > was + options.slack ? [{ code: "measure_rose", is, measure: name, was }] : []
  })
  return judge("canary", seen, [...few, ...alone, ...worse])
}

/**
 * Failures to inject, with the classes as which each may be recognised.
 *
 * **Details**
 *
 * A read that stays stale shows no effect. If a contract names no parts, a missing part is a differing value.
 * `ignored` is answered and never done, `no_op` was there before, `stale_version` was changed by somebody else before
 * anything was sent, and the reversal of `unreversed` is refused.
 */
export const faults = {
  stale_read: ["propagation_delay", "no_op_failure"],
  timeout: ["unknown_state", "unverifiable_state"],
  duplicate: ["duplicate_side_effect"],
  wrong_tenant: ["wrong_target_modified"],
  partial_commit: ["partial_application", "value_mismatch"],
  ignored: ["no_op_failure"],
  no_op: ["no_op_success"],
  stale_version: ["stale_state"],
  unreversed: ["compensation_required"]
} as const satisfies Readonly<Record<string, ReadonlyArray<Discrepancy.Class>>>

/**
 * Gate 4: each failure (or each that is possible under the contracts) was injected, recognised, and never reported as
 * a success.
 */
export const failureInjection = (
  report: ReadonlyArray<{
    readonly fault: keyof typeof faults
    readonly found: Discrepancy.Class | "success"
    /** The action into which it was injected, if known. */
    readonly of?: string
  }>,
  possible: ReadonlyArray<keyof typeof faults> = Object.keys(faults) as ReadonlyArray<keyof typeof faults>
): GateVerdict =>
  judge("failure_injection", report.length, [
    ...possible
      .filter((fault) => !report.some((one) => one.fault === fault))
      .map((fault) => ({ code: "fault_untried", fault }) as const),
    ...report
      .filter(({ fault, found }) => !(faults[fault] as ReadonlyArray<string>).includes(found))
      .map((one) => ({ code: "fault_mistaken", ...one }) as const)
  ])

/** Paths to drill, with the states in which each may end. */
export const drills = {
  rollback: ["rolled_back"],
  compensation: ["compensated"],
  compensation_failure: ["review_required", "compensation_failed"],
  forward_recovery: ["reconciled_success"],
  review: ["review_required"]
} as const satisfies Readonly<Record<string, ReadonlyArray<ActionState.State>>>

/** Gate 5: each way of recovery (or each that is possible under the contracts) was executed to its end. */
export const recoveryDrill = (
  report: ReadonlyArray<{ readonly path: keyof typeof drills; readonly ended: ActionState.State }>,
  paths: ReadonlyArray<keyof typeof drills> = Object.keys(drills) as ReadonlyArray<keyof typeof drills>
): GateVerdict =>
  judge("recovery_drill", report.length, [
    ...paths
      .filter((path) => !report.some((one) => one.path === path))
      .map((path) => ({ code: "path_undrilled", path }) as const),
    ...report
      .filter(({ ended, path }) => !(drills[path] as ReadonlyArray<string>).includes(ended))
      .map((one) => ({ code: "path_ended", ...one }) as const)
  ])

/** The undo that a pack declares for a tool: the tool, and the one that reverses it. */
export interface DeclaredUndo {
  readonly tool: string
  readonly by: string
}

/** Tools that could be undone under one pack and cannot be under another that still has them. */
export const undoDropped = (before: TaskPack.TaskPack, after: TaskPack.TaskPack): ReadonlyArray<DeclaredUndo> =>
  undoings(before).filter(({ tool }) => {
    const contract = after.tools[tool]
    return contract !== undefined && !ToolContract.isReversible(contract)
  })

/** Tools with a reversal in the contract, although nobody can find out whether there is anything to undo. */
export const undecidable = (pack: TaskPack.TaskPack): ReadonlyArray<DeclaredUndo> =>
  undoings(pack).filter(({ tool }) => ToolContract.absenceBy(TaskPack.tool(pack, tool)) === undefined)

const undoings = ({ tools }: TaskPack.TaskPack): ReadonlyArray<DeclaredUndo> =>
  Object.values(tools).flatMap((contract) =>
    ToolContract.isReversible(contract) ? [{ tool: contract.name, by: contract.undo.by! }] : []
  )

/**
 * Gate 6: the new schema accepts every entry that the old schema accepts.
 *
 * **Details**
 *
 * It compares the part of JSON Schema that ledger entries use: types, values, required and known fields. Both schemas
 * close their objects, so new fields are allowed and removed fields are not.
 */
export const ledgerSchema = (before: unknown, after: unknown): GateVerdict => {
  const against: Array<Objection> = []
  const count = narrowings(before, after, "entry", against)
  return judge("ledger_schema", count, against)
}

/** Adds further checked cases, and their findings, to a verdict. */
export const and = (
  self: GateVerdict,
  more: { readonly examined?: number; readonly against: ReadonlyArray<Objection> }
): GateVerdict => {
  const against = [...self.against, ...more.against]
  return { ...self, against, examined: self.examined + (more.examined ?? 0), passed: against.length === 0 }
}

/** Gate 7: no message of success without reconciliation, in any state, at any level of trust, and in any history. */
export const falseSuccess = (
  succeeds: (self: { readonly state: ActionState.State; readonly trust: number; readonly undo: UndoState }) => boolean,
  escaped: ReadonlyArray<{ readonly tick: number; readonly action: string }>
): GateVerdict => {
  const cases = ActionState.states.flatMap((state) =>
    [0, 1, 2, 3, 4].flatMap((trust) =>
      undos.map((undo) => ({
        state,
        trust,
        undo
      }))
    )
  )
  const wrong = cases.filter(
    (one) =>
      succeeds(one) && !(one.state === "reconciled_success" && one.trust >= Trust.believable && one.undo === "standing")
  )
  return judge("false_success", cases.length, [
    ...wrong.map((one) => ({ code: "success_early", ...one }) as const),
    ...escaped.map(({ action, tick }) => ({ code: "success_escaped", action, tick }) as const)
  ])
}

/**
 * Gate 8: nothing with an unknown outcome is sent again, and no row of the table breaks a safety rule in any case.
 *
 * @see {@link RecoverySafety.rules}
 */
export const unknownState = (table: RecoveryRow.Sections = RecoveryTable.sections): GateVerdict => {
  const { against, cases } = RecoverySafety.check(table)
  return judge("unknown_state", cases, against)
}

/** Promotes the candidate if all eight gates passed, each once; otherwise fails with their findings. */
export const promote = (
  verdicts: ReadonlyArray<GateVerdict>
): Result.Result<ReadonlyArray<GateVerdict>, PromotionRefused> => {
  const missing = (Object.keys(gates) as ReadonlyArray<Gate>).filter(
    (gate) => !verdicts.some((one) => one.gate === gate)
  )
  const failed = verdicts.filter((verdict) => !verdict.passed)
  if (missing.length + failed.length === 0) return Result.succeed(verdicts)
  return Result.fail(
    new PromotionRefused({
      gates: [...new Set([...failed.map((verdict) => verdict.gate), ...missing])],
      against: [
        ...failed.flatMap(({ against, gate }) => against.map((each) => `${gate}: ${Wording.objection(each)}`)),
        ...missing.map((gate) => `${gate}: ${Wording.objection({ code: "not_run" })}`)
      ]
    })
  )
}

interface Node {
  readonly [name: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

/** Counts the compared fields, and adds values that the new schema refuses and the old one accepts. */
const narrowings = (before: unknown, after: unknown, at: string, against: Array<Objection>): number => {
  if (!isNode(before)) return 0
  if (!isNode(after)) {
    against.push({ code: "field_gone", at })
    return 1
  }
  for (const name of ["type", "enum"] as const) {
    const [old, fresh] = [listOf(before[name]), listOf(after[name])]
    const lost = fresh === undefined ? [] : (old ?? ["anything"]).filter((one) => !fresh.includes(one))
    if (lost.length > 0) against.push({ code: "values_lost", at, values: lost.map(String) })
  }
  const [oldProperties, properties] = [before["properties"], after["properties"]]
  const required = (listOf(after["required"]) ?? []).filter(
    (name) => !(listOf(before["required"]) ?? []).includes(name)
  )
  for (const name of required) against.push({ code: "field_required", at: `${at}.${String(name)}` })
  let count = 1 + narrowings(before["items"], after["items"], `${at}[]`, against)
  if (!isNode(oldProperties)) return count
  for (const [name, property] of Object.entries(oldProperties)) {
    count += narrowings(property, isNode(properties) ? properties[name] : undefined, `${at}.${name}`, against)
  }
  return count
}

const listOf = (value: unknown): ReadonlyArray<unknown> | undefined =>
  value === undefined ? undefined : Array.isArray(value) ? value : [value]
