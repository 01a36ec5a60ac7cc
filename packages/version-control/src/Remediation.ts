/**
 * What to do about an onset: where a fork could begin, what speaks for which cause, and what a person decided.
 *
 * Whether the state, the policy or the goal was wrong is for a person to judge;
 * the trace gives evidence and no verdict. It shows one case by itself: when it
 * was so from the first transition on, every fork inherits it, and the run has
 * to begin anew with another goal or pack.
 *
 * | diagnosis | what was wrong | what to do |
 * | --- | --- | --- |
 * | `state` | contingent: what the agent had been told | fork, with another source or tool policy |
 * | `policy` | contingent: what the rules let pass, or did not | fork, with another pack or policy |
 * | `foundational` | the goal or the contract itself | do not fork; begin a new run |
 *
 * @source Dendrer, section 4.5 and appendix C
 * @since 0.1.0
 */
import type { Transition } from "@backstitch/trace/Transition"
import * as Schema from "effect/Schema"

/**
 * What a practitioner may decide.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Diagnosis = Schema.Literals(["state", "policy", "foundational"])

/**
 * What a practitioner may decide.
 *
 * @category models
 * @since 0.1.0
 */
export type Diagnosis = typeof Diagnosis.Type

/**
 * What each diagnosis is called, and what it says.
 *
 * @category constants
 * @since 0.1.0
 */
export const meanings: { readonly [D in Diagnosis]: { readonly name: string; readonly says: string } } = {
  state: {
    name: "contingent (state)",
    says: "The agent acted soundly on what it had been told, and what it had been told was wrong"
  },
  policy: {
    name: "contingent (policy)",
    says: "The agent acted soundly under the rules as they were, and the rules were wrong"
  },
  foundational: {
    name: "foundational",
    says: "The goal or the contract was wrong before the first transition, and every fork inherits it"
  }
}

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
 * A fact of the trace that speaks for a diagnosis.
 *
 * @category models
 * @since 0.1.0
 */
export interface Evidence {
  readonly for: Diagnosis
  readonly text: string
}

/**
 * A verdict of a person, as it is committed with the answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface Verdict {
  readonly diagnosis: Diagnosis
  readonly by: string
}

/**
 * An act that a run has undone, or may have, by the tick of its request.
 *
 * @category models
 * @since 0.1.0
 */
export interface Undone {
  readonly action: string
  readonly tool: string
  readonly tick: number
}

/**
 * Suggests what to do, given the transition at the onset; `undefined` when there was none.
 *
 * **Details**
 *
 * `begun` is the tick at which the action of that transition was requested. A fork from after it would inherit what it
 * came to and could not decide otherwise, so the suggestion is a fork from before it. `undone` are acts that stood then
 * and were undone since: a fork would believe them, so it begins before the first of them. With the `diagnosis` of a
 * person, the suggestion is what follows from it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const suggest = (
  run: string,
  onset: Transition | undefined,
  about: {
    readonly begun?: number | undefined
    readonly diagnosis?: Diagnosis | undefined
    readonly undone?: ReadonlyArray<Undone> | undefined
  } = {}
): Suggestion => {
  const { begun, diagnosis, undone = [] } = about
  if (onset === undefined)
    return { kind: "none", text: "There is no onset, so there is nothing to fork from", command: null }
  const { body, tick } = onset
  const first = Math.min(begun ?? tick, tick)
  if (first <= 1 || body.type === "run.started" || diagnosis === "foundational") {
    const since =
      diagnosis === "foundational" && first > 1
        ? "It was judged to be foundational, so every fork inherits it"
        : "It was so from the first transition on, so every fork inherits it"
    return {
      kind: "foundational",
      text:
        `${since}. Do not fork: review the goal and the pack, ` +
        `and begin a new run. This trace stays as the record of what went wrong`,
      command: null
    }
  }
  const [act] = [...undone].sort((left, right) => left.tick - right.tick)
  const before =
    act !== undefined
      ? `${act.tool} (${act.action}), which was undone since`
      : first < tick
        ? `the request at tick ${first} that led to ${body.type}`
        : body.type
  const from = Math.min(first, act?.tick ?? first) - 1
  return {
    kind: "fork",
    text: `Fork from tick ${from}, the last one before ${before}, and change what was wrong: ${changes(diagnosis)}`,
    command: `backstitch fork ${run} --from ${from} --reason "before ${body.type} at tick ${tick}"`
  }
}

/**
 * What to do where two runs differ from their first transition on: they were asked for different things.
 *
 * @category constructors
 * @since 0.1.0
 */
export const apart = (run: string, other: string): Suggestion => ({
  kind: "none",
  text:
    "They began differently: with another goal, contract or first state. That is no fault of either. " +
    "See what differs, or name a run that began alike",
  command: `backstitch diff ${run} ${other} --to 1`
})

/**
 * Collects what the trace says for each diagnosis. It decides nothing.
 *
 * **Details**
 *
 * `steps` are the onset and, where it continues an action, the request of it; `begun` is as in {@link suggest}.
 *
 * @category getters
 * @since 0.1.0
 */
export const evidence = (steps: ReadonlyArray<Transition>, begun?: number): ReadonlyArray<Evidence> =>
  steps.flatMap(({ body, tick }): ReadonlyArray<Evidence> => {
    const { author, confidence, policy, result, type, uncertainty } = body
    const found: Array<Evidence> = []
    const say = (diagnosis: Diagnosis, text: string) => found.push({ for: diagnosis, text: `tick ${tick}: ${text}` })
    if (Math.min(begun ?? tick, tick) <= 1 || type === "run.started") {
      say("foundational", "it was so with the first transition, before the agent did anything")
    }
    if (type === "plan.update" && tick <= 2)
      say("foundational", "it came with the first plan, made from the goal alone")
    if (confidence !== undefined && confidence < 0.5) say("state", `its author was not sure (confidence ${confidence})`)
    if (uncertainty !== undefined) say("state", `its author noted a doubt: ${uncertainty}`)
    if (result !== undefined && result.status !== "ok") say("state", `the result was ${result.status}`)
    if (result?.trust !== undefined && result.trust <= 1) say("state", "what came back was not verified")
    if (type === "observation.add" && author === "agent") say("state", "it is an observation that nothing verified")
    if (policy?.decision === "allow") say("policy", "policy looked at it and let it pass")
    if (policy !== undefined && policy.decision !== "allow") say("policy", `policy said ${policy.decision}`)
    if (type === "action.reconciled" && result?.status === "ok") {
      say("policy", "the world did what was asked for, and no rule had refused to ask")
    }
    return found
  })

const changes = (diagnosis: Diagnosis | undefined): string => {
  const rules = "the rules with --pack or --policy"
  const tools = "what tools may answer with --tool-policy"
  if (diagnosis === "policy") return rules
  return diagnosis === "state" ? tools : `${rules}, ${tools}`
}
