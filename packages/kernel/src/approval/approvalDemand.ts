/**
 * The approval that a call needs before it starts: the roles that may give it, and the reason.
 *
 * | a call needs one if | from |
 * | --- | --- |
 * | the rule of its tool in the pack holds, or cannot be evaluated | those that the rule names |
 * | its class is critical, whatever the pack says | the same, or an operator |
 * | a fork has added that rule for its tool | an operator |
 * | its tool takes no key, and a run of the lineage made the same request | an operator |
 */
import * as ApprovalRule from "@backstitch/contracts/ApprovalRule"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import type { Passed } from "../decision/validatedCall.ts"
import * as Finding from "../payload/Finding.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"
import * as ForkPolicy from "../state/ForkPolicy.ts"
import * as Approvers from "./Approvers.ts"
import * as BreakGlass from "./BreakGlass.ts"

/** The roles that may approve, and the reason why an approval is needed. */
export interface Demand {
  readonly needs: ReadonlyArray<string>
  readonly why: Finding.Finding
  readonly expiresMillis?: number | undefined
}

/** Finds the approval that an intent needs because of the contract, its critical class, or the policy of a fork. */
export const demand = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  contract: ToolContract.ToolContract,
  params: Json
): Demand | undefined => {
  const { name: tool } = contract
  const approval = TaskPack.approvalOf(terms.pack, tool)
  if (approval !== undefined && ApprovalRule.isNeeded(approval, ExpressionScope.bindings(state, { args: params }))) {
    const { by, expiresMillis } = approval
    return { needs: by, why: Finding.make("approval.needed", { tool }), expiresMillis }
  }
  if (BreakGlass.isReviewed(contract)) {
    const { by = [Approvers.byDefault], expiresMillis } = approval ?? {}
    return { needs: by, why: Finding.make("approval.critical", { tool }), expiresMillis }
  }
  return ForkPolicy.asks(state, tool)
    ? { needs: [Approvers.byDefault], why: Finding.make("approval.forked", { tool }) }
    : undefined
}

/**
 * Asks an operator whether a call without a key should be made once more, if another run of the lineage made the same
 * request.
 */
export const repeated = ({ isWanted, met }: Passed): Demand | undefined => {
  if (met?.lineage === undefined || isWanted === true) return undefined
  return { needs: [Approvers.byDefault], why: Finding.make("act.repeated", met.lineage) }
}
