/**
 * Refuses a planner's reversal of a step before a passed pivot.
 *
 * A reversal that a planner proposes is an action like any other, and does not consider the pivot. So this module
 * asks the contract which settled actions the call would undo. Behind the pivot, the kernel completes the subtask, or
 * a person decides. A call that needs a person's approval anyway is not refused here. A tool that the contract lists
 * in `undo_behind_pivot`, or as a step behind the pivot, is allowed.
 *
 * @source Action Verification, "The Pivot Transaction"; docs/decisions/0012
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as ActIdentity from "@backstitch/ledger/ActIdentity"
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as SagaSteps from "../action/SagaSteps.ts"
import { demand } from "../approval/approvalDemand.ts"
import * as RequestIdentity from "../identity/RequestIdentity.ts"
import * as Check from "../payload/Check.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"

interface Call {
  readonly contract: ToolContract.ToolContract
  readonly params: Json
}

/**
 * The failing checks of a planner's call that would undo an action from before a passed pivot; none for any other
 * call.
 */
export const refusals = (terms: DecisionTerms.DecisionTerms, state: State, call: Call): ReadonlyArray<Check.Check> => {
  const { skeletons = {}, tools = {} } = terms.pack ?? {}
  // Most calls undo nothing under any contract. For these, the settled actions need not be searched.
  if (Object.keys(skeletons).length === 0) return []
  if (!Object.values(tools).some(({ undo }) => undo.by === call.contract.name)) return []
  const undone = undoneBy(state, call)
  if (undone.length === 0 || demand(terms, state, call.contract, call.params) !== undefined) return []
  return undone.flatMap(([action, settled]) =>
    SagaSteps.instancesOf(terms, settled).flatMap((instance) => {
      const { forward, id, undoBehindPivot } = instance.skeleton
      const isForeseen = undoBehindPivot.includes(call.contract.name)
      if (isForeseen || forward.some((step) => step.tool === call.contract.name)) return []
      const pivot = SagaSteps.pivotBehind(SagaSteps.of(terms, state, [instance]), action)
      if (pivot === undefined) return []
      const tool = SettledActions.of(state).get(pivot)?.tool ?? ""
      return [
        Check.fail("policy", `pivot.${id}`, "pivot.passed", {
          action,
          pivot,
          skeleton: id,
          ...remainingOf(state, instance),
          tool: call.contract.name,
          tools: { pivot: tool, undone: settled.tool }
        })
      ]
    })
  )
}

/** Lists the settled actions that a call would undo: their effect stands, and it is the call that was registered. */
const undoneBy = (state: State, { contract, params }: Call): ReadonlyArray<readonly [string, SettledActions.Settled]> =>
  SettledActions.inOrder(state).filter(
    ([, settled]) =>
      settled.by === contract.name &&
      !EffectStatus.isGone(settled) &&
      settled.with !== undefined &&
      isSame(state, contract, [params, settled.with])
  )

/**
 * Tells whether two calls may be the same act: by identity or target, or by their arguments if the tool has neither.
 */
const isSame = (state: State, contract: ToolContract.ToolContract, [one, other]: readonly [Json, Json]): boolean => {
  if (contract.identity !== undefined && ActIdentity.mayBeSame(contract, one, other)) return true
  const [left, right] = [one, other].map((params) => RequestIdentity.targetOf(state, contract, params))
  if (left !== undefined && right !== undefined && Result.isSuccess(left) && Result.isSuccess(right)) {
    if (left.success !== undefined) return left.success === right.success
  }
  return contract.identity === undefined && Canonical.equals(one, other)
}

/** The remaining steps of a subtask, if there are any: completing them is the alternative to the reversal. */
const remainingOf = (
  state: State,
  { entity, skeleton }: SagaSteps.Instance
): { readonly steps?: ReadonlyArray<string> } => {
  const obligation = Obligations.ofSubtask(state, skeleton.id, entity)
  return obligation === undefined ? {} : { steps: obligation.steps }
}
