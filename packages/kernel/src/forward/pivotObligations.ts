/**
 * The obligations of a settlement. A pivot that is settled owes the steps behind it. A step that is settled fulfils the
 * obligation for it only if it did the act that was owed.
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ActIdentity from "@backstitch/ledger/ActIdentity"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UsedKeys from "@backstitch/ledger/UsedKeys"
import type { State } from "@backstitch/reducer/State"
import * as Result from "effect/Result"
import * as SagaSteps from "../action/SagaSteps.ts"
import type { CommitContent, Said } from "../decision/CommitContent.ts"
import * as RequestIdentity from "../identity/RequestIdentity.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import { argumentsOf, stepOf } from "./forwardStep.ts"

/** Lists the steps that a settled pivot owes, by subtask. */
export const obligesOf = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  content: CommitContent
): ReadonlyArray<Obligations.Obliges> => {
  const { reconciled } = content
  const id = reconciled?.action?.id ?? ""
  const open = OpenActions.of(state)[id]
  if (open === undefined || open.undoes !== undefined || open.class === "read_only") return []
  const reversibility = reconciled?.data?.undo?.class ?? open.undo?.class
  return SagaSteps.instancesOf(terms, open.undo).flatMap(({ entity, skeleton }) => {
    const isPivot = skeleton.pivot.includes(open.tool) || !["I", "R", "K"].includes(String(reversibility))
    if (!isPivot || Obligations.ofSubtask(state, skeleton.id, entity) !== undefined) return []
    const earlier = SettledActions.inOrder(state)
      .map(([, settled]) => settled)
      .filter((settled) => settled.undo === "standing" && SagaSteps.belongs([{ skeleton, entity }], settled))
    const tools = skeleton.forward.map(({ tool }) => tool)
    const seen = { [open.tool]: Obligations.shown(learnt(terms, open, content)) }
    const about = { entity, id, pivot: id, seen, since: terms.tick, skeleton: skeleton.id, steps: tools }
    const obligation: Obligations.Obligation = { ...about, state: "partially_committed" }
    const steps = tools.filter((tool) => !isDone(terms, state, obligation, { earlier, open, tool }))
    return steps.length === 0 ? [] : [{ entity, skeleton: skeleton.id, steps }]
  })
}

/** An action with its answer and the records that were read since, before it is settled. */
const learnt = (
  terms: DecisionTerms.DecisionTerms,
  open: OpenAction.OpenAction,
  { answered, verified }: CommitContent
): OpenAction.OpenAction => {
  const output = answered?.result?.output ?? null
  const heard = answered === undefined ? open : OpenAction.answeredBy(open, { as: "done", at: terms.now, output })
  return verified === undefined || verified.data?.before !== undefined
    ? heard
    : { ...heard, actual: verified.result?.output ?? null }
}

/** The obligation is for a certain act. If that act cannot be derived, any act of the tool fulfils it. */
const isDone = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  obligation: Obligations.Obligation,
  about: {
    readonly tool: string
    readonly open: OpenAction.OpenAction
    readonly earlier: ReadonlyArray<SettledActions.Settled>
  }
): boolean => {
  const { earlier, open, tool } = about
  const isPivot = open.tool === tool
  const acts = earlier.filter((each) => each.tool === tool)
  if (!isPivot && acts.length === 0) return false
  const owed = argumentsOf(terms.pack, state, obligation, tool)
  if (stepOf(terms.pack, obligation, tool).with === undefined || Result.isFailure(owed)) return true
  const contract = TaskPack.tool(terms.pack, tool)
  if (isPivot && ActIdentity.isSame(contract, open.params, owed.success)) return true
  const keyed = RequestIdentity.derive(terms, state, { contract, params: owed.success, occurrence: 1, generation: 0 })
  if (keyed._tag === "Refused") return true
  // Without the secret that derives the keys, an act is recognised by its request.
  return acts.some(({ key = "" }) => key === keyed.key || UsedKeys.find(state, key)?.requestHash === keyed.requestHash)
}

/** The obligation that a success does not fulfil: the tool did another act than the contract derives. */
export const owesOf = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { action }: Said<"action.reconciled">
): string | undefined => {
  const id = action?.id ?? ""
  if (terms.pack === undefined) return undefined
  const obligation = Obligations.ofAction(state, id)
  const open = OpenActions.of(state)[id]
  if (obligation === undefined || open === undefined) return undefined
  if (stepOf(terms.pack, obligation, open.tool).with === undefined) return undefined
  const owed = argumentsOf(terms.pack, state, obligation, open.tool)
  if (Result.isFailure(owed)) return undefined
  return ActIdentity.isSame(TaskPack.tool(terms.pack, open.tool), open.params, owed.success) ? undefined : obligation.id
}
