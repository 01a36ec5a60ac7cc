/**
 * Whose approval a call needs before it is started.
 *
 * @since 0.1.0
 */
import * as Approval from "@backstitch/contracts/Approval"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as BreakGlass from "../BreakGlass.ts"
import * as ForkPolicy from "../ForkPolicy.ts"
import * as Terms from "../Terms.ts"

/** Who has to say yes, and why. */
export interface Demand {
  readonly needs: ReadonlyArray<string>
  readonly why: string
  readonly expiresMillis?: number | undefined
}

/** Whose approval the intent needs: by the contract, because it is critical, or by the policy of a fork. */
export const demand = (
  terms: Terms.Terms,
  state: State,
  contract: ToolContract.ToolContract,
  params: Json
): Demand | undefined => {
  const { name: tool } = contract
  const approval = TaskPack.approvalOf(terms.pack, tool)
  if (approval !== undefined && Approval.isNeeded(approval, Terms.bindings(state, { args: params }))) {
    const { by, expiresMillis } = approval
    return { needs: by, why: `${tool} needs the approval of ${by.join(" or ")}`, expiresMillis }
  }
  if (BreakGlass.isReviewed(state, contract)) {
    const { by = ["operator"], expiresMillis } = approval ?? {}
    return { needs: by, why: `${tool} is critical: it is reviewed before it is committed`, expiresMillis }
  }
  return ForkPolicy.asks(state, tool)
    ? { needs: ["operator"], why: `${tool} needs an approval since the run was forked` }
    : undefined
}
