/** A transition with the states before and after it, from which every question about a trace is answered. */
import * as Fold from "@backstitch/reducer/Fold"
import * as Latch from "@backstitch/reducer/Latch"
import type { State } from "@backstitch/reducer/State"
import type * as Canonical from "@backstitch/trace/Canonical"
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

/**
 * A fact about the effect of a step.
 *
 * **Details**
 *
 * - `changed`: a field of the state, without `before` if it is new, and without `after` if it is gone.
 * - `more`: more fields changed than are listed.
 * - `violated`, `unevaluated`: a predicate that holds from here on, or could not be evaluated.
 * - `policy`, `result`, `anomaly`: the decision, the status or the kind that the transition carries.
 * - `intent`, `tool`, `type`: the subject of a transition of which nothing else can be said.
 */
export type StepEffect =
  | {
      readonly code: "changed"
      readonly path: string
      readonly before?: Canonical.Json | undefined
      readonly after?: Canonical.Json | undefined
    }
  | { readonly code: "more" }
  | { readonly code: "violated" | "unevaluated"; readonly predicate: string }
  | { readonly code: "policy"; readonly decision: string }
  | { readonly code: "result"; readonly status: string }
  | { readonly code: "anomaly"; readonly kind: string }
  | { readonly code: "intent"; readonly description: string }
  | { readonly code: "tool"; readonly tool: string }
  | { readonly code: "type"; readonly type: string }

/** Lists the effects of a step: fields that changed, predicates that began to hold, answers of policy and tools. */
export const effects = ({ after, before, transition: { body } }: Step): ReadonlyArray<StepEffect> => {
  const anomaly = Payload.of(body, "kernel.anomaly")
  const found: ReadonlyArray<StepEffect> = [
    ...changed(before, after),
    ...Latch.fresh(before, after).map((id): StepEffect => {
      const { isAnswered, predicate } = Latch.read(id)
      return { code: isAnswered ? "violated" : "unevaluated", predicate }
    }),
    ...(body.policy === undefined ? [] : [{ code: "policy", decision: body.policy.decision } as const]),
    ...(body.result === undefined ? [] : [{ code: "result", status: body.result.status } as const]),
    ...(anomaly === undefined ? [] : [{ code: "anomaly", kind: anomaly.kind } as const])
  ]
  return found.length === 0 ? [subject(body)] : found
}

const subject = ({ action, intent, type }: Transition["body"]): StepEffect => {
  if (intent?.description !== undefined) return { code: "intent", description: intent.description }
  return action?.tool === undefined ? { code: "type", type } : { code: "tool", tool: action.tool }
}

/** At most three changes; a state may change in thousands of places. */
const changed = (before: State, after: State): ReadonlyArray<StepEffect> => {
  const found: Array<StepEffect> = []
  for (const change of Changes.between(before, after)) {
    if (found.length === 3) return [...found, { code: "more" }]
    const path = change.path.slice(1).replaceAll("/", ".")
    found.push({ code: "changed", ...change, path })
  }
  return found
}
