/**
 * The standing of an action's effect, as recovery counts it: open, standing or undone, by the nineteen states.
 *
 * An effect is closed only once its action is reconciled: an action that is committed, accepted or failed to
 * reconcile has an open effect. An action that a person abandoned has an open effect for ever, since its outcome
 * remains unknown. The effect of a reconciled success stands or is undone, by the relation of the action to the one
 * that undoes it.
 *
 * | the effect | states |
 * | --- | --- |
 * | is undone, or never began | Proposed, Validated, Failed, Compensated, Rolled Back |
 * | stands | Reconciled Success |
 * | is open | every other |
 *
 * @source Action Verification, "Technical System States and Transitions"
 */
import type * as Effect from "@backstitch/admissibility/Effect"
import type * as ActionState from "@backstitch/ledger/ActionState"
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as EndedActions from "@backstitch/ledger/EndedActions"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type { State } from "@backstitch/reducer/State"

/** The standing of an effect. */
export type EffectStanding = Effect.Effect["standing"]

/** The standing of an effect by the state of its action. */
export const standings: { readonly [S in ActionState.State]: EffectStanding } = {
  proposed: "undone",
  validated: "undone",
  executing: "open",
  accepted: "open",
  pending: "open",
  committed: "open",
  partially_committed: "open",
  reconciled_success: "stands",
  reconciliation_failed: "open",
  failed: "undone",
  verification_timeout: "open",
  unknown: "open",
  compensating: "open",
  compensated: "undone",
  compensation_failed: "open",
  forward_recovery: "open",
  rolled_back: "undone",
  review_required: "open",
  abandoned: "open"
}

/** The standing of the effect of an action that was requested. */
export const of = (state: State, action: string): EffectStanding => {
  const settled = SettledActions.of(state).get(action)
  if (settled !== undefined) {
    return EffectStatus.isGone(settled) ? "undone" : settled.undo === "standing" ? "stands" : "open"
  }
  const known = OpenActions.of(state)[action] ?? EndedActions.of(state).get(action)
  return known === undefined ? "undone" : standings[known.state]
}
