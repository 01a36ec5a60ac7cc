/**
 * First ticks at which registered predicates held.
 *
 * A latch is set once and no restore clears it. So "has it ever held" is a prefix-monotone question, whatever the
 * predicate does afterwards, and bisect reads the latch. A predicate that cannot be evaluated latches as
 * `error:<id>`, because an unnoticed failure would look like no violation. It is evaluated again at later ticks.
 *
 * Laws: a latch equals the first tick of a linear scan (L2); once set it stays.
 *
 * @source Dendrer, section 3.3.3 (monotone lift)
 */
import * as FunctionSource from "@backstitch/functions/FunctionSource"
import * as Branded from "@backstitch/trace/Branded"
import * as Node from "@backstitch/trace/Node"
import * as Table from "@backstitch/trace/Table"
import type { Transition } from "@backstitch/trace/Transition"
import * as Limits from "../Limits.ts"
import type * as Rules from "../pack/Rules.ts"
import type { State, StateField } from "../state/State.ts"
import * as PackInForce from "./PackInForce.ts"

/** Name of the latches within the `kernel` section. */
export const part = "latches"

/** First tick by predicate id. */
export interface Latches {
  readonly [id: string]: number
}

/** A predicate as its latch names it. Without an answer it never held: it could not be evaluated. */
export interface LatchedPredicate {
  readonly predicate: string
  readonly isAnswered: boolean
}

const failed = "error:"

/** Names the latch of a predicate, or of a reducer, that could not be evaluated. */
export const failureOf = (predicate: string): string => `${failed}${predicate}`

/** Reads the id of a latch. */
export const read = (id: string): LatchedPredicate =>
  id.startsWith(failed)
    ? { predicate: id.slice(failed.length), isAnswered: false }
    : { predicate: id, isAnswered: true }

/** The latches of a state. */
export const of = (state: State): Latches => (state.kernel[part] ?? none) as Latches

/** Predicates whose latch was set by the step from `before` to `after`, in order of id. */
export const fresh = (before: State, after: State): ReadonlyArray<string> => {
  const known = of(before)
  const now = of(after)
  return known === now
    ? []
    : Object.keys(now)
        .filter((id) => !Object.hasOwn(known, id))
        .sort()
}

/**
 * Evaluates the predicates that a transition may affect, and answers the latches after it.
 *
 * **Details**
 *
 * `renewed` means that other rules are in force from this tick on: a new predicate then judges the whole state, even
 * if no field that it reads changes in this step.
 */
export const evolve = (
  predicates: ReadonlyArray<Rules.Predicate>,
  step: {
    readonly before: State
    readonly after: State
    readonly transition: Transition
    readonly tool?: string
    readonly renewed?: boolean
  }
): Latches => {
  const known = of(step.after)
  // Under rules 1, a predicate over the state before was judged even where there is none; such runs are folded so.
  const isSilent = (PackInForce.of(step.after).rules ?? 1) >= 2
  let next = known
  for (const predicate of predicates) {
    if (Object.hasOwn(known, predicate.id) || !concerns(predicate, step)) continue
    const verdict = isSilent ? evaluate(predicate, step) : judged(predicate, step)
    if (verdict === "ok") continue
    const id = verdict === "violation" ? predicate.id : failureOf(predicate.id)
    if (!Object.hasOwn(known, id)) next = { ...next, [id]: step.transition.tick }
  }
  return next
}

/**
 * Evaluates one predicate at one state, as a probe of bisect does.
 *
 * **Details**
 *
 * A run has no state before its first tick, and none under a new contract before it takes over. A predicate over the
 * state before is not evaluated at these ticks.
 */
export const evaluate = (
  predicate: Rules.Predicate,
  step: {
    readonly before: State
    readonly after: State
    readonly transition: Transition
    readonly renewed?: boolean
  }
): "ok" | "violation" | "error" => (predicate.window === "before" && !hasBefore(step) ? "ok" : judged(predicate, step))

const hasBefore = ({ after, before, transition }: Parameters<typeof evaluate>[1]): boolean =>
  transition.body.type !== "run.started" && PackInForce.of(before).pack === PackInForce.of(after).pack

const judged = (predicate: Rules.Predicate, step: Parameters<typeof evaluate>[1]): "ok" | "violation" | "error" => {
  const { after, before, transition } = step
  const state = predicate.window === "before" ? before : after
  const scope = { state, before, after, transition }
  try {
    if (predicate.each === undefined) return predicate.holds(scope) ? "violation" : "ok"
    const rows = fieldAt(state, predicate.each)
    if (!Table.is(rows)) return "ok"
    if (needsEveryRow(predicate, step)) {
      for (const [key, row] of rows.entries()) if (predicate.holds({ ...scope, key, row })) return "violation"
      return "ok"
    }
    const previous = fieldAt(before, predicate.each)
    for (const { after: row, key } of Table.changes(Table.is(previous) ? previous : Table.empty, rows)) {
      if (row !== undefined && predicate.holds({ ...scope, key, row })) return "violation"
    }
    return "ok"
  } catch (error) {
    if (isAbsent(error)) throw error
    return "error"
  }
}

/**
 * Tells whether a part of the state could not be read, or a function reached a limit of this machine. That says
 * nothing about the state, so the fold stops.
 */
export const isAbsent = (error: unknown): boolean =>
  Branded.isError(error, Node.NodeMissing) ||
  Branded.isError(error, Node.NodeCorrupt) ||
  FunctionSource.isExhausted(error)

const none: Latches = {}

/**
 * Unchanged rows were judged before, unless the predicate reads the state before, or another field that it reads
 * changed.
 */
const needsEveryRow = (
  { each, reads, scope, window }: Rules.Predicate,
  { after, before, renewed }: { readonly before: State; readonly after: State; readonly renewed?: boolean }
): boolean =>
  renewed === true ||
  scope !== undefined ||
  window === "before" ||
  (reads ?? []).some((path) => path !== each && isChanged(path, before, after))

const concerns = (
  { each, reads, scope, window }: Rules.Predicate,
  { after, before, renewed, tool, transition }: Parameters<typeof evolve>[1]
): boolean => {
  if (scope !== undefined) return scope.has(transition.body.type) || (tool !== undefined && scope.has(tool))
  // The state before this step is the state after the last one.
  if (window === "before" || renewed === true) return true
  if (before === after) return false
  if (reads === undefined) return true
  return reads.some((path) => isChanged(path, before, after)) || (each !== undefined && isChanged(each, before, after))
}

/**
 * Tells whether a path has changed. A path outside of the state, such as the arguments of a call, always counts as
 * changed.
 */
const isChanged = (path: string, before: State, after: State): boolean => {
  const place = placeOf(path)
  if (place === undefined) return true
  const { name, section } = place
  return name === undefined ? before[section] !== after[section] : before[section][name] !== after[section][name]
}

const fieldAt = (state: State, path: string): StateField | undefined => {
  const place = placeOf(path)
  return place?.name === undefined ? undefined : state[place.section][place.name]
}

/** A section, or a field of it. */
interface Place {
  readonly section: keyof State
  readonly name: string | undefined
}

const places = new Map<string, Place | undefined>()

/** Paths belong to registered predicates and are needed at every transition, so each is parsed once. */
const placeOf = (path: string): Place | undefined => {
  const known = places.get(path)
  if (known !== undefined || places.has(path)) return known
  const [, section, name] = /^(world|working|kernel)(?:\.(.+))?$/s.exec(path) ?? []
  const place = section === undefined ? undefined : { section: section as keyof State, name }
  if (places.size < Limits.pacing.latchPathsMax) places.set(path, place)
  return place
}
