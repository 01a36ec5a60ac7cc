/**
 * The request for an approval: what it binds, and the review that asks for it. The call is parked until a person
 * decides.
 *
 * A review is requested once. The same call, proposed again while nobody has decided, waits for the same review.
 */
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import { defined } from "@backstitch/trace/Defined"
import * as CommitContent from "../decision/CommitContent.ts"
import { type Decision, end } from "../decision/Decision.ts"
import { described, intent, usage, versionOf } from "../decision/intentBody.ts"
import type { Passed } from "../decision/validatedCall.ts"
import type * as Payload from "../payload/Payload.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import type { Demand } from "./approvalDemand.ts"
import type * as IntentApproval from "./IntentApproval.ts"

/** Makes the request for an approval of exactly this call. */
export const asking = ({ contract, hash, keyed, proposal }: Passed, asked: Demand): IntentApproval.ApprovalNeed => ({
  ...asked,
  tool: contract.name,
  requestHash: keyed.requestHash,
  context: hash,
  occurrence: proposal.occurrence ?? 1,
  repeatable: keyed.key !== undefined || !ToolContract.isMutating(contract)
})

/**
 * Commits that an approval is not used because it is for another call or contract (rows 20 and 21 of Action
 * Verification).
 */
const unused = (
  terms: DecisionTerms.DecisionTerms,
  contract: Passed["contract"],
  { approval, finding }: IntentApproval.Mismatch
): CommitContent.Said<"recovery.decided"> => {
  const isAmended = finding === "policy_version_mismatch"
  const differs = isAmended ? { policyCurrent: false } : { approvalMatches: false }
  const { action, row, section } = RecoveryTable.decideBy(
    terms.recovery ?? RecoveryTable.sections,
    finding,
    contract.class,
    { ...RecoveryRow.calm, ...differs, executed: false }
  )
  const policyVersion = RecoveryTable.policyVersion(terms.recovery)
  return { data: { approval, decision: action, policyVersion, row, section, tool: contract.name } }
}

/** Parks a call until a person approves it. The review is requested only once. */
export const park = (
  terms: DecisionTerms.DecisionTerms,
  {
    completes,
    contract,
    met,
    proposal,
    undoes
  }: Pick<Passed, "completes" | "contract" | "met" | "proposal" | "undoes">,
  about: IntentApproval.ApprovalNeed,
  answer: IntentApproval.IntentApproval & { readonly _tag: "Pending" | "Unasked" }
): Decision => {
  const { context, expiresMillis, needs, occurrence, requestHash, tool, why } = about
  const { check, id } = answer
  const params = proposal.params ?? {}
  const since = answer._tag === "Pending" ? answer.review.tick : terms.tick + 1
  const body: Payload.BodyOf<"policy.decision"> = {
    ...described(proposal, "kernel"),
    data: {
      checks: [check],
      ...defined({ met }),
      needs,
      params,
      proposed: "action.request",
      review: id,
      since,
      tool,
      why,
      ...defined({ completes, undoes })
    },
    ...intent(proposal, undefined),
    policy: {
      checks: ["approval"],
      decision: "escalate",
      version: versionOf(terms)
    },
    type: "policy.decision"
  }
  const parked = { _tag: "Parked", tick: terms.tick, needs, why, review: id } as const
  const escalated = DecisionTerms.draft(terms, body, usage(proposal))
  if (answer._tag === "Pending") return end(parked, CommitContent.records(escalated))
  const { binding, mismatch } = answer
  const requested = DecisionTerms.draft(terms, {
    author: "kernel",
    data: {
      binding,
      bound: {
        ...defined({ context }),
        occurrence,
        ...(terms.pack === undefined ? {} : { pack: terms.pack.digest })
      },
      ...defined({ expiresMillis }),
      needs,
      params,
      requestHash,
      review: id,
      tool,
      why
    },
    type: "review.requested"
  })
  return end(parked, {
    ...CommitContent.records(escalated, requested),
    ...(mismatch === undefined ? {} : { unused: unused(terms, contract, mismatch) })
  })
}
