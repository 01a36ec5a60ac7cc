/**
 * Refuses a planner's reversal of a step before a passed pivot.
 *
 * A reversal that a planner proposes is an action like any other, and it knows
 * nothing of the pivot. So the contract is asked which settled actions the call
 * would undo. Behind the pivot the subtask is completed, as the kernel does it,
 * or a person decides; a call that waits for a person's approval anyway is
 * theirs to decide. What the contract lists in `undo_behind_pivot`, or as a step
 * behind the pivot, is foreseen.
 *
 * @source Action Verification, "The Pivot Transaction"; docs/decisions/0012
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as Saga from "@backstitch/ledger/Saga"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as Subtask from "../action/Subtask.ts"
import { demand } from "../approval/requiredApproval.ts"
import * as RequestIdentity from "../names/RequestIdentity.ts"
import * as Check from "../payload/Check.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"

interface Call {
  readonly contract: ToolContract.ToolContract
  readonly params: Json
}

/** The checks that a planner's call does not pass because it would go back across a pivot: none for any other call. */
export const refusals = (terms: DecisionTerms.DecisionTerms, state: State, call: Call): ReadonlyArray<Check.Check> => {
  const { skeletons = {}, tools = {} } = terms.pack ?? {}
  // Most calls undo nothing by any contract: for them what was settled is not looked through.
  if (Object.keys(skeletons).length === 0) return []
  if (!Object.values(tools).some(({ undo }) => undo.by === call.contract.name)) return []
  const undone = undoneBy(state, call)
  if (undone.length === 0 || demand(terms, state, call.contract, call.params) !== undefined) return []
  return undone.flatMap(([action, settled]) =>
    Subtask.instancesOf(terms, settled).flatMap((instance) => {
      const { forward, id, undoBehindPivot } = instance.skeleton
      const isForeseen = undoBehindPivot.includes(call.contract.name)
      if (isForeseen || forward.some((step) => step.tool === call.contract.name)) return []
      const pivot = behind(Subtask.stepsOf(terms, state, [instance]), action)
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

/**
 * Lists the settled actions whose effect stands and that a call would undo, by the calls that were registered for them.
 */
const undoneBy = (state: State, { contract, params }: Call): ReadonlyArray<readonly [string, SettledActions.Settled]> =>
  SettledActions.inOrder(state).filter(
    ([, settled]) =>
      settled.by === contract.name &&
      !EffectStatus.isGone(settled) &&
      settled.with !== undefined &&
      isSame(state, contract, [params, settled.with])
  )

/** Perhaps the same act by its identity, or one on the same target; of a tool without either, the same arguments. */
const isSame = (state: State, contract: ToolContract.ToolContract, [one, other]: readonly [Json, Json]): boolean => {
  if (contract.identity !== undefined && RequestIdentity.mayBeSame(contract, one, other)) return true
  const [left, right] = [one, other].map((params) => RequestIdentity.targetOf(state, contract, params))
  if (left !== undefined && right !== undefined && Result.isSuccess(left) && Result.isSuccess(right)) {
    if (left.success !== undefined) return left.success === right.success
  }
  return contract.identity === undefined && Canonical.equals(one, other)
}

/** The point of no return that an action lies before, or is by the word of the contract. */
const behind = (steps: ReadonlyArray<Saga.Step>, action: string): string | undefined => {
  const pivot = Saga.pivot(steps)
  const own = steps.find((step) => step.action === action)
  if (pivot === undefined || own === undefined) return undefined
  return steps.indexOf(own) < steps.indexOf(pivot) || (own === pivot && pivot.pivot === true) ? pivot.action : undefined
}

/** The steps that remain of a subtask, where some do: to complete them is the other way. */
const remainingOf = (
  state: State,
  { entity, skeleton }: Subtask.Instance
): { readonly steps?: ReadonlyArray<string> } => {
  const obligation = Obligations.all(state).find(
    (each) => each.skeleton === skeleton.id && Canonical.encode(each.entity) === Canonical.encode(entity)
  )
  return obligation === undefined ? {} : { steps: obligation.steps }
}
