/**
 * The rules of a TaskPack: the changes of `world` and `working` by its operations, and its predicates.
 *
 * `world` changes only in two places: at `action.reconciled`, by the tool's `on_reconciled`, and at the
 * `action.result` of a recorded run, by its `on_recorded`, where nothing was verified. `working` is changed by the
 * reducers of a transition type, and by those of a tool at its answer.
 */
import * as Condition from "@backstitch/contracts/Condition"
import * as Operation from "@backstitch/contracts/Operation"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ViolationPredicate from "@backstitch/contracts/ViolationPredicate"
import * as FunctionSource from "@backstitch/functions/FunctionSource"
import type { Json } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import * as Payload from "../state/Payload.ts"
import type { State } from "../state/State.ts"
import type * as Rules from "./Rules.ts"

/** The rules of a pack. The same pack object gives the same rules object. */
export const of = (pack: TaskPack.TaskPack): Rules.Rules => {
  const known = compiled.get(pack)
  if (known !== undefined) return known
  const rules = compile(pack)
  compiled.set(pack, rules)
  return rules
}

/**
 * The names that a predicate of a pack sees at one step. Those of a function are `ordered`, since it may enumerate
 * them.
 */
export const bindingsOf = (scope: Rules.PredicateView, options?: { readonly ordered: boolean }) => {
  if (last === undefined || !isOneStep(last.scope, scope)) last = { scope, bindings: bind(scope), ordered: undefined }
  if (options?.ordered === true) last.ordered ??= FunctionSource.scope(last.bindings)
  return {
    ...((options?.ordered === true ? last.ordered : undefined) ?? last.bindings),
    key: scope.key,
    row: scope.row
  }
}

/**
 * Lists the constraints of a pack as predicates: the clauses of its specification, and its violation predicates. A
 * predicate holds while its constraint is violated.
 */
export const constraints = (pack: TaskPack.TaskPack): ReadonlyArray<Rules.Predicate> => [
  ...Object.values(pack.specification).map(
    ({ holds, name }): Rules.Predicate => ({
      id: `specification.${name}`,
      scope: undefined,
      window: "after",
      reads: undefined,
      each: undefined,
      monotone: "lift",
      holds: (scope) => !Result.getOrThrow(Condition.holds(holds, bindingsOf(scope)))
    })
  ),
  ...of(pack).predicates
]

const compiled = new WeakMap<TaskPack.TaskPack, Rules.Rules>()

/**
 * The bindings of the last step. All predicates of a step, and all rows of a table, share them except for the row.
 * One entry is enough, as a step is judged at once; a map by transition took as long as the rest of a fold.
 */
let last:
  | {
      readonly scope: Rules.PredicateView
      readonly bindings: ReturnType<typeof bind>
      ordered: ReturnType<typeof bind> | undefined
    }
  | undefined

const isOneStep = (one: Rules.PredicateView, other: Rules.PredicateView): boolean =>
  one.transition === other.transition &&
  one.state === other.state &&
  one.before === other.before &&
  one.after === other.after

const bind = ({ after, before, state, transition }: Rules.PredicateView) => {
  const open = openOf(before, transition.body.action?.id)
  return {
    ...names(state),
    actual: open?.actual ?? null,
    after,
    args: transition.body.action?.params ?? open?.params ?? transition.body.data ?? {},
    before,
    key: undefined,
    observed: transition.body.result?.output ?? open?.answer?.output ?? null,
    row: undefined,
    state: { ...state.working, ...state.world }
  }
}

/** The parts of an open action that expressions may see. */
interface Open {
  readonly tool?: string
  readonly params?: Json
  readonly key?: string
  readonly answer?: { readonly output: Json }
  readonly actual?: Json
}

interface Event {
  readonly reduction: Operation.Reduction
  readonly bindings: Readonly<Record<string, unknown>>
}

const compile = (pack: TaskPack.TaskPack): Rules.Rules => ({
  initial: { world: Operation.initial(pack.fields.world), working: Operation.initial(pack.fields.working) },
  apply: (before, transition) => {
    const event = eventOf(pack, before, transition)
    return event === undefined
      ? before
      : Operation.reduceUnsafe(event.reduction, before, { fields: pack.fields, bindings: event.bindings })
  },
  predicates: pack.violations.map((predicate) => predicateOf(predicate))
})

const eventOf = (pack: TaskPack.TaskPack, before: State, { body }: Transition): Event | undefined => {
  const { action, result, type } = body
  if (type === "action.reconciled" || (type === "action.result" && result?.basis === "recorded")) {
    const open = openOf(before, action?.id)
    const tool = TaskPack.tool(pack, open?.tool ?? "")
    const reduction = type === "action.result" ? tool.onRecorded : tool.onReconciled
    // A call that answered an error changed nothing, whatever its contract declares.
    if (open === undefined || reduction === undefined || result?.status !== "ok") return undefined
    // The reversal of an effect that was never believed changes no belief, either.
    if (Payload.of(body, "action.reconciled")?.unbelieved === true) return undefined
    const observed = type === "action.result" ? result?.output : open.answer?.output
    const actual = open.actual ?? observed
    const seen = { actual: actual ?? null, args: open.params ?? null, key: open.key ?? "", observed: observed ?? null }
    // A recording may keep more of a tool's answer than the text that the model was given.
    const shown = Payload.of(body, "action.result")?.shown
    return { reduction, bindings: { ...names(before), ...seen, ...(shown === undefined ? {} : { shown }) } }
  }
  const reduction = TaskPack.reducerOf(pack, type)
  if (reduction !== undefined) {
    return { reduction, bindings: { ...names(before), args: body.data ?? action?.params ?? {}, transition: body } }
  }
  return type === "action.result" && result?.status === "ok" ? noted(pack, before, body) : undefined
}

/** Finds the reduction of an answer into `working`. A reducer for the tool sees the answer as `observed`. */
const noted = (pack: TaskPack.TaskPack, before: State, body: Transition["body"]): Event | undefined => {
  const open = openOf(before, body.action?.id)
  const reduction = TaskPack.reducerOf(pack, open?.tool ?? "")
  if (reduction === undefined) return undefined
  const seen = { args: open?.params ?? {}, observed: body.result?.output ?? null, transition: body }
  return { reduction, bindings: { ...names(before), ...seen } }
}

const names = (state: State) => {
  const goal = state.kernel["goal"] as { readonly clauses?: Json } | undefined
  return { clause: goal?.clauses ?? {}, kernel: state.kernel, world: state.world, working: state.working }
}

const openOf = (state: State, id: string | undefined): Open | undefined =>
  (state.kernel["actions"] as { readonly [id: string]: Open | undefined } | undefined)?.[id ?? ""]

const predicateOf = (predicate: ViolationPredicate.ViolationPredicate): Rules.Predicate => {
  const reads = ViolationPredicate.reads(predicate)
  const each = predicate.each
  const seen = { ordered: predicate.when._tag === "Function" }
  return {
    id: predicate.id,
    scope: predicate.scope === undefined ? undefined : new Set(predicate.scope),
    window: predicate.at,
    reads: reads === "any" ? undefined : reads.map(fieldOf),
    each: each === undefined ? undefined : `${each.section}.${each.table}`,
    monotone: predicate.monotone === "declared" ? "monotone" : "lift",
    holds: (scope) => {
      const held = Condition.holds(predicate.when, bindingsOf(scope, seen))
      if (Result.isFailure(held)) throw held.failure
      return held.success
    }
  }
}

/** A read within a field counts for the field: `world.trip.total` reads `world.trip`. Clauses are those of the goal. */
const fieldOf = (path: string): string =>
  /^clause(?:\.|$)/.test(path) ? "kernel.goal" : path.split(".").slice(0, 2).join(".")
