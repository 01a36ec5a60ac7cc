/**
 * The fallback of its class that a recovery is, and the reasons why the earlier fallbacks are no longer available.
 *
 * Two tables of Action Verification say what to do when an action is not confirmed: the recovery table by finding,
 * and the depth table by class, as an ordered column of fallbacks. The recovery table decides. This module finds the
 * decision in the column of the class, and says for each fallback before it why that one is exhausted. For some
 * findings, such as a contradiction of the answer, the decision is not in the column: then all of it is exhausted.
 *
 * @source Action Verification, "Verification Depth by Side-Effect Class": fallback behavior
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as VerificationDepth from "../evidence/VerificationDepth.ts"
import type { RecoveryAction } from "./RecoveryAction.ts"
import type * as RecoveryRow from "./RecoveryRow.ts"

/** A fallback that was tried or no longer applies, and the reason. */
export interface Exhausted {
  readonly fallback: VerificationDepth.Fallback
  readonly because: Exhaustion
}

/** The reasons why a fallback is not available. */
export const exhaustions = [
  "asked_enough",
  "behind_pivot",
  "in_force",
  "irreversible",
  "no_transaction",
  "sent",
  "target_claimed",
  "time_over",
  "unverifiable",
  "window_over"
] as const

/** The reason why a fallback is not available: a code. */
export type Exhaustion = (typeof exhaustions)[number]

/** The fallback that a decision is, and those that were exhausted before it. */
export interface Chosen {
  readonly fallback: VerificationDepth.Fallback
  readonly exhausted: ReadonlyArray<Exhausted>
}

/** The fallback that each recovery action is. `null` for one that settles, plans anew, or sends again. */
export const ofAction: { readonly [Action in RecoveryAction]: VerificationDepth.Fallback | null } = {
  settle_as_is: null,
  record_replay: null,
  retry_verification: "retry_verification",
  force_strong_read: "retry_verification",
  poll_key_record: "retry_verification",
  retry_same_key: null,
  refresh_and_replan: null,
  roll_back: "roll_back",
  compensate: "compensate",
  compensate_and_stop: "compensate",
  compensate_backward: "compensate",
  recover_forward: null,
  report_unverified: "unavailable",
  mark_dirty: "mark_dirty",
  hold_pending: "keep_pending",
  defer: "keep_pending",
  revalidate_approval: null,
  fail_closed: "fail_closed",
  hold_and_escalate: "escalate",
  freeze_and_reconcile: "freeze",
  freeze_and_alert: "freeze",
  freeze_and_alarm: "freeze",
  review: "escalate",
  open_incident: "escalate"
}

/**
 * Relates a decision to the column of its class. `undefined` for an action that is no fallback.
 *
 * **Example** (A payment that nobody can confirm, with a provider that answers)
 *
 * ```ts import.meta.vitest
 * import { RecoveryFallback, RecoveryRow } from "@backstitch/reconciliation"
 *
 * const chosen = RecoveryFallback.choose("high_risk_external", "hold_and_escalate", RecoveryRow.calm)
 *
 * chosen?.fallback // => "escalate"
 * chosen?.exhausted.map(({ fallback }) => fallback) // => ["keep_pending"]
 * ```
 */
export const choose = (
  sideEffect: ToolContract.SideEffect,
  action: RecoveryAction,
  conditions: RecoveryRow.Conditions
): Chosen | undefined => {
  const found = ofAction[action]
  if (found === null) return undefined
  // In a sandbox, the roll-back is the inverse of a write.
  const fallback = sideEffect === "ephemeral_write" && found === "compensate" ? "roll_back" : found
  const column = VerificationDepth.of(sideEffect).fallback
  const index = column.indexOf(fallback)
  const before = index < 0 ? column : column.slice(0, index)
  return {
    fallback,
    exhausted: before.map((each) => ({ fallback: each, because: reason(each, conditions) ?? "in_force" }))
  }
}

/** The reason why a fallback is no longer available; `undefined` if it is available. */
export const reason = (
  self: VerificationDepth.Fallback,
  conditions: RecoveryRow.Conditions
): Exhaustion | undefined => {
  const { budgetLeft, executed, pivotPassed, providerUp, reversible, transactionOpen, withinDelay } = conditions
  switch (self) {
    case "retry_verification":
      if (!budgetLeft) return "asked_enough"
      return withinDelay ? undefined : "window_over"
    case "keep_pending":
      return withinDelay || !providerUp ? undefined : "time_over"
    case "compensate":
      if (!reversible) return "irreversible"
      if (pivotPassed) return "behind_pivot"
      return providerUp ? undefined : "unverifiable"
    case "roll_back":
      return transactionOpen || reversible ? undefined : "no_transaction"
    case "fail_closed":
      return executed ? "sent" : undefined
    case "freeze":
      return "target_claimed"
    case "other_source":
    case "unavailable":
    case "mark_dirty":
    case "escalate":
      return undefined
  }
}
