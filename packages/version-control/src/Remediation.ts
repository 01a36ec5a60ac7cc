/**
 * What to do about an onset: where a fork could begin, or why none would help.
 *
 * Whether the state, the policy or the goal was wrong is for a person to judge.
 * The trace shows one case by itself: when it was so from the first transition
 * on, every fork inherits it, and the run has to begin anew with another goal or pack.
 *
 * @source seed 5, section 4.5
 * @since 0.1.0
 */
import type { Transition } from "@backstitch/trace/Transition"

/**
 * A suggestion. `command` can be run as it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface Suggestion {
  readonly kind: "none" | "fork" | "foundational"
  readonly text: string
  readonly command: string | null
}

/**
 * Suggests what to do, given the transition at the onset; `undefined` when there was none.
 *
 * **Details**
 *
 * `begun` is the tick at which the action of that transition was requested. A fork from after it would inherit what it
 * came to and could not decide otherwise, so the suggestion is a fork from before it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const suggest = (run: string, onset: Transition | undefined, begun?: number): Suggestion => {
  if (onset === undefined)
    return { kind: "none", text: "There is no onset, so there is nothing to fork from", command: null }
  const { body, tick } = onset
  const first = Math.min(begun ?? tick, tick)
  if (first <= 1 || body.type === "run.started") {
    return {
      kind: "foundational",
      text:
        `It was so from the first transition on, so every fork inherits it. Do not fork: review the goal and the pack, ` +
        `and begin a new run. This trace stays as the record of what went wrong`,
      command: null
    }
  }
  const before = first < tick ? `the request at tick ${first} that led to ${body.type}` : body.type
  return {
    kind: "fork",
    text:
      `Fork from tick ${first - 1}, the last one before ${before}, and change what was wrong: ` +
      `the rules with --pack or --policy, what tools may answer with --tool-policy`,
    command: `backstitch fork ${run} --from ${first - 1} --reason "before ${body.type} at tick ${tick}"`
  }
}
