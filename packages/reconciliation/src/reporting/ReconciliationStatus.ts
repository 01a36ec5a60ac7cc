/**
 * The status of an action, and its effect on further planning.
 *
 * The tables of Action Verification are codes here: a lexicon has a sentence for each. None of them is a success
 * message: only `Reporting` makes that (L8).
 *
 * @source Action Verification, "Reporting Invariant", "State Update Rules" and "Planning Adaptation"
 */

import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import type * as ActionState from "@backstitch/ledger/ActionState"
import type * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as Trust from "@backstitch/ledger/Trust"
import type { Outcome } from "@backstitch/trace/Transition"
import * as RecoveryAction from "../recovery/RecoveryAction.ts"

/** The stages of verification. Eight, as in Action Verification. */
export const stages = [
  "not_attempted",
  "attempted",
  "observed",
  "verified",
  "success",
  "partial",
  "failure",
  "unknown"
] as const

/** A stage of verification. */
export type ReconciliationStage = (typeof stages)[number]

/** The results of reconciliation. Eight, as in Action Verification. */
export const results = [
  "success",
  "partial",
  "pending",
  "failure",
  "compensated",
  "rolled_back",
  "unknown",
  "review_required"
] as const

/** A result of reconciliation. */
export type Reconciled = (typeof results)[number]

/** The ways in which planning continues. Seven rows, as in Action Verification. */
export const adaptations = {
  success: ["continue"],
  partial: ["compensate", "recover_forward", "ask_user", "escalate"],
  pending: ["poll", "wait", "subscribe", "defer"],
  failure: ["repair", "retry_if_safe", "stop"],
  unknown: ["reconcile_first"],
  wrong_target: ["freeze", "open_incident"],
  compensation_failed: ["escalate"]
} as const

/** A row of the planning table. */
export type Adaptation = keyof typeof adaptations

/**
 * The status of an action, in the words of both tables, and eleven statuses of Backstitch.
 *
 * **Details**
 *
 * `unverified` was settled on the tool's word alone, and `attested` on a person's word. `let_stand` was verified, was
 * to be undone, and stays, because a person decided so. `verified_in_part` was read back without all checks of its
 * class. `undoing` is being undone, `compensated_in_part` was undone without all checks, `compensation_attested` is
 * undone on a person's word, and `absent` was to be undone and is not on record. `reversed_in_part` is a run with a
 * reversed part and a part that stands. `recorded` was verified in another run and taken over from its record.
 * `abandoned` was given up by a person while its outcome was unknown.
 */
export type ReconciliationStatus =
  | ReconciliationStage
  | Reconciled
  | "absent"
  | "unverified"
  | "attested"
  | "let_stand"
  | "verified_in_part"
  | "undoing"
  | "compensated_in_part"
  | "compensation_attested"
  | "reversed_in_part"
  | "recorded"
  | "abandoned"

/** Tells whether a value names a status. */
export const isStatus = (value: unknown): value is ReconciliationStatus =>
  typeof value === "string" && Object.hasOwn(adaptationOf, value)

/** The status of an action in each state, if its effect was not undone and its success was verified. */
export const ofState: { readonly [State in ActionState.State]: ReconciliationStatus } = {
  proposed: "not_attempted",
  validated: "not_attempted",
  executing: "attempted",
  accepted: "pending",
  pending: "observed",
  committed: "verified",
  partially_committed: "partial",
  reconciled_success: "success",
  // It differs, and the recovery has not ended: it is neither done nor failed.
  reconciliation_failed: "verified",
  failed: "failure",
  verification_timeout: "unknown",
  unknown: "unknown",
  compensating: "pending",
  compensated: "compensated",
  compensation_failed: "review_required",
  forward_recovery: "partial",
  rolled_back: "rolled_back",
  review_required: "review_required",
  abandoned: "abandoned"
}

/**
 * Tells the status of an action.
 *
 * **Details**
 *
 * Success needs belief of level 3: predicates that held over authoritative state. An imported or merely attested
 * result is `unverified`. An action whose effect another one reversed is reported as reversed, although its own state
 * stays. One that was to be reversed and is not on record is reported as absent. An action that differs waits for a
 * person if recovery decided so: by a review, a freeze or an incident.
 */
export const of = (
  self: Pick<ActionHistory.ActionHistory, "state" | "trust" | "undo" | "class" | "decision" | "deferred" | "resent"> & {
    readonly letStand?: unknown
    readonly vouched?: unknown
    readonly verified?: unknown
    readonly accepted?: unknown
    readonly unchecked?: ReadonlyArray<string>
    readonly unproven?: ReadonlyArray<string>
    readonly started?: unknown
    readonly reconciled?: { readonly outcome: Pick<Outcome, "basis" | "trust"> }
  }
): ReconciliationStatus => {
  switch (self.undo) {
    case "undone":
      return self.unproven === undefined ? "compensated" : "compensated_in_part"
    case "attested":
      return "compensation_attested"
    case "absent":
      return "absent"
    case "undoing":
      return "undoing"
    case "undo_failed":
      return "review_required"
    // It was to be undone and is not. A person gave that up, so it is no success of the run.
    case "undo_abandoned":
    // A planner reversed it, perhaps in part.
    case "doubtful":
      return "partial"
    case "standing": {
      const found = ofState[self.state]
      if (self.deferred === true && found === "attempted") return "not_attempted"
      // It is proven that nothing happened, and it was not sent since.
      if (self.state === "forward_recovery" && (self.deferred === true || self.decision === "retry_same_key")) {
        return "not_attempted"
      }
      // An action that was never sent has no effect that could stand.
      if (found === "abandoned" && (self.started === undefined || self.deferred === true)) return "not_attempted"
      // Its earlier answer no longer counts.
      if (self.resent === true && found === "observed") return "attempted"
      if (found === "success") {
        const { basis, trust = 0 } = self.reconciled?.outcome ?? {}
        if (basis === "recorded" && self.trust > Trust.of("word")) return "recorded"
        if (self.trust >= Trust.believable) return "success"
        if (self.vouched !== undefined) return self.deferred === true ? "not_attempted" : "attested"
        if (self.letStand !== undefined && trust >= Trust.believable) return "let_stand"
        return self.trust === Trust.of("record") && self.verified !== undefined ? "verified_in_part" : "unverified"
      }
      const differs = self.state === "reconciliation_failed" || self.state === "partially_committed"
      if (differs && RecoveryAction.needsPerson(self.decision)) return "review_required"
      if (found === "observed" && self.accepted !== undefined) return "pending"
      return found === "verified" && self.verified === undefined ? "unverified" : found
    }
  }
}

/** The row of the planning table that applies. */
export const adapt = (
  at: ReconciliationStatus,
  about: {
    readonly discrepancy?: string
    readonly state?: ActionState.State
    readonly undo?: EffectStatus.UndoState
    readonly deferred?: true
  }
): Adaptation => {
  if (about.deferred === true && at === "not_attempted") return "pending"
  if (about.discrepancy === "wrong_target_modified" && at !== "success" && !isReversed(at)) return "wrong_target"
  if (about.state === "compensation_failed" || about.undo === "undo_failed") return "compensation_failed"
  return adaptationOf[at]
}

/** Tells whether the effect of an action was taken back, as far as is known. */
export const isReversed = (at: ReconciliationStatus): boolean =>
  at === "compensated" || at === "compensated_in_part" || at === "compensation_attested"

const adaptationOf: { readonly [S in ReconciliationStatus]: Adaptation } = {
  success: "success",
  partial: "partial",
  pending: "pending",
  failure: "failure",
  compensated: "failure",
  rolled_back: "failure",
  unknown: "unknown",
  review_required: "unknown",
  absent: "failure",
  unverified: "pending",
  attested: "pending",
  let_stand: "pending",
  verified_in_part: "pending",
  undoing: "pending",
  compensated_in_part: "failure",
  compensation_attested: "failure",
  reversed_in_part: "partial",
  recorded: "success",
  abandoned: "compensation_failed",
  not_attempted: "failure",
  attempted: "unknown",
  observed: "pending",
  verified: "pending"
}

/** Every standing. */
export const all = Object.keys(adaptationOf) as ReadonlyArray<ReconciliationStatus>
