/**
 * Remedies for an onset: the tick where a fork could begin, the evidence for each diagnosis, and a person's verdict.
 *
 * A person judges whether the state, the policy or the goal was wrong; the trace gives evidence and no verdict. Only
 * one case is clear: if nothing but the beginning of the run precedes the failure, a fork would share nothing but the
 * goal and the pack that led to it, and the run has to begin anew with another goal or pack.
 *
 * | diagnosis | the fault | the remedy |
 * | --- | --- | --- |
 * | `state` | contingent: the information that the agent had | fork, with another source or tool policy |
 * | `policy` | contingent: the rules let something pass, or refused it | fork, with another pack or policy |
 * | `foundational` | the goal or the pack itself | do not fork; begin a new run |
 *
 * @source Dendrer, section 4.5 and appendix C
 */
import type * as FindingForm from "@backstitch/trace/FindingForm"
import type { Transition } from "@backstitch/trace/Transition"
import * as Schema from "effect/Schema"
import * as HistoryCodes from "../codes/HistoryCodes.ts"

/** A diagnosis that a practitioner may give. */
export const OnsetDiagnosis = Schema.Literals(["state", "policy", "foundational"])

/** A diagnosis that a practitioner may give. */
export type OnsetDiagnosis = typeof OnsetDiagnosis.Type

/** A suggested remedy for an onset. */
export type Suggestion = FindingForm.Of<typeof HistoryCodes.remedies>

/** A fact of the trace, with its tick, that supports a diagnosis. */
export interface SupportingFact {
  readonly for: OnsetDiagnosis
  readonly tick: number
  readonly why: FindingForm.Of<typeof HistoryCodes.symptoms>
}

/** A verdict of a person, as it is committed with the answer. */
export interface RecordedDiagnosis {
  readonly diagnosis: OnsetDiagnosis
  readonly by: string
}

/** An act that a run has undone, or may have undone, with the tick of its request. */
export interface Undone {
  readonly action: string
  readonly tool: string
  readonly tick: number
}

/** A field on which an onset depends, as an earlier tick wrote it; without a tick if that is further back. */
export interface InheritedField {
  readonly field: string
  readonly tick?: number
}

/** Counts the transitions of a run before its first step: its beginning, and its forks from there. */
export const opening = (transitions: ReadonlyArray<Transition>): number => {
  const first = transitions.findIndex(({ body }) => body.type !== "run.started" && body.type !== "run.fork")
  return first < 0 ? transitions.length : first
}

/**
 * Suggests a remedy, given the transition at the onset; `undefined` if there is no onset.
 *
 * **Details**
 *
 * `begun` is the tick at which the action of that transition was requested. A later fork would inherit its outcome
 * and could not decide otherwise, so the suggested fork begins before it. `undone` are acts that stood then and were
 * undone since: a fork would believe them, so it begins before the first of them. `opening` is the length of the
 * {@link opening} of the run, by default one tick. With a person's `diagnosis`, the suggestion follows from it.
 */
export const suggest = (
  onset: Transition | undefined,
  about: {
    readonly begun?: number | undefined
    readonly diagnosis?: OnsetDiagnosis | undefined
    readonly inherited?: ReadonlyArray<InheritedField> | undefined
    readonly opening?: number | undefined
    readonly undone?: ReadonlyArray<Undone> | undefined
  } = {}
): Suggestion => {
  const { begun, diagnosis, inherited = [], opening = 1, undone = [] } = about
  if (onset === undefined) return HistoryCodes.make("remedy.none", {})
  const { body, tick } = onset
  const { type } = body
  const first = Math.min(begun ?? tick, tick)
  const isFirst = first <= opening + 1 && diagnosis === undefined
  if (first <= 1 || type === "run.started" || isFirst) return HistoryCodes.make("remedy.anew", {})
  if (diagnosis === "foundational") return HistoryCodes.make("remedy.anew", { judged: true })
  const [act] = [...undone].sort((left, right) => left.tick - right.tick)
  const from = Math.min(first, act?.tick ?? first) - 1
  const inherits = inherited.filter(({ tick = 0 }) => tick <= from)
  return HistoryCodes.make("remedy.fork", {
    ...(first < tick && act === undefined ? { begun: first } : {}),
    change: changeFor(body, diagnosis),
    from,
    ...(inherits.length === 0 ? {} : { inherits }),
    type,
    ...(act === undefined ? {} : { undone: { action: act.action, tool: act.tool } })
  })
}

/** The policy of a fork is asked about calls alone, so an agent's other steps are refused by a guard of a pack. */
const changeFor = (
  { action, author }: Transition["body"],
  diagnosis: OnsetDiagnosis | undefined
): Extract<Suggestion, { readonly code: "remedy.fork" }>["args"]["change"] => {
  if (author === "agent" && action === undefined) return "guard"
  return diagnosis === "policy" ? "rules" : diagnosis === "state" ? "tools" : "rules_or_tools"
}

/** Suggests a comparison if two runs differ from their first transition on, because they had different goals. */
export const apart = (other: string): Suggestion => HistoryCodes.make("remedy.compare", { run: other })

/**
 * Collects the evidence in the trace for each diagnosis. It decides nothing.
 *
 * **Details**
 *
 * `steps` are the onset, its request if it continues an action, and the writers of what it depends on; `begun` and
 * `opening` are as in {@link suggest}, and say which of the steps is the first of the failure.
 */
export const evidence = (
  steps: ReadonlyArray<Transition>,
  about: { readonly begun?: number | undefined; readonly onset?: number; readonly opening?: number | undefined } = {}
): ReadonlyArray<SupportingFact> => {
  const { onset = steps.at(-1)?.tick ?? 0, opening = 1 } = about
  const first = Math.min(about.begun ?? onset, onset)
  return steps.flatMap(({ body, tick }): ReadonlyArray<SupportingFact> => {
    const { author, confidence, policy, result, type, uncertainty } = body
    const found: Array<SupportingFact> = []
    const say = (diagnosis: OnsetDiagnosis, why: SupportingFact["why"]) => found.push({ for: diagnosis, tick, why })
    if (tick === onset && (first <= 1 || type === "run.started")) {
      say("foundational", HistoryCodes.make("symptom.first", {}))
    } else if (tick === onset && first <= opening + 1) {
      say("foundational", HistoryCodes.make(type === "plan.update" ? "symptom.first_plan" : "symptom.first_step", {}))
    }
    if (confidence !== undefined && confidence < 0.5) say("state", HistoryCodes.make("symptom.unsure", { confidence }))
    if (uncertainty !== undefined) say("state", HistoryCodes.make("symptom.doubt", { uncertainty }))
    const status = result?.status ?? "ok"
    if (status !== "ok") say("state", HistoryCodes.make("symptom.result", { status }))
    if (result?.trust !== undefined && result.trust <= 1) say("state", HistoryCodes.make("symptom.unverified", {}))
    if (type === "observation.add" && author === "agent") say("state", HistoryCodes.make("symptom.observed", {}))
    if (policy?.decision === "allow") say("policy", HistoryCodes.make("symptom.allowed", {}))
    else if (policy !== undefined) say("policy", HistoryCodes.make("symptom.decided", { decision: policy.decision }))
    if (type === "action.reconciled" && result?.status === "ok")
      say("policy", HistoryCodes.make("symptom.reconciled", {}))
    return found
  })
}
