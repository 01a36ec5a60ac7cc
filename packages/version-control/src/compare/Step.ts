/** A transition with the states before and after it, from which every question about a trace is answered. */
import * as Fold from "@backstitch/reducer/Fold"
import * as Latch from "@backstitch/reducer/Latch"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Transition } from "@backstitch/trace/Transition"
import * as Payload from "../payload/Payload.ts"
import * as Changes from "./Changes.ts"

/** A transition, the state before it and the state after it. */
export interface Step {
  readonly before: State
  readonly after: State
  readonly transition: Transition
  /** The tool of the transition: its own or that of the open action that it continues. */
  readonly tool?: string
}

/** Folds one transition and keeps both states. */
export const make = (fold: Fold.Fold, before: State, transition: Transition): Step => {
  const after = fold.evolve(before, transition)
  const tool = Fold.toolOf(before, transition)
  return tool === undefined ? { before, after, transition } : { before, after, transition, tool }
}

/** Folds transitions in order, one step at a time, and only when the step is requested. */
export function* walk(fold: Fold.Fold, from: State, transitions: Iterable<Transition>): Generator<Step, State> {
  let state = from
  for (const transition of transitions) {
    const step = make(fold, state, transition)
    yield step
    state = step.after
  }
  return state
}

/** The tick at which the open action that a step continues was requested; `undefined` if it continues none. */
export const begun = ({ before, transition: { body } }: Step): number | undefined => {
  const open = before.kernel["actions"] as { readonly [id: string]: { readonly tick?: number } | undefined } | undefined
  return body.action === undefined ? undefined : open?.[body.action.id]?.tick
}

/** Describes a step in one line: changed fields, predicates that began to hold, answers of policy and tools. */
export const effect = ({ after, before, transition }: Step): string => {
  const { body } = transition
  const anomaly = Payload.of(body, "kernel.anomaly")
  const said = [
    ...changed(before, after),
    ...Latch.fresh(before, after).map((id) =>
      id.startsWith("error:") ? `predicate ${id.slice(6)} could not be evaluated` : `predicate ${id} holds from here on`
    ),
    ...(body.policy === undefined ? [] : [`policy: ${body.policy.decision}`]),
    ...(body.result === undefined ? [] : [`result: ${body.result.status}`]),
    ...(anomaly === undefined ? [] : [`anomaly: ${anomaly.kind}`])
  ]
  const about = body.intent?.description ?? (body.action?.tool && `tool ${body.action.tool}`)
  // A program other than the kernel may have written the store.
  if (said.length === 0)
    return about ?? (Ontology.isType(body.type) ? Ontology.types[body.type].meaning : `${body.type}`)
  return said.join("; ")
}

/** Describes at most three changes, because a state may change in thousands of places. */
const changed = (before: State, after: State): ReadonlyArray<string> => {
  const said: Array<string> = []
  for (const change of Changes.between(before, after)) {
    if (said.length === 3) return [...said, "and more"]
    said.push(`${change.path.slice(1).replaceAll("/", ".")} ${short(change.before)} → ${short(change.after)}`)
  }
  return said
}

const short = (value: Canonical.Json | undefined): string => {
  if (value === undefined) return "nothing"
  const text = Canonical.encode(value)
  return text.length > 48 ? `${text.slice(0, 47)}…` : text
}
