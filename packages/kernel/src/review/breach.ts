/**
 * The breach of a run: an act whose effect is on what belongs to another tenant, target, account, actor or region.
 *
 * The recovery table freezes such an act and raises an alarm. Until a person has decided about it, no agent of the run
 * changes anything more, since what sent one act astray may send the next one there, too. Reads go on, and so do the
 * steps that the kernel owes: what is undone, and what remains behind a pivot.
 *
 * A breach is read from the state: from the triggers of the open review, and from the record of the act. Where only the
 * status of a key shows it, a review is asked for in every class.
 *
 * @source Action Verification, "Planning Adaptation": wrong target or tenant drift
 */

import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import type { State } from "@backstitch/reducer/State"
import * as ActionInFlight from "../action/ActionInFlight.ts"
import * as DecisionRules from "../decision/DecisionRules.ts"
import * as Check from "../payload/Check.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Expectations from "../verification/Expectations.ts"
import * as ScopeCheck from "../verification/ScopeCheck.ts"
import * as Reviews from "./Reviews.ts"

/** Refuses changes by an agent while a person has to look at an act that crossed a boundary. */
export const breached = (terms: DecisionTerms.DecisionTerms, state: State): ReadonlyArray<Check.Check> => {
  if (!DecisionRules.binds(state, DecisionRules.breachesStop)) return []
  return Object.keys(OpenActions.of(state)).flatMap((id) => {
    const subject = ActionInFlight.findAction(terms, state, id)
    if (subject === undefined || !OpenAction.isFrozen(subject.open)) return []
    if (!isReviewed(state, id) && !isShown(subject)) return []
    const { open } = subject
    return [
      Check.fail("policy", id, "breach.open", { action: id, state: open.state, tick: open.tick, tool: open.tool })
    ]
  })
}

/** Tells whether a trigger of a review names a crossed boundary. */
export const isCrossed = (trigger: string): boolean => crossed.includes(trigger)

const crossed: ReadonlyArray<string> = [
  "policy_violation",
  "sandbox_escape",
  "wrong_tenant"
] satisfies ReadonlyArray<VerificationDepth.Trigger>

const isReviewed = (state: State, id: string): boolean =>
  Reviews.ofVerification(state).some(([, { action, triggers = [] }]) => action === id && triggers.some(isCrossed))

/** Tells whether the record of an act is outside of its scope, or fails an expectation that stands for its target. */
const isShown = (subject: ActionInFlight.ActionInFlight): boolean => {
  const { actual } = subject.open
  if (actual === undefined || actual === null) return false
  if (ScopeCheck.strays(ScopeCheck.of(subject, actual))) return true
  const expect = (subject.contract.readback?.expect ?? []).filter(({ otherwise }) => otherwise === astray)
  const names = ScopeCheck.bindings(subject, actual)
  return Expectations.against(expect, names, { _tag: "Ok", output: actual }).some(({ held }) => held === false)
}

const astray = "wrong_target_modified"
