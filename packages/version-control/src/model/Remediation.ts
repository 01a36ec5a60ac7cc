/**
 * Remedies for an onset: the tick where a fork could begin, the evidence for each diagnosis, and a person's verdict.
 *
 * A person judges whether the state, the policy or the goal was wrong; the trace gives evidence and no verdict. Only
 * one case is clear: if the failure was there from the first transition on, every fork inherits it, and the run has
 * to begin anew with another goal or pack.
 *
 * | diagnosis | the fault | the remedy |
 * | --- | --- | --- |
 * | `state` | contingent: the information that the agent had | fork, with another source or tool policy |
 * | `policy` | contingent: the rules let something pass, or refused it | fork, with another pack or policy |
 * | `foundational` | the goal or the contract itself | do not fork; begin a new run |
 *
 * @source Dendrer, section 4.5 and appendix C
 */
import type * as FindingForm from "@backstitch/trace/FindingForm"
import type { Transition } from "@backstitch/trace/Transition"
import * as Schema from "effect/Schema"
import * as HistoryCodes from "./HistoryCodes.ts"

/** A diagnosis that a practitioner may give. */
export const Diagnosis = Schema.Literals(["state", "policy", "foundational"])

/** A diagnosis that a practitioner may give. */
export type Diagnosis = typeof Diagnosis.Type

/** A suggested remedy for an onset. */
export type Suggestion = FindingForm.Of<typeof HistoryCodes.remedies>

/** A fact of the trace, with its tick, that supports a diagnosis. */
export interface SupportingFact {
  readonly for: Diagnosis
  readonly tick: number
  readonly why: FindingForm.Of<typeof HistoryCodes.symptoms>
}

/** A verdict of a person, as it is committed with the answer. */
export interface RecordedDiagnosis {
  readonly diagnosis: Diagnosis
  readonly by: string
}

/** An act that a run has undone, or may have undone, with the tick of its request. */
export interface Undone {
  readonly action: string
  readonly tool: string
  readonly tick: number
}

/**
 * Suggests a remedy, given the transition at the onset; `undefined` if there is no onset.
 *
 * **Details**
 *
 * `begun` is the tick at which the action of that transition was requested. A later fork would inherit its outcome
 * and could not decide otherwise, so the suggested fork begins before it. `undone` are acts that stood then and were
 * undone since: a fork would believe them, so it begins before the first of them. With a person's `diagnosis`, the
 * suggestion follows from it.
 */
export const suggest = (
  onset: Transition | undefined,
  about: {
    readonly begun?: number | undefined
    readonly diagnosis?: Diagnosis | undefined
    readonly undone?: ReadonlyArray<Undone> | undefined
  } = {}
): Suggestion => {
  const { begun, diagnosis, undone = [] } = about
  if (onset === undefined) return HistoryCodes.make("remedy.none", {})
  const { body, tick } = onset
  const { type } = body
  const first = Math.min(begun ?? tick, tick)
  if (first <= 1 || type === "run.started") return HistoryCodes.make("remedy.anew", {})
  if (diagnosis === "foundational") return HistoryCodes.make("remedy.anew", { judged: true })
  const [act] = [...undone].sort((left, right) => left.tick - right.tick)
  const change = diagnosis === "policy" ? "rules" : diagnosis === "state" ? "tools" : "rules_or_tools"
  const from = Math.min(first, act?.tick ?? first) - 1
  if (act !== undefined) {
    return HistoryCodes.make("remedy.fork", { change, from, type, undone: { action: act.action, tool: act.tool } })
  }
  return HistoryCodes.make("remedy.fork", { ...(first < tick ? { begun: first } : {}), change, from, type })
}

/** Suggests a comparison if two runs differ from their first transition on, because they had different goals. */
export const apart = (other: string): Suggestion => HistoryCodes.make("remedy.compare", { run: other })

/**
 * Collects the evidence in the trace for each diagnosis. It decides nothing.
 *
 * **Details**
 *
 * `steps` are the onset and, if it continues an action, its request; `begun` is as in {@link suggest}.
 */
export const evidence = (steps: ReadonlyArray<Transition>, begun?: number): ReadonlyArray<SupportingFact> =>
  steps.flatMap(({ body, tick }): ReadonlyArray<SupportingFact> => {
    const { author, confidence, policy, result, type, uncertainty } = body
    const found: Array<SupportingFact> = []
    const say = (diagnosis: Diagnosis, why: SupportingFact["why"]) => found.push({ for: diagnosis, tick, why })
    if (Math.min(begun ?? tick, tick) <= 1 || type === "run.started") {
      say("foundational", HistoryCodes.make("symptom.first", {}))
    }
    if (type === "plan.update" && tick <= 2) say("foundational", HistoryCodes.make("symptom.first_plan", {}))
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
