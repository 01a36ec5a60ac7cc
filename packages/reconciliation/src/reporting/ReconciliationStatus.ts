/**
 * The status of an action, and its effect on belief, on the planner's context, on what a user may be told, and on
 * further planning.
 *
 * Three tables of Action Verification are data here. Nothing in them makes a success
 * message: that is made by `Reporting` alone (L8).
 *
 * @source Action Verification, "Reporting Invariant", "State Update Rules" and "Planning Adaptation"
 */
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import type * as ActionState from "@backstitch/ledger/ActionState"
import type * as EffectStatus from "@backstitch/ledger/EffectStatus"
import type { Outcome } from "@backstitch/trace/Transition"
import * as Observation from "../evidence/Observation.ts"
import * as RecoveryAction from "../recovery/RecoveryAction.ts"

/** Stages of verification, and what a user may be told at each. Eight, as in Action Verification. */
export const invariant = {
  not_attempted: "This has not been carried out.",
  attempted: "This was attempted. Its result is not known.",
  observed: "An answer came in. Whether it took effect is still being verified.",
  verified: "The current state was verified. It is still being compared with what was intended.",
  success: "This was completed, and that was verified.",
  partial: "Part of this was completed, and part is unresolved.",
  failure: "This failed. Nothing was verified to be completed.",
  unknown: "What became of this is unknown. It needs a review."
} as const

/** A stage of verification. */
export type Stage = keyof typeof invariant

/** The effects of a reconciliation. */
export interface Update {
  /** The belief that enters the state of the task. */
  readonly belief: string
  /** The news for the planner's next context. */
  readonly context: string
  /** The statement that a user may be told. */
  readonly user: string
}

/** Results of reconciliation, and what each does. Eight, as in Action Verification. */
export const updates = {
  success: {
    belief: "the verified state, and that the action is done",
    context: "Verified: done. Authoritative state follows.",
    user: invariant.success
  },
  partial: {
    belief: "the parts that were completed, and those that are unresolved",
    context: "Verified in part: some of it was completed, and the rest is unresolved.",
    user: invariant.partial
  },
  pending: {
    belief: "that it is pending, and when it is verified next",
    context: "Accepted, not verified. Wait: it is not done.",
    user: "This was accepted and is pending. It is not completed."
  },
  failure: {
    belief: "that it failed, and why",
    context: "Failed: no change was verified.",
    user: invariant.failure
  },
  compensated: {
    belief: "the action, and the verified compensation of it",
    context: "Reversed by a compensation, which was verified.",
    user: "This was done and then reversed, and the reversal was verified."
  },
  rolled_back: {
    belief: "the rollback, and that the target is as it was",
    context: "Rolled back: nothing of it remains.",
    user: "This was rolled back before it took effect."
  },
  unknown: {
    belief: "that it is unknown; whatever touches the same target is blocked",
    context: "Unknown: it may have happened. Do not repeat it; it is settled first.",
    user: invariant.unknown
  },
  review_required: {
    belief: "nothing; the workflow is frozen",
    context: "A person has to decide. Do not go on with this.",
    user: "This waits for the decision of a person."
  }
} as const satisfies Readonly<Record<string, Update>>

/** A result of reconciliation. */
export type Reconciled = keyof typeof updates

/** The ways in which planning has to go on. Seven rows, as in Action Verification. */
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
 * The status of an action, in the words of both tables, and eleven of ours.
 *
 * **Details**
 *
 * `unverified` was settled on the tool's word alone, and `attested` on that of a person. `let_stand` was verified, was
 * to be undone, and is not, as a person decided. `verified_in_part` was read back without all that its class has to
 * compare, `undoing` is being undone, `compensated_in_part` was undone and not all of that was checked,
 * `compensation_attested` is undone on the word of a person, `absent` was to be undone and is not on record.
 * `reversed_in_part` is a run of which one part was reversed and another stands. `recorded` was verified in another run
 * and taken over from its record, and `abandoned` was given up by a person while its outcome was unknown.
 */
export type ReconciliationStatus =
  | Stage
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

/** Tells whether a value names a standing. */
export const isStanding = (value: unknown): value is ReconciliationStatus =>
  typeof value === "string" && Object.hasOwn(told, value)

/** The status of an action in each state, as long as its effect was not undone and its success was verified. */
export const standings: { readonly [State in ActionState.State]: ReconciliationStatus } = {
  proposed: "not_attempted",
  validated: "not_attempted",
  executing: "attempted",
  accepted: "pending",
  pending: "observed",
  committed: "verified",
  partially_committed: "partial",
  reconciled_success: "success",
  // It differs, and what is done about that is not: neither done nor failed.
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
 * Tells how an action stands.
 *
 * **Details**
 *
 * Success needs belief of level 3: predicates that held over authoritative
 * state. An imported or merely attested result is `unverified`. An action whose
 * effect another one reversed is told as reversed, although its own state stays
 * what it was; one that was to be reversed and is not on record is told as
 * absent. What was compared and differs waits for a person where recovery
 * decided so, be it by a review, a freeze or an incident.
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
    // It was to be undone and is not: somebody gave that up, and it is no success of the run.
    case "undo_abandoned":
    // A planner took it back, in part perhaps.
    case "doubtful":
      return "partial"
    case "standing": {
      const found = standings[self.state]
      if (self.deferred === true && found === "attempted") return "not_attempted"
      // It is proven that nothing happened, and it was not sent since.
      if (self.state === "forward_recovery" && (self.deferred === true || self.decision === "retry_same_key")) {
        return "not_attempted"
      }
      // What was never sent has no effect that could stand.
      if (found === "abandoned" && (self.started === undefined || self.deferred === true)) return "not_attempted"
      // What it had answered before counts no more.
      if (self.resent === true && found === "observed") return "attempted"
      if (found === "success") {
        const { basis, trust = 0 } = self.reconciled?.outcome ?? {}
        if (basis === "recorded" && self.trust > 1) return "recorded"
        if (self.trust >= Observation.believable) return "success"
        if (self.vouched !== undefined) return self.deferred === true ? "not_attempted" : "attested"
        if (self.letStand !== undefined && trust >= Observation.believable) return "let_stand"
        return self.trust === 2 && self.verified !== undefined ? "verified_in_part" : "unverified"
      }
      const differs = self.state === "reconciliation_failed" || self.state === "partially_committed"
      if (differs && RecoveryAction.needsPerson(self.decision)) return "review_required"
      if (found === "observed" && self.accepted !== undefined) return "pending"
      return found === "verified" && self.verified === undefined ? "unverified" : found
    }
  }
}

/** Answers the effects of a status. */
export const does = (at: ReconciliationStatus): Update => told[at]

/** Answers the statement about a status that a user may be told. */
export const say = (at: ReconciliationStatus): string => does(at).user

/** The row of the planning table that binds. */
export const adapt = (
  at: ReconciliationStatus,
  about: {
    readonly discrepancy?: string
    readonly state?: ActionState.State
    readonly undo?: EffectStatus.Undo
    readonly deferred?: true
  }
): Adaptation => {
  if (about.deferred === true && at === "not_attempted") return "pending"
  if (about.discrepancy === "wrong_target_modified" && at !== "success" && !isReversed(at)) return "wrong_target"
  if (about.state === "compensation_failed" || about.undo === "undo_failed") return "compensation_failed"
  return adaptationOf[at]
}

/** Tells whether what an action did was taken back, as far as anybody knows. */
export const isReversed = (at: ReconciliationStatus): boolean =>
  at === "compensated" || at === "compensated_in_part" || at === "compensation_attested"

const unverified = {
  belief: "what the tool answered, at its level of trust",
  context: "Answered, not verified. Treat it as evidence.",
  user: "An answer came in. It was not verified."
} as const satisfies Update

const attested = {
  belief: "what a person attests",
  context: "Done, as a person attests. That was not verified: do not repeat it.",
  user: "A person attests that this was done. That was not verified."
} as const satisfies Update

const letStand = {
  belief: "what was verified before it was to be undone",
  context: "Verified once, and to be undone since. A person decided that it is not undone: it may not be as it was.",
  user: "This was completed and verified, and was to be undone. A person decided that it is not, and it was not verified again."
} as const satisfies Update

const verifiedInPart = {
  belief: "what was read, without what was not checked",
  context: "Verified in part: not everything that this class asks for was checked. Do not call it done.",
  user: "This was verified in part. Not everything that has to be checked was checked."
} as const satisfies Update

const undoing = {
  belief: "the action, until its reversal is verified",
  context: "Being undone: its reversal is not verified. Do not build on it.",
  user: "This is being undone. Its reversal was not verified yet."
} as const satisfies Update

const compensatedInPart = {
  belief: "the action, and what was read of its compensation",
  context: "Reversed by a compensation, which was verified in part.",
  user: "This was done and then reversed. The reversal was verified in part: not everything was checked."
} as const satisfies Update

const compensationAttested = {
  belief: "the action, and that a person attests its reversal",
  context: "Reversed, as a person attests. That was not verified: do not repeat it, and do not reverse it again.",
  user: "This was done and then reversed, as a person attests. The reversal was not verified."
} as const satisfies Update

const reversedInPart = {
  belief: "the action that stands, and the one that was reversed",
  context: "One part was reversed, and another stands. Look at each before going on.",
  user: "Part of this was done and then reversed, and part of it stands."
} as const satisfies Update

const absent = {
  belief: "that the system of record does not show it",
  context: "Not on record when it was to be undone: nothing was reversed, and nothing of it is there.",
  user: "There was nothing to undo: the system of record does not show this."
} as const satisfies Update

const recorded = {
  belief: "what another run verified, as its record says",
  context: "On record as done and verified by another run. Nothing was sent or read here.",
  user: "This is on record as completed by another run. It was not verified again."
} as const satisfies Update

const abandoned = {
  belief: "nothing; its effect may stand",
  context: "Given up by a person. Its effect may stand: do not repeat it.",
  user: "This was given up by a person. What it did, if anything, may still stand."
} as const satisfies Update

const open = (stage: Exclude<Stage, Reconciled>, context: string): Update => ({
  belief: "nothing yet",
  context,
  user: invariant[stage]
})

/** The one table that the reports are made from. */
const told: { readonly [S in ReconciliationStatus]: Update } = {
  ...updates,
  absent,
  unverified,
  attested,
  let_stand: letStand,
  verified_in_part: verifiedInPart,
  undoing,
  compensated_in_part: compensatedInPart,
  compensation_attested: compensationAttested,
  reversed_in_part: reversedInPart,
  recorded,
  abandoned,
  not_attempted: open("not_attempted", "Not attempted."),
  attempted: open("attempted", "Attempted; the result is unknown. Do not repeat it."),
  observed: open("observed", "Answered, not verified. It is not done."),
  verified: open("verified", "State was read, and is being compared with what was intended. It is not done.")
}

const adaptationOf: { readonly [S in ReconciliationStatus]: Adaptation } = {
  not_attempted: "failure",
  attempted: "unknown",
  observed: "pending",
  verified: "pending",
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
  success: "success",
  partial: "partial",
  pending: "pending",
  failure: "failure",
  compensated: "failure",
  rolled_back: "failure",
  absent: "failure",
  unknown: "unknown",
  review_required: "unknown"
}

/** Every standing. */
export const all = Object.keys(told) as ReadonlyArray<ReconciliationStatus>
