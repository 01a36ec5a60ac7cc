/**
 * The actions of recovery: the state to which each leads, and whether it sends anything that changes the world.
 *
 * @source Action Verification, "Rollback, Compensation, and Forward Recovery" and "Recovery Strategy Matrix"
 */
import type * as ActionState from "@backstitch/ledger/ActionState"

/** The strategies of Action Verification's matrix, and `none` for actions that only read, settle or refuse. */
export type Strategy = "rollback" | "compensation" | "forward_recovery" | "review" | "hold" | "incident" | "none"

/**
 * A recovery.
 *
 * **Details**
 *
 * `sends` names what it sends to the world: nothing, the same request again, a reversal, or the remaining steps.
 * `leadsTo` is the state of the action during or after the recovery; `null` leaves it unchanged.
 */
export interface RecoveryDefinition {
  readonly strategy: Strategy
  readonly sends: "nothing" | "same_request" | "reversal" | "remaining_steps"
  readonly leadsTo: ActionState.State | null
}

/** Each action of recovery, with what follows from it. */
export const definitions = {
  settle_as_is: {
    strategy: "none",
    sends: "nothing",
    leadsTo: "reconciled_success"
  },
  record_replay: {
    strategy: "none",
    sends: "nothing",
    leadsTo: "reconciled_success"
  },
  retry_verification: {
    strategy: "none",
    sends: "nothing",
    leadsTo: null
  },
  force_strong_read: {
    strategy: "none",
    sends: "nothing",
    leadsTo: null
  },
  poll_key_record: {
    strategy: "none",
    sends: "nothing",
    leadsTo: "unknown"
  },
  retry_same_key: {
    strategy: "forward_recovery",
    sends: "same_request",
    leadsTo: "forward_recovery"
  },
  refresh_and_replan: {
    strategy: "none",
    sends: "nothing",
    leadsTo: "failed"
  },
  roll_back: {
    strategy: "rollback",
    sends: "nothing",
    leadsTo: "rolled_back"
  },
  compensate: {
    strategy: "compensation",
    sends: "reversal",
    leadsTo: "compensating"
  },
  compensate_and_stop: {
    strategy: "compensation",
    sends: "reversal",
    leadsTo: "compensating"
  },
  compensate_backward: {
    strategy: "compensation",
    sends: "reversal",
    leadsTo: "compensating"
  },
  recover_forward: {
    strategy: "forward_recovery",
    sends: "remaining_steps",
    leadsTo: "forward_recovery"
  },
  report_unverified: {
    strategy: "none",
    sends: "nothing",
    leadsTo: null
  },
  mark_dirty: {
    strategy: "none",
    sends: "nothing",
    leadsTo: "failed"
  },
  hold_pending: {
    strategy: "hold",
    sends: "nothing",
    leadsTo: "unknown"
  },
  defer: {
    strategy: "none",
    sends: "nothing",
    leadsTo: null
  },
  revalidate_approval: {
    strategy: "none",
    sends: "nothing",
    leadsTo: null
  },
  fail_closed: {
    strategy: "hold",
    sends: "nothing",
    leadsTo: "failed"
  },
  hold_and_escalate: {
    strategy: "hold",
    sends: "nothing",
    leadsTo: "review_required"
  },
  freeze_and_reconcile: {
    strategy: "hold",
    sends: "nothing",
    leadsTo: "review_required"
  },
  freeze_and_alert: {
    strategy: "incident",
    sends: "nothing",
    leadsTo: "review_required"
  },
  freeze_and_alarm: {
    strategy: "incident",
    sends: "nothing",
    leadsTo: "review_required"
  },
  review: {
    strategy: "review",
    sends: "nothing",
    leadsTo: "review_required"
  },
  open_incident: {
    strategy: "incident",
    sends: "nothing",
    leadsTo: "review_required"
  }
} as const satisfies Readonly<Record<string, RecoveryDefinition>>

/** Name of a recovery. */
export type RecoveryAction = keyof typeof definitions

/** Answers the definition of a recovery action. */
export const definition = (self: RecoveryAction): RecoveryDefinition => definitions[self]

/** Tells whether a name is that of a recovery. */
export const isOne = (name: string): name is RecoveryAction => Object.hasOwn(definitions, name)

/** Tells whether a decision, if there is one, leaves the action to a person. */
export const needsPerson = (name: string | undefined): boolean =>
  name !== undefined && isOne(name) && definition(name).leadsTo === "review_required"
