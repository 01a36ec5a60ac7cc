/**
 * Eight gates that a new verifier, recovery table or ledger schema passes before it is promoted.
 *
 * What is here is pure: it judges evidence. Five gates need nothing else. A
 * canary, injected failures and a recovery drill need a system that runs; their
 * gates judge the report of one and refuse to pass without it.
 *
 * @source Action Verification, "Regression Control and Release Gates"
 */

import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionState from "@backstitch/ledger/ActionState"
import type { Undo } from "@backstitch/ledger/EffectStatus"
import { undos } from "@backstitch/ledger/Payload"
import * as ActionMetrics from "@backstitch/reconciliation/ActionMetrics"
import type * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import * as Observation from "@backstitch/reconciliation/Observation"
import type * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as RecoverySafety from "./RecoverySafety.ts"
import * as ToolVerification from "./ToolVerification.ts"

/** The gates, and whether each needs a report from a running system. */
export const gates = {
  trace_replay: { needs: "a history" },
  predicate_diff: { needs: "a history" },
  canary: { needs: "the runs of a canary: name its tenant, or its share of the runs" },
  failure_injection: { needs: "a runtime" },
  recovery_drill: { needs: "a runtime" },
  ledger_schema: { needs: "nothing" },
  false_success: { needs: "a history" },
  unknown_state: { needs: "nothing" }
} as const

/** Name of a gate. */
export type Gate = keyof typeof gates

/** The verdict of a gate. It passed where it found nothing, and looked at something. */
export interface Verdict {
  readonly gate: Gate
  readonly passed: boolean
  readonly examined: number
  readonly against: ReadonlyArray<string>
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

const judge = (gate: Gate, examined: number, against: ReadonlyArray<string>): Verdict => {
  const all = examined === 0 ? [...against, `${gate} looked at nothing: it needs ${gates[gate].needs}`] : against
  return { gate, examined, against: all, passed: all.length === 0 }
}

/**
 * Gate 1: what each recorded action came to under the old rules and the new ones. Differences are accepted by action.
 */
export const traceReplay = (
  outcomes: ReadonlyArray<{ readonly action: string; readonly before: Canonical.Json; readonly after: Canonical.Json }>,
  accepted: ReadonlySet<string> = new Set()
): Verdict =>
  judge(
    "trace_replay",
    outcomes.length,
    outcomes
      .map((one) => ({ ...one, was: Canonical.encode(one.before), is: Canonical.encode(one.after) }))
      .filter(({ action, is, was }) => is !== was && !accepted.has(action))
      .map(({ action, is, was }) => `${action} came to ${was} and comes to ${is}`)
  )

/** A tool whose verification changed, with the recorded actions that it concerns. */
export interface PredicateChange {
  readonly tool: string
  readonly added: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
  readonly source: readonly [before: string, after: string] | null
  readonly actions: ReadonlyArray<string>
}

/** Lists the changes between two packs in the way results are verified. */
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

/** Gate 2: every change of a predicate or a source was looked at by a person, by tool. */
export const predicateDiff = (
  changes: ReadonlyArray<PredicateChange>,
  reviewed: ReadonlySet<string>,
  tools: number
): Verdict =>
  judge(
    "predicate_diff",
    tools,
    changes
      .filter(({ tool }) => !reviewed.has(tool))
      .map(({ actions, added, removed, tool }) => {
        const what = [...added.map((source) => `+ ${source}`), ...removed.map((source) => `- ${source}`)].join(", ")
        return `${tool} is verified otherwise, unreviewed: ${what || "its source"}; ${actions.length} recorded actions`
      })
  )

/** Tells whether a run takes part in a canary: by tenant, or by a share of all runs, the same ones every time. */
export const isCanary = (
  run: { readonly tenant: string; readonly id: string },
  route: { readonly tenant: string } | { readonly share: number }
): boolean =>
  "tenant" in route
    ? run.tenant === route.tenant
    : Number.parseInt(Digest.ofBytes(`backstitch.canary.1\n${run.tenant}\n${run.id}`).slice(0, 8), 16) / 2 ** 32 <
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

/** Gate 3: the canary's measures against those of everybody else. It has to have seen `actionsMin` actions. */
export const canary = (
  report: { readonly canary: ActionMetrics.Measures; readonly rest: ActionMetrics.Measures } | undefined,
  options: { readonly actionsMin: number; readonly slack: number }
): Verdict => {
  if (report === undefined) return judge("canary", 0, [])
  const seen = report.canary.verification_success.denominator
  const few = seen < options.actionsMin ? [`the canary saw ${seen} actions, and ${options.actionsMin} are needed`] : []
  const others = report.rest.verification_success.denominator
  const alone = others === 0 ? ["there is nobody to compare the canary with: the other runs saw no action"] : []
  const worse = watched.flatMap((name) => {
    const [is, was] = [ActionMetrics.value(report.canary[name]) ?? 0, ActionMetrics.value(report.rest[name]) ?? 0]
    return is > was + options.slack ? [`${name} rose from ${was} to ${is}`] : []
  })
  return judge("canary", seen, [...few, ...alone, ...worse])
}

/**
 * Failures to inject, and the classes that each may be taken for.
 *
 * **Details**
 *
 * A read that stays stale shows that nothing was done. Where a contract names no parts, a part that is missing is a
 * value that differs. `ignored` is answered and never done, `no_op` was there before, `stale_version` was changed by
 * somebody else before anything was sent, and of `unreversed` the reversal is refused.
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
 * Gate 4: each failure was injected, all of them or those that the contracts can suffer, was taken for what it is, and
 * never for a success.
 */
export const failureInjection = (
  report: ReadonlyArray<{
    readonly fault: keyof typeof faults
    readonly found: Discrepancy.Class | "success"
    /** The action that it was injected into, where that was said. */
    readonly of?: string
  }>,
  possible: ReadonlyArray<keyof typeof faults> = Object.keys(faults) as ReadonlyArray<keyof typeof faults>
): Verdict =>
  judge("failure_injection", report.length, [
    ...possible
      .filter((fault) => !report.some((one) => one.fault === fault))
      .map((fault) => `${fault} was not injected`),
    ...report
      .filter(({ fault, found }) => !(faults[fault] as ReadonlyArray<string>).includes(found))
      .map(({ fault, found, of }) => `${of === undefined ? fault : `${fault} of ${of}`} was taken for ${found}`)
  ])

/** Paths to drill, and the states at which each may end. */
export const drills = {
  rollback: ["rolled_back"],
  compensation: ["compensated"],
  compensation_failure: ["review_required", "compensation_failed"],
  forward_recovery: ["reconciled_success"],
  review: ["review_required"]
} as const satisfies Readonly<Record<string, ReadonlyArray<ActionState.State>>>

/** Gate 5: each way of recovery was executed to its end: all of them, or those that the contracts can take. */
export const recoveryDrill = (
  report: ReadonlyArray<{ readonly path: keyof typeof drills; readonly ended: ActionState.State }>,
  paths: ReadonlyArray<keyof typeof drills> = Object.keys(drills) as ReadonlyArray<keyof typeof drills>
): Verdict =>
  judge("recovery_drill", report.length, [
    ...paths.filter((path) => !report.some((one) => one.path === path)).map((path) => `${path} was not drilled`),
    ...report
      .filter(({ ended, path }) => !(drills[path] as ReadonlyArray<string>).includes(ended))
      .map(({ ended, path }) => `${path} ended at ${ended}`)
  ])

/** A tool, and what undoes it. */
export interface EffectStatus {
  readonly tool: string
  readonly by: string
}

/** Tools that could be undone under one contract, and cannot be under another that has them still. */
export const undoDropped = (before: TaskPack.TaskPack, after: TaskPack.TaskPack): ReadonlyArray<EffectStatus> =>
  undoings(before).filter(({ tool }) => {
    const contract = after.tools[tool]
    return contract !== undefined && !ToolContract.isReversible(contract)
  })

/** Tools that a contract has undone although nobody can find out whether there is anything to undo. */
export const undecidable = (pack: TaskPack.TaskPack): ReadonlyArray<EffectStatus> =>
  undoings(pack).filter(({ tool }) => ToolContract.absenceBy(TaskPack.tool(pack, tool)) === undefined)

const undoings = ({ tools }: TaskPack.TaskPack): ReadonlyArray<EffectStatus> =>
  Object.values(tools).flatMap((contract) =>
    ToolContract.isReversible(contract) ? [{ tool: contract.name, by: contract.undo.by! }] : []
  )

/**
 * Gate 6: every entry that the old schema takes, the new one takes as well.
 *
 * **Details**
 *
 * Compared is the part of JSON Schema that ledger entries use: types, values,
 * required and known fields. Both schemas close their objects, so a new field is
 * allowed and a field that is gone is not.
 */
export const ledgerSchema = (before: unknown, after: unknown): Verdict => {
  const against: Array<string> = []
  const count = narrowings(before, after, "entry", against)
  return judge("ledger_schema", count, against)
}

/** A verdict that looked at more, with what was found there against it. */
export const and = (
  self: Verdict,
  more: { readonly examined?: number; readonly against: ReadonlyArray<string> }
): Verdict => {
  const against = [...self.against, ...more.against]
  return { ...self, against, examined: self.examined + (more.examined ?? 0), passed: against.length === 0 }
}

/**
 * Gate 7: no message of success without reconciliation, in no state and at no level of trust, and none in a history.
 */
export const falseSuccess = (
  succeeds: (self: { readonly state: ActionState.State; readonly trust: number; readonly undo: Undo }) => boolean,
  escaped: ReadonlyArray<{ readonly tick: number; readonly action: string }>
): Verdict => {
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
      succeeds(one) &&
      !(one.state === "reconciled_success" && one.trust >= Observation.believable && one.undo === "standing")
  )
  return judge("false_success", cases.length, [
    ...wrong.map(({ state, trust, undo }) => `success is told of ${state} at trust ${trust}, ${undo}`),
    ...escaped.map(({ action, tick }) => `tick ${tick} told a success of ${action} that there was not`)
  ])
}

/**
 * Gate 8: whatever is unknown, nothing is sent again, and no row of the table breaks a rule of safety in any case.
 *
 * @see {@link RecoverySafety.rules}
 */
export const unknownState = (table: RecoveryRow.Sections = RecoveryTable.sections): Verdict => {
  const { against, cases } = RecoverySafety.check(table)
  return judge("unknown_state", cases, against)
}

/** Promotes, or says what stands against it: all eight gates, each once and passed. */
export const promote = (verdicts: ReadonlyArray<Verdict>): Result.Result<ReadonlyArray<Verdict>, PromotionRefused> => {
  const missing = (Object.keys(gates) as ReadonlyArray<Gate>).filter(
    (gate) => !verdicts.some((one) => one.gate === gate)
  )
  const failed = verdicts.filter((verdict) => !verdict.passed)
  if (missing.length + failed.length === 0) return Result.succeed(verdicts)
  return Result.fail(
    new PromotionRefused({
      gates: [...new Set([...failed.map((verdict) => verdict.gate), ...missing])],
      against: [
        ...failed.flatMap((verdict) => verdict.against.map((line) => `${verdict.gate}: ${line}`)),
        ...missing.map((gate) => `${gate}: it was not run`)
      ]
    })
  )
}

interface Node {
  readonly [name: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

/** Counts the fields compared, and adds what the new schema refuses that the old one took. */
const narrowings = (before: unknown, after: unknown, at: string, against: Array<string>): number => {
  if (!isNode(before)) return 0
  if (!isNode(after)) {
    against.push(`${at} is gone`)
    return 1
  }
  for (const name of ["type", "enum"] as const) {
    const [old, fresh] = [listOf(before[name]), listOf(after[name])]
    const lost = fresh === undefined ? [] : (old ?? ["anything"]).filter((one) => !fresh.includes(one))
    if (lost.length > 0) against.push(`${at} no longer takes ${lost.join(", ")}`)
  }
  const [oldProperties, properties] = [before["properties"], after["properties"]]
  const required = (listOf(after["required"]) ?? []).filter(
    (name) => !(listOf(before["required"]) ?? []).includes(name)
  )
  for (const name of required) against.push(`${at}.${String(name)} is required now`)
  let count = 1 + narrowings(before["items"], after["items"], `${at}[]`, against)
  if (!isNode(oldProperties)) return count
  for (const [name, property] of Object.entries(oldProperties)) {
    count += narrowings(property, isNode(properties) ? properties[name] : undefined, `${at}.${name}`, against)
  }
  return count
}

const listOf = (value: unknown): ReadonlyArray<unknown> | undefined =>
  value === undefined ? undefined : Array.isArray(value) ? value : [value]
