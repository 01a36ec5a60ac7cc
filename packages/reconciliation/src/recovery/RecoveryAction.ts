/**
 * The actions of recovery: the meaning of each for the action that it is about, and whether it sends anything that
 * changes the world.
 *
 * @source Action Verification, "Rollback, Compensation, and Forward Recovery" and "Recovery Strategy Matrix"
 */
import type * as ActionState from "@backstitch/ledger/ActionState"

/** The strategies of Action Verification's matrix, and `none` for what only looks, settles or refuses. */
export type Strategy = "rollback" | "compensation" | "forward_recovery" | "review" | "hold" | "incident" | "none"

/**
 * A recovery.
 *
 * **Details**
 *
 * `sends` says what it sends to the world: nothing, the same request again, an
 * action that reverses the first, or the steps that are left. `leadsTo` is the
 * state that the action is in while or after it runs; `null` leaves it where it is.
 */
export interface Definition {
  readonly meaning: string
  readonly strategy: Strategy
  readonly sends: "nothing" | "the same request" | "a reversal" | "the remaining steps"
  readonly leadsTo: ActionState.State | null
}

/** The recoveries. */
export const definitions = {
  settle_as_is: {
    meaning: "settle as a success that changed nothing, and record that",
    strategy: "none",
    sends: "nothing",
    leadsTo: "reconciled_success"
  },
  record_replay: {
    meaning: "record the repetition; the result is the one that was wanted",
    strategy: "none",
    sends: "nothing",
    leadsTo: "reconciled_success"
  },
  retry_verification: {
    meaning: "read back again, later",
    strategy: "none",
    sends: "nothing",
    leadsTo: null
  },
  force_strong_read: {
    meaning: "read the primary, or an endpoint bound to the commit; replicas and caches do not count",
    strategy: "none",
    sends: "nothing",
    leadsTo: null
  },
  poll_key_record: {
    meaning: "ask what became of the original key, until it is settled",
    strategy: "none",
    sends: "nothing",
    leadsTo: "unknown"
  },
  retry_same_key: {
    meaning: "send the same request again, under the key that it had",
    strategy: "forward_recovery",
    sends: "the same request",
    leadsTo: "forward_recovery"
  },
  refresh_and_replan: {
    meaning: "fail this attempt, read current state, and let the planner decide on that",
    strategy: "none",
    sends: "nothing",
    leadsTo: "failed"
  },
  roll_back: {
    meaning: "abort the local transaction that is still open, and verify that nothing remains",
    strategy: "rollback",
    sends: "nothing",
    leadsTo: "rolled_back"
  },
  compensate: {
    meaning: "run the action that reverses it, and verify that",
    strategy: "compensation",
    sends: "a reversal",
    leadsTo: "compensating"
  },
  compensate_and_stop: {
    meaning: "reverse it, verify that, and end the workflow",
    strategy: "compensation",
    sends: "a reversal",
    leadsTo: "compensating"
  },
  compensate_backward: {
    meaning: "reverse the steps that took effect, the last one first",
    strategy: "compensation",
    sends: "a reversal",
    leadsTo: "compensating"
  },
  recover_forward: {
    meaning: "complete the remaining steps, each under its own key",
    strategy: "forward_recovery",
    sends: "the remaining steps",
    leadsTo: "forward_recovery"
  },
  report_unverified: {
    meaning: "go on, and say that the result was not verified",
    strategy: "none",
    sends: "nothing",
    leadsTo: null
  },
  mark_dirty: {
    meaning: "call it failed, and mark as dirty what it worked in: nothing is to be built on that",
    strategy: "none",
    sends: "nothing",
    leadsTo: "failed"
  },
  hold_pending: {
    meaning: "keep it open, send nothing, and verify again once the provider answers",
    strategy: "hold",
    sends: "nothing",
    leadsTo: "unknown"
  },
  defer: {
    meaning: "do not execute now: wait for the provider, and fail cleanly at the deadline",
    strategy: "none",
    sends: "nothing",
    leadsTo: null
  },
  revalidate_approval: {
    meaning: "ask again under the policy that is in force now",
    strategy: "none",
    sends: "nothing",
    leadsTo: null
  },
  fail_closed: {
    meaning: "refuse to execute",
    strategy: "hold",
    sends: "nothing",
    leadsTo: "failed"
  },
  hold_and_escalate: {
    meaning: "freeze the workflow, keep the trace, and ask an operator",
    strategy: "hold",
    sends: "nothing",
    leadsTo: "review_required"
  },
  freeze_and_reconcile: {
    meaning: "freeze the target, and let a person find out what happened",
    strategy: "hold",
    sends: "nothing",
    leadsTo: "review_required"
  },
  freeze_and_alert: {
    meaning: "freeze the target, and alert who is responsible for it",
    strategy: "incident",
    sends: "nothing",
    leadsTo: "review_required"
  },
  freeze_and_alarm: {
    meaning: "freeze everything in reach, and treat it as a breach until it is shown not to be one",
    strategy: "incident",
    sends: "nothing",
    leadsTo: "review_required"
  },
  review: {
    meaning: "let a person decide",
    strategy: "review",
    sends: "nothing",
    leadsTo: "review_required"
  },
  open_incident: {
    meaning: "let a person decide, and open an incident",
    strategy: "incident",
    sends: "nothing",
    leadsTo: "review_required"
  }
} as const satisfies Readonly<Record<string, Definition>>

/** Name of a recovery. */
export type RecoveryAction = keyof typeof definitions

/** Answers the definition of a recovery action. */
export const definition = (self: RecoveryAction): Definition => definitions[self]

/** Tells whether a name is that of a recovery. */
export const isOne = (name: string): name is RecoveryAction => Object.hasOwn(definitions, name)

/** Tells whether what was decided, if it is known, leaves the action to a person. */
export const needsPerson = (name: string | undefined): boolean =>
  name !== undefined && isOne(name) && definition(name).leadsTo === "review_required"
