/**
 * The last step of the commit path, for proposals and reversals alike: a call starts, waits for an approval, or is
 * refused because a person has denied it.
 *
 * A run that only observes its pack asks nobody. Broken glass stands for an approval that nobody has given yet, and
 * overrules no denial.
 */
import type { State } from "@backstitch/reducer/State"
import { type Demand, demand, repeated } from "../approval/approvalDemand.ts"
import { asking, park } from "../approval/approvalRequest.ts"
import * as BreakGlass from "../approval/BreakGlass.ts"
import * as IntentApproval from "../approval/IntentApproval.ts"
import type { Decision } from "../decision/Decision.ts"
import type { Passed } from "../decision/validatedCall.ts"
import * as Check from "../payload/Check.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Enforcement from "../state/Enforcement.ts"
import { refuse } from "./refusal.ts"
import { start } from "./start.ts"

/** Decides a call that passed every check: it starts, or waits for the approval that it needs. */
export const admitted = (terms: DecisionTerms.DecisionTerms, state: State, passed: Passed): Decision => {
  const needed = needs(terms, state, passed)
  if (needed === undefined) return start(terms, state, passed)
  const request = asking(passed, needed)
  const answer = IntentApproval.of(terms, state, request)
  const { contract, keyed, proposal } = passed
  const glass = BreakGlass.of(terms, { contract, proposal, requestHash: keyed.requestHash })
  // Broken glass replaces a decision that nobody made yet. It does not overrule a denial.
  if (glass !== undefined && (answer._tag === "Pending" || answer._tag === "Unasked")) {
    const replaces = answer._tag === "Pending" ? answer.id : undefined
    return start(terms, state, { ...passed, glass: { ...glass, needs: needed.needs, replaces } })
  }
  return approved(terms, state, passed, { request, answer })
}

/** Finds the denial of exactly this call, if its approval was denied. */
export const denial = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  passed: Passed
): (IntentApproval.IntentApproval & { readonly _tag: "Denied" }) | undefined => {
  const needed = needs(terms, state, passed)
  const answer = needed && IntentApproval.of(terms, state, asking(passed, needed))
  return answer?._tag === "Denied" ? answer : undefined
}

/**
 * Parks a call that has begun and was not sent, if it needs a new approval because the earlier one has expired or is
 * for another contract. `undefined` if the call may be sent.
 */
export const waiting = (terms: DecisionTerms.DecisionTerms, state: State, passed: Passed): Decision | undefined => {
  const needed = needs(terms, state, passed)
  if (needed === undefined) return undefined
  // The earlier approval was for this call, which has begun and is counted already.
  const request = { ...asking(passed, needed), repeatable: true }
  const answer = IntentApproval.of(terms, state, request)
  return answer._tag === "Pending" || answer._tag === "Unasked" ? park(terms, passed, request, answer) : undefined
}

const needs = (terms: DecisionTerms.DecisionTerms, state: State, passed: Passed): Demand | undefined => {
  const { contract, params } = passed
  if (Enforcement.isObserved(state, [contract.name, "action.request"])) return undefined
  return demand(terms, state, contract, params) ?? repeated(passed)
}

/**
 * Decides a call by its approval. The call starts if exactly this call is approved, is refused if it was denied, and
 * waits otherwise.
 */
export const approved = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  passed: Passed,
  { answer, request }: { readonly answer: IntentApproval.IntentApproval; readonly request: IntentApproval.ApprovalNeed }
): Decision => {
  const { checks, contract, proposal } = passed
  switch (answer._tag) {
    case "Granted": {
      const { expiresAt, id, review } = answer
      const { by = "", requestHash, role = "" } = review
      const approval = { approver: by, ...(expiresAt === undefined ? {} : { expiresAt }), id, requestHash, role }
      return start(terms, state, { ...passed, checks: [...checks, Check.pass("approval", contract.name)], approval })
    }
    case "Denied":
      return refuse(terms, state, { proposal, checks: [...checks, answer.check] })
    default:
      return park(terms, passed, request, answer)
  }
}
