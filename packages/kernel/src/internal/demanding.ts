/**
 * Whose approval a call needs before it is started.
 *
 * @since 0.1.0
 */
import type * as Approval from "@backstitch/contracts/Approval"
import * as Condition from "@backstitch/contracts/Condition"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
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
  const approval = terms.pack?.approvals[tool]
  if (approval !== undefined && needed(approval, Terms.bindings(state, { args: params }))) {
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

/** A rule that cannot be evaluated asks: silence is not permission. */
const needed = (approval: Approval.Approval, scope: Readonly<Record<string, unknown>>): boolean => {
  if (approval.when === undefined) return true
  const held = Condition.holds(approval.when, scope)
  return Result.isFailure(held) || held.success
}
