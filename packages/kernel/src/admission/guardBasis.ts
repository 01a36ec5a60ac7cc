/**
 * Guards over a world in which acts are under way.
 *
 * `world` changes when an action is reconciled. So of two calls at once both would pass a guard that has room for one.
 * Therefore a guard that allows a call is judged again, on the world as it would be if the acts under way, held ones
 * included, had the effects that were asked for. Each of them may still fail. So the guard is judged for every
 * selection of them, and one refusal is enough. With more acts than `guardActsMax` there would be too many selections:
 * it is judged for all acts, for each alone, and for all but each one.
 *
 * The record of such an act is taken to say what its arguments and its answer say. If a change of the world needs more
 * than that, nobody can tell what the guard will say, and the call is refused until the act is settled.
 *
 * @source docs/decisions/0068
 */
import * as Condition from "@backstitch/contracts/Condition"
import type * as Guard from "@backstitch/contracts/Guard"
import * as Operation from "@backstitch/contracts/Operation"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as Limits from "../Limits.ts"
import * as Check from "../payload/Check.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"

/** An act under way that changes the state once it is settled. */
interface UnderWay {
  readonly id: string
  readonly open: OpenAction.OpenAction
  readonly reduction: Operation.Reduction
}

/** Lists the guards that allow a call now, and would refuse it or have no answer after acts that are under way. */
export const unsettled = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  call: { readonly subjects: ReadonlyArray<string>; readonly args: Json }
): ReadonlyArray<Check.Check> => {
  const guards = (terms.pack?.guards ?? []).filter(({ on }) => on.some((subject) => call.subjects.includes(subject)))
  if (guards.length === 0) return []
  const acts = underWay(terms, state)
  if (acts.length === 0) return []
  return guards.flatMap((guard) => {
    const basis = acts.filter(({ reduction }) => touches(guard, reduction))
    if (basis.length === 0 || isAllowed(terms, state, { guard, basis, args: call.args })) return []
    const actions = basis.map(({ id, open }) => ({ action: id, state: open.state, tick: open.tick, tool: open.tool }))
    return [Check.fail("guard", guard.id, "guard.unsettled", { actions, condition: Condition.source(guard.refuseIf) })]
  })
}

const underWay = ({ pack }: DecisionTerms.DecisionTerms, state: State): ReadonlyArray<UnderWay> =>
  Object.entries(OpenActions.of(state)).flatMap(([id, open]) => {
    const reduction = open === undefined ? undefined : TaskPack.tool(pack, open.tool).onReconciled
    return open === undefined || open.class === "read_only" || reduction === undefined ? [] : [{ id, open, reduction }]
  })

/** Tells whether a guard may read what a reduction may write. */
const touches = ({ refuseIf }: Guard.Guard, reduction: Operation.Reduction): boolean => {
  const [reads, writes] = [Condition.reads(refuseIf), Operation.writes(reduction)]
  if (reads === "any") return true
  const read = reads.map((each) => each.split(".")).filter(([name = ""]) => sections.has(name))
  if (writes === "any") return read.length > 0
  return writes.some((written) => {
    const [section, name] = written.split(".")
    // `state` has the fields of both sections.
    return read.some(([root, field]) => (root === section || root === "state") && (field ?? name) === name)
  })
}

const sections = new Set(["state", "working", "world"])

const isAllowed = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { args, basis, guard }: { readonly guard: Guard.Guard; readonly basis: ReadonlyArray<UnderWay>; readonly args: Json }
): boolean => {
  return choices(basis).every((done) => {
    const after = done.reduce<State | undefined>((before, act) => before && afterwards(terms, before, act), state)
    if (after === undefined) return false
    const answer = Condition.holds(guard.refuseIf, ExpressionScope.bindings(after, { args }))
    return Result.isSuccess(answer) && !answer.success
  })
}

/** Lists the choices of acts, each in their order, after which a guard is judged. */
const choices = (acts: ReadonlyArray<UnderWay>): ReadonlyArray<ReadonlyArray<UnderWay>> => {
  if (acts.length > Limits.deciding.guardActsMax) {
    return [acts, ...acts.map((act) => [act]), ...acts.map((act) => acts.filter((each) => each !== act))]
  }
  const none: ReadonlyArray<ReadonlyArray<UnderWay>> = [[]]
  return acts.reduce((chosen, act) => chosen.concat(chosen.map((some) => [...some, act])), none).slice(1)
}

/** The state after an act, if it has the effect that was asked for; `undefined` if only its record would tell. */
const afterwards = (terms: DecisionTerms.DecisionTerms, state: State, act: UnderWay): State | undefined => {
  const { open, reduction } = act
  const answer = open.answer?.as === "done" ? open.answer.output : null
  const bindings = ExpressionScope.actionBindings(state, { ...open, observed: answer }, asked(open, answer))
  const reduced = Operation.reduce(reduction, state, { fields: terms.pack!.fields, bindings })
  return Result.isFailure(reduced) ? undefined : { ...state, ...reduced.success }
}

/** The record of an act as its arguments and its answer have it. A record that was read supplies the other fields. */
const asked = ({ actual, params }: OpenAction.OpenAction, answer: Json): Json =>
  Canonical.isObject(params)
    ? { ...Canonical.objectOf(actual ?? null), ...params, ...Canonical.objectOf(answer) }
    : (answer ?? params)
