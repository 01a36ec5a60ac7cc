/**
 * The ledger: one entry for each action, projected from the trace and never stored beside it.
 *
 * A trace lists the steps of a run. An entry tells what an action was to change, what it changed, who approved it,
 * how that was proven, and what was done about differences. Times, states and evidence come from the transitions; the
 * conditions under which the run was started come with {@link Context}.
 *
 * @source Action Verification, "Action Ledger and Auditability"
 */

import * as Readback from "@backstitch/contracts/Readback"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Digest from "@backstitch/trace/Digest"
import type { Transition } from "@backstitch/trace/Transition"
import * as ActionHistories from "../history/ActionHistories.ts"
import * as ActionHistory from "../history/ActionHistory.ts"
import * as IdempotencyKey from "../keys/IdempotencyKey.ts"
import type * as ActionState from "../machine/ActionState.ts"
import * as Trust from "../machine/Trust.ts"

/** The state of a key: its action is under way, settled or compensated, or the tool no longer honours the key. */
export type KeyStatus = "PENDING" | "COMPLETED" | "FAILED_RETRYABLE" | "FAILED_FINAL" | "COMPENSATED" | "EXPIRED"

/**
 * An entry, in the names of the published schema.
 *
 * @see {@link ActionLedgerSchema}
 */
export interface ActionLedgerEntry {
  readonly action_id: string
  readonly workflow_run_id: string
  readonly tenant_id: string
  readonly principal_id: string
  readonly tool_contract: {
    readonly name: string
    readonly version: string
    readonly schema_version: string
    readonly wrapper_version: string
  }
  readonly policy_context: {
    readonly autonomy_boundary_version: string
    readonly approval_policy_version: string
    readonly verification_policy_version: string
    readonly recovery_policy_version: string
  }
  readonly side_effect_class: Uppercase<ToolContract.SideEffect>
  readonly idempotency: {
    readonly required: boolean
    readonly key_hash: string | null
    readonly request_hash: string | null
    readonly status: KeyStatus | null
  }
  readonly approval: {
    readonly required: boolean
    readonly approval_id: string | null
    readonly approver_id: string | null
    readonly payload_hash: string | null
    readonly expires_at: string | null
  }
  readonly intended_outcome: { readonly target_resource: string; readonly expected_predicates: ReadonlyArray<string> }
  readonly requested_operation: {
    readonly validated_payload_hash: string
    readonly target_resource: string
    readonly operation_kind: string
  }
  readonly execution: {
    readonly status: "NOT_EXECUTED" | "EXECUTING" | "ACCEPTED" | "PENDING" | "COMMITTED" | "FAILED" | "UNKNOWN"
    readonly observation_pointer: string | null
    readonly attempt_count: number
  }
  readonly verification: {
    readonly status: "NOT_REQUIRED" | "NOT_STARTED" | "PENDING" | "VERIFIED" | "FAILED" | "TIMEOUT" | "UNVERIFIABLE"
    readonly source: string | null
    readonly query_pointer: string | null
    readonly verified_state_pointer: string | null
  }
  readonly reconciliation: {
    readonly status:
      | "NOT_STARTED"
      | "RECONCILED_SUCCESS"
      | "RECONCILED_PARTIAL"
      | "RECONCILED_FAILURE"
      | "UNKNOWN"
      | "COMPENSATED"
      | "ROLLED_BACK"
      | "REVIEW_REQUIRED"
    readonly discrepancy_class: string | null
    readonly recovery_decision: string | null
  }
  readonly recovery: {
    readonly recovery_action_id: string | null
    readonly compensation_action_id: string | null
    readonly rollback_action_id: string | null
    readonly incident_id: string | null
    readonly review_id: string | null
  }
  readonly timestamps: {
    readonly proposed_at: string
    readonly validated_at: string | null
    readonly executed_at: string | null
    readonly verified_at: string | null
    readonly reconciled_at: string | null
  }
  readonly trace: {
    readonly trace_id: string
    readonly parent_span_id: string | null
    readonly replay_bundle_id: string | null
  }
}

/** The terms of a run at a tick, as its trace pins them: the pack in force, the decision rules and the engine. */
export interface Terms {
  readonly pack: TaskPack.TaskPack | undefined
  readonly rules?: number | undefined
  readonly engine?: string | undefined
}

/**
 * The facts of an entry beside its history: the run, and its terms at each tick.
 *
 * **Details**
 *
 * `now` is in epoch milliseconds. With it, a key that its tool no longer honours is `EXPIRED`.
 */
export interface Context {
  readonly run: string
  readonly tenant: string
  readonly termsAt: (tick: number) => Terms
  readonly now?: number
}

/** The contract by which an action is verified: the one in force when it was, otherwise when it was sent. */
export const verifiedUnder = (
  self: ActionHistory.ActionHistory,
  { termsAt }: Pick<Context, "termsAt">
): ToolContract.ToolContract | undefined => contractOf(self, termsAt(provenAt(self).tick).pack)

/** Projects a history. Each contract and version is the one that was in force at the moment that it is named for. */
export const fromHistory = (self: ActionHistory.ActionHistory, context: Context): ActionLedgerEntry => {
  const asked = context.termsAt(self.proposed.tick)
  const sent = context.termsAt((self.started ?? self.proposed).tick)
  const proven = context.termsAt(provenAt(self).tick)
  const contract = contractOf(self, sent.pack)
  const readback = contractOf(self, proven.pack)?.readback
  const target = self.target ?? none
  const pointer = pointerIn(context.run)
  return {
    action_id: self.id,
    workflow_run_id: context.run,
    tenant_id: context.tenant,
    principal_id: self.principal,
    tool_contract: {
      name: self.tool,
      version: versionOf(sent),
      schema_version: sent.pack?.digest ?? none,
      wrapper_version: wrapperOf(sent)
    },
    policy_context: {
      autonomy_boundary_version: versionOf(asked),
      approval_policy_version: versionOf(asked),
      verification_policy_version: versionOf(proven),
      recovery_policy_version: self.policyVersion ?? none
    },
    side_effect_class: classOf(self, contract),
    idempotency: idempotencyOf(self, contract, context.now),
    approval: approvalOf(self, asked.pack),
    intended_outcome: {
      target_resource: target,
      expected_predicates: readback === undefined ? [] : Readback.predicates(readback).map(Readback.say)
    },
    requested_operation: {
      validated_payload_hash: self.requestHash ?? IdempotencyKey.requestHash(self.tool, self.params),
      target_resource: target,
      operation_kind: self.tool
    },
    execution: {
      status: executionOf(self),
      observation_pointer: pointer(self.observed),
      attempt_count: self.attempts
    },
    verification: {
      status: verificationOf(self),
      source: sourceOf(self, readback),
      query_pointer: pointer(self.asked),
      verified_state_pointer: pointer(self.verified)
    },
    reconciliation: {
      status: verdictOf(self),
      discrepancy_class: self.discrepancy ?? null,
      recovery_decision: self.decision ?? null
    },
    recovery: recoveryOf(self, pointer),
    timestamps: {
      proposed_at: instant(self.proposed) ?? "",
      validated_at: instant(self.validated),
      executed_at: ActionHistory.isExecuted(self) ? instant(self.started ?? self.observed) : null,
      verified_at: instant(self.verified),
      reconciled_at: instant(self.reconciled)
    },
    trace: {
      trace_id: self.trace?.split("-")[0] ?? context.run,
      parent_span_id: self.trace?.split("-")[1] ?? null,
      replay_bundle_id: null
    }
  }
}

/** Projects every action of a run, in the order in which they were proposed. */
export const all = (transitions: Iterable<Transition>, context: Context): ReadonlyArray<ActionLedgerEntry> =>
  [...ActionHistories.all(transitions).values()].map((history) => fromHistory(history, context))

/**
 * Names the fields that an entry lacks for the state of its action. A complete entry can be audited without the
 * trace.
 *
 * **Details**
 *
 * A mutation that was sent needs its time, key or target, and request hash. An answered action needs a pointer to the
 * answer, a settled one its time and proof, and one that differs its class and the decision.
 */
export const missing = (self: ActionLedgerEntry): ReadonlyArray<string> => {
  const lacks: Array<string> = []
  const need = (field: string, holds: boolean) => {
    if (!holds) lacks.push(field)
  }
  const { approval, execution, idempotency, reconciliation, recovery, timestamps, tool_contract, verification } = self
  need("tool_contract.version", tool_contract.version !== none)
  if (execution.status !== "NOT_EXECUTED" && self.side_effect_class !== "READ_ONLY") {
    need("timestamps.validated_at", timestamps.validated_at !== null)
    need("timestamps.executed_at", timestamps.executed_at !== null)
    need("idempotency.request_hash", idempotency.request_hash !== null)
    if (idempotency.required) need("idempotency.key_hash", idempotency.key_hash !== null)
    if (approval.required) need("approval.approval_id", approval.approval_id !== null)
    if (approval.required) need("approval.payload_hash", approval.payload_hash !== null)
  }
  if (["ACCEPTED", "PENDING", "COMMITTED"].includes(execution.status)) {
    need("execution.observation_pointer", execution.observation_pointer !== null)
  }
  if (verification.status === "VERIFIED" || verification.status === "FAILED") {
    need("verification.source", verification.source !== null)
  }
  const isOpen = execution.status === "NOT_EXECUTED" || self.side_effect_class === "READ_ONLY"
  if (reconciliation.status === "RECONCILED_SUCCESS" || reconciliation.status === "COMPENSATED") {
    need("timestamps.reconciled_at", timestamps.reconciled_at !== null || isOpen)
  }
  if (verification.status === "FAILED" || reconciliation.status === "RECONCILED_PARTIAL") {
    need("reconciliation.discrepancy_class", reconciliation.discrepancy_class !== null)
    need("reconciliation.recovery_decision", reconciliation.recovery_decision !== null)
  }
  if (reconciliation.status === "COMPENSATED") {
    need("recovery.compensation_action_id", recovery.compensation_action_id !== null)
  }
  return lacks
}

/** The share of complete entries among those whose actions change the world. */
export const completeness = (
  entries: ReadonlyArray<ActionLedgerEntry>
): { readonly complete: number; readonly required: number } => {
  const required = entries.filter((entry) => entry.side_effect_class !== "READ_ONLY")
  return { complete: required.filter((entry) => missing(entry).length === 0).length, required: required.length }
}

/** Stands for a contract, a target or a decision that there was not. */
export const none = "none"

/** Stands for a version that nobody recorded. */
export const unrecorded = "unrecorded"

const contractOf = (
  { tool }: ActionHistory.ActionHistory,
  pack: TaskPack.TaskPack | undefined
): ToolContract.ToolContract | undefined => (pack === undefined ? undefined : TaskPack.tool(pack, tool))

const versionOf = ({ pack }: Terms): string => (pack === undefined ? none : `${pack.id}@${pack.version}`)

/** Names the code that made a call, as far as a run pins it: the rules of its decisions, and its expression engine. */
const wrapperOf = ({ engine, rules }: Terms): string => {
  const pinned = [...(rules === undefined ? [] : [`rules@${rules}`]), ...(engine === undefined ? [] : [engine])]
  return pinned.length === 0 ? unrecorded : pinned.join(" ")
}

/** Answers the moment of the last proof, or the last one before it that is known. */
const provenAt = (self: ActionHistory.ActionHistory): ActionHistory.Moment =>
  self.verified ?? self.reconciled ?? self.started ?? self.proposed

/**
 * Names what was asked for the proof: the sources that were read, the status of the key or a delivery; `null` if
 * nothing was.
 */
const sourceOf = (
  self: ActionHistory.ActionHistory,
  readback: Readback.Readback | undefined
): ActionLedgerEntry["verification"]["source"] => {
  const { observed, reconciled, verified } = self
  if (verified !== undefined) {
    if (verified.isUnread === true) return null
    const first = verified.source ?? readback?.source
    return first === undefined ? null : [first, ...(verified.others ?? [])].join(" + ")
  }
  switch (reconciled?.outcome.basis) {
    case "status":
      return observed?.via ?? "status"
    case "readback":
      // A strong source, where the contract has one, is read before a call as well.
      return readback?.strong?.source ?? readback?.source ?? null
    default:
      return null
  }
}

const pointerIn =
  (run: string) =>
  (moment: ActionHistory.Moment | undefined): string | null =>
    moment === undefined ? null : `${run}#${moment.tick}`

const instant = (moment: ActionHistory.Moment | undefined): string | null =>
  moment === undefined ? null : new Date(moment.at).toISOString()

const classes: ReadonlySet<string> = new Set(ToolContract.sideEffects.map((name) => name.toUpperCase()))

/** Answers the class of an action. An unknown class counts as the highest. */
const classOf = (
  self: ActionHistory.ActionHistory,
  contract: ToolContract.ToolContract | undefined
): ActionLedgerEntry["side_effect_class"] => {
  const name = (self.class === "" ? (contract?.class ?? "") : self.class).toUpperCase()
  return (classes.has(name) ? name : "CRITICAL_MUTATION") as ActionLedgerEntry["side_effect_class"]
}

const idempotencyOf = (
  self: ActionHistory.ActionHistory,
  contract: ToolContract.ToolContract | undefined,
  now: number | undefined
): ActionLedgerEntry["idempotency"] => ({
  required: ActionHistory.isMutating(self) && contract?.identity !== undefined,
  key_hash: self.key === undefined ? null : Digest.ofText("backstitch.key.1", self.key),
  request_hash: self.requestHash ?? null,
  status: keyStatus(self, contract?.times.keyRetentionMillis, now)
})

const keyStatus = (
  self: ActionHistory.ActionHistory,
  retention: number | undefined,
  now: number | undefined
): KeyStatus | null => {
  if (self.key === undefined || self.started === undefined) return null
  if (self.state === "compensated" || self.undo === "undone" || self.undo === "attested") return "COMPENSATED"
  if (self.undo === "absent") return "FAILED_FINAL"
  if (self.state === "reconciled_success") return "COMPLETED"
  if (self.state === "failed" || self.state === "rolled_back" || self.state === "abandoned") {
    return self.reconciled === undefined ? "FAILED_RETRYABLE" : "FAILED_FINAL"
  }
  const expires = retention === undefined ? Number.POSITIVE_INFINITY : self.started.at + retention
  return now !== undefined && now >= expires ? "EXPIRED" : "PENDING"
}

const approvalOf = (
  { approval, isGlassBroken = false, requestHash, review, tool }: ActionHistory.ActionHistory,
  pack: TaskPack.TaskPack | undefined
): ActionLedgerEntry["approval"] => ({
  required: approval !== undefined || isGlassBroken || (pack !== undefined && !TaskPack.tool(pack, tool).known),
  // If the glass was broken, there is no approval: the review comes afterwards.
  approval_id: approval?.id ?? (isGlassBroken ? (review ?? null) : null),
  approver_id: approval?.approver ?? null,
  payload_hash: approval?.requestHash ?? (isGlassBroken ? (requestHash ?? null) : null),
  expires_at: typeof approval?.expiresAt === "number" ? new Date(approval.expiresAt).toISOString() : null
})

const executionOf = (self: ActionHistory.ActionHistory): ActionLedgerEntry["execution"]["status"] => {
  if (!ActionHistory.isExecuted(self)) return "NOT_EXECUTED"
  switch (self.state) {
    case "accepted":
      return "ACCEPTED"
    case "pending":
      return "PENDING"
    case "unknown":
    case "verification_timeout":
    case "abandoned":
    case "review_required":
      return ActionHistory.visited(self, "committed") ? "COMMITTED" : "UNKNOWN"
    case "failed":
    case "rolled_back":
      return "FAILED"
    case "proposed":
    case "validated":
    case "executing":
      return "EXECUTING"
    default:
      return "COMMITTED"
  }
}

const verificationOf = (self: ActionHistory.ActionHistory): ActionLedgerEntry["verification"]["status"] => {
  if (!ActionHistory.isMutating(self) && self.verified === undefined) return "NOT_REQUIRED"
  switch (self.verified?.outcome.status) {
    case "ok":
      return "VERIFIED"
    case "unknown":
      return "TIMEOUT"
    case "error":
    case "mismatch":
      return "FAILED"
  }
  const settled = self.reconciled?.outcome
  // A call that was stopped changed nothing, so there is nothing to prove.
  if (settled !== undefined && settled.status !== "ok" && !ActionHistory.isExecuted(self)) return "NOT_REQUIRED"
  if (settled !== undefined)
    return settled.basis === "status" || settled.basis === "readback" ? "VERIFIED" : "UNVERIFIABLE"
  return self.observed?.outcome.status === "ok" ? "PENDING" : "NOT_STARTED"
}

/** Answers the verdict on an action. A settlement without predicates that held is no success, whatever its state. */
const verdictOf = (self: ActionHistory.ActionHistory): ActionLedgerEntry["reconciliation"]["status"] => {
  // A person says that the action is undone, and no readback has verified that.
  if (self.undo === "attested") return "UNKNOWN"
  // A person gave up its undoing: the action is neither done nor undone.
  if (self.undo === "undo_abandoned") return "RECONCILED_PARTIAL"
  // A success that another action reversed keeps its state, but no longer counts as a success.
  if (self.undo !== "standing" && self.state === "reconciled_success") return reversed[self.undo]
  return self.state === "reconciled_success" && self.trust < Trust.believable ? "UNKNOWN" : reconciliationOf[self.state]
}

const reversed = {
  absent: "RECONCILED_FAILURE",
  doubtful: "RECONCILED_PARTIAL",
  undone: "COMPENSATED",
  undoing: "UNKNOWN",
  undo_failed: "REVIEW_REQUIRED"
} as const

const reconciliationOf: { readonly [State in ActionState.State]: ActionLedgerEntry["reconciliation"]["status"] } = {
  proposed: "NOT_STARTED",
  validated: "NOT_STARTED",
  executing: "NOT_STARTED",
  accepted: "NOT_STARTED",
  pending: "NOT_STARTED",
  committed: "NOT_STARTED",
  partially_committed: "RECONCILED_PARTIAL",
  reconciled_success: "RECONCILED_SUCCESS",
  reconciliation_failed: "RECONCILED_FAILURE",
  failed: "RECONCILED_FAILURE",
  verification_timeout: "UNKNOWN",
  unknown: "UNKNOWN",
  compensating: "RECONCILED_FAILURE",
  compensated: "COMPENSATED",
  compensation_failed: "REVIEW_REQUIRED",
  forward_recovery: "RECONCILED_PARTIAL",
  rolled_back: "ROLLED_BACK",
  review_required: "REVIEW_REQUIRED",
  abandoned: "RECONCILED_FAILURE"
}

const recoveryOf = (
  self: ActionHistory.ActionHistory,
  pointer: (moment: ActionHistory.Moment | undefined) => string | null
): ActionLedgerEntry["recovery"] => ({
  recovery_action_id: pointer(self.decided),
  compensation_action_id: self.undoneBy ?? null,
  rollback_action_id: pointer(self.visited.find((visit) => visit.state === "rolled_back")),
  incident_id: self.incident ?? null,
  review_id: self.review ?? null
})
