/**
 * The acts that stand although a revision has given them up: nothing undoes them, or a person has called their undoing
 * off.
 *
 * | given up by a plan | until |
 * | --- | --- |
 * | in conflict with a clause that was set or added | its contract's own condition, or else the clause, holds again |
 * | in conflict with any clause | a later revision changes the clause, and finds no conflict |
 * | discarded with acts in conflict | each of these fits again |
 *
 * **Details**
 *
 * An act that a plan is still to undo is not listed: its end is open. A condition that says nothing about the clause's
 * former value, as after an answer of a judge, shows nothing.
 *
 * @source Revisable by Design, section 4.2; docs/decisions/0084
 */
import * as Condition from "@backstitch/contracts/Condition"
import * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import * as Payload from "../payload/Payload.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"
import * as Goal from "../state/Goal.ts"
import * as ClauseChange from "./ClauseChange.ts"

/** An act that no longer fits and stands. It has no clauses if it was discarded with others that are in conflict. */
export interface UnfitAct {
  readonly action: string
  readonly tool: string
  readonly clauses: ReadonlyArray<string>
}

/** A conflict of an act with a clause. A measured one was found by a condition, which may hold again. */
interface Found {
  readonly clause: string
  readonly isMeasured: boolean
}

/** The conflicts of acts, and the acts in conflict with which others were discarded. */
interface Verdicts {
  readonly conflicts: Map<string, ReadonlyArray<Found>>
  readonly discarded: Map<string, ReadonlyArray<string>>
  /** Arguments of calls, by action. */
  readonly params: Map<string, Json>
}

/** An act that changed the world: its tool, and whether its effect stands and is to stay. */
interface SettledAct {
  readonly stays: boolean
  readonly tool: string
}

/** Lists the acts of a run that stand and no longer fit, from all of its transitions. */
export const of = (
  pack: TaskPack.TaskPack | undefined,
  state: State,
  transitions: Iterable<Transition>
): ReadonlyArray<UnfitAct> => {
  if (pack === undefined || Goal.of(state).revisedAt === undefined) return []
  const acts = actsOf(state)
  const { conflicts, discarded, params } = read(pack, transitions, acts)
  const contrary = new Map(
    [...conflicts].map(([action, found]) => {
      const contract = TaskPack.tool(pack, acts.get(action)?.tool ?? "")
      const holding = (each: Found) =>
        each.isMeasured && holds(pack, state, { contract, params: params.get(action) }, each)
      return [action, found.flatMap((each) => (holding(each) ? [] : [each.clause]))] as const
    })
  )
  const isContrary = (action: string) => (contrary.get(action) ?? []).length > 0
  return [...acts].flatMap(([action, { stays, tool }]): ReadonlyArray<UnfitAct> => {
    const isUnfit = isContrary(action) || (discarded.get(action) ?? []).some(isContrary)
    return stays && isUnfit ? [{ action, tool, clauses: contrary.get(action) ?? [] }] : []
  })
}

/** The settled acts by the names that the trace gives them, those of a run that was forked too. */
const actsOf = (state: State): ReadonlyMap<string, SettledAct> => {
  const open = UndoPlan.open(state)
  const planned = [...(open?.steps ?? []).map(({ undoes }) => undoes), ...(UndoPlan.wanted(state)?.actions ?? [])]
  return new Map(
    [...SettledActions.of(state)].map(([id, { owner, tool, undo }]) => {
      const stays = (undo === "standing" || undo === "undo_abandoned") && !planned.includes(id)
      return [owner?.action ?? id, { stays, tool }]
    })
  )
}

const read = (
  pack: TaskPack.TaskPack,
  transitions: Iterable<Transition>,
  acts: ReadonlyMap<string, SettledAct>
): Verdicts => {
  const found: Verdicts = { conflicts: new Map(), discarded: new Map(), params: new Map() }
  let goal: RevisedSpecification.RevisedClauses = { clauses: {} }
  let before: RevisedSpecification.RevisedClauses | undefined
  for (const { body } of transitions) {
    const { clauses } = Payload.of(body, "run.started") ?? {}
    if (clauses !== undefined) goal = { clauses }
    if (body.type === "action.request" && body.action !== undefined)
      found.params.set(body.action.id, body.action.params ?? {})
    const injected = Payload.of(body, "revision.injected")
    if (injected !== undefined) {
      before ??= goal
      goal = RevisedSpecification.revise(goal, injected.changes)
    }
    const plan = Payload.of(body, "revision.absorbed")
    if (plan === undefined) continue
    take(found, acts, plan, ClauseChange.between(pack, before ?? goal, goal))
    before = undefined
  }
  return found
}

/** Takes in a plan: it judged each act that stands under the clauses that had changed. */
const take = (
  { conflicts, discarded }: Verdicts,
  acts: ReadonlyMap<string, SettledAct>,
  plan: Payload.Of<"revision.absorbed">,
  changes: ReadonlyArray<ClauseChange.ClauseChange>
): void => {
  const kinds = new Map(changes.map(({ change, clause }) => [clause, change]))
  for (const [action, earlier] of conflicts) {
    if (acts.get(action)?.stays === true)
      conflicts.set(
        action,
        earlier.filter(({ clause }) => !kinds.has(clause))
      )
  }
  for (const { action, answered, clauses } of plan.conflicts) {
    const own = clauses.map((clause): Found => {
      const kind = kinds.get(clause)
      return { clause, isMeasured: answered !== true && (kind === "set" || kind === "add") }
    })
    const others = (conflicts.get(action) ?? []).filter(({ clause }) => !clauses.includes(clause))
    conflicts.set(action, [...others, ...own])
  }
  const roots = plan.conflicts.map(({ action }) => action)
  for (const action of plan.discarded) if (!roots.includes(action)) discarded.set(action, roots)
}

/** Tells whether the condition that found a conflict holds in a state: the contract's own, or else the clause. */
const holds = (
  pack: TaskPack.TaskPack,
  state: State,
  { contract, params = {} }: { readonly contract: ToolContract.ToolContract; readonly params: Json | undefined },
  { clause }: Found
): boolean => {
  const goal = Goal.of(state)
  const inForce = RevisedSpecification.inForce(pack, goal)[clause]
  const condition = contract.assumes?.find((each) => each.clause === clause)?.holds ?? inForce?.holds
  if (inForce === undefined || condition === undefined) return false
  const scope = ExpressionScope.bindings(state, { args: params }, RevisedSpecification.values(pack, goal))
  const answer = Condition.holds(condition, scope)
  return Result.isSuccess(answer) && answer.success
}
