/**
 * A settled failure that happened after all, according to its provider or its record.
 *
 * As long as the dispute is open, no run begins the act again. It ends if a person finds that the act did not happen,
 * or is no longer there. A note that a person has looked ends nothing, because it does not say what they found.
 *
 * @see LateEvidence and LateReadback, which open the dispute
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import type { State } from "@backstitch/reducer/State"
import type { Transition } from "@backstitch/trace/Transition"
import * as ArrivalWindow from "../action/ArrivalWindow.ts"
import * as DecisionRules from "../decision/DecisionRules.ts"
import type * as StoreQuery from "../decision/StoreQuery.ts"
import * as Check from "../payload/Check.ts"
import * as Reviews from "../review/Reviews.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"

/** Tells whether an action is settled as a failure, and its provider says that it happened. */
export const isOne = (state: State, action: string): boolean => {
  const dispute = Reviews.dispute(state, action)
  const isOpen = OpenActions.of(state)[action] !== undefined
  const isBound = DecisionRules.binds(state, DecisionRules.failuresInDispute)
  return isBound && !isOpen && dispute !== undefined && Reviews.endedBy(dispute) === "failure"
}

/** Queries the trace that says when the action was sent last. The state keeps no times of settled actions. */
export const query = ({ run }: DecisionTerms.DecisionTerms): StoreQuery.StoreQuery & { readonly _tag: "Trace" } => ({
  _tag: "Trace",
  run: run.id,
  from: 1
})

/** Refuses the verdict that it did not happen while its request may still arrive (decision 0036). */
export const arriving = (
  terms: DecisionTerms.DecisionTerms,
  action: string,
  transitions: Iterable<Transition>
): Check.Check | undefined => {
  const request = RecordedRequest.of(transitions, action)
  if (request === undefined) return undefined
  const { startedAt, tool } = request
  const until = ArrivalWindow.closesAt(TaskPack.tool(terms.pack, tool), startedAt)
  const left = ArrivalWindow.left(terms, { startedAt, until })
  return left > 0 ? Check.fail("approval", action, "action.arriving", { action, overAt: terms.now + left }) : undefined
}
