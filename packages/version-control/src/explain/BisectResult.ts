/**
 * The answer of a bisect, ready to be printed or committed: the onset or none, with all its evidence.
 *
 * @source Dendrer, sections 4.3, 4.5 and appendix C
 */

import type { JsonObject } from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import type * as FindingForm from "@backstitch/trace/FindingForm"
import * as JsonText from "@backstitch/trace/JsonText"
import type { Body, Transition } from "@backstitch/trace/Transition"
import * as HistoryCodes from "../codes/HistoryCodes.ts"
import * as Step from "../compare/Step.ts"
import * as Bisect from "../find/Bisect.ts"
import type * as Regression from "../find/Regression.ts"
import type * as Scan from "../find/Scan.ts"
import * as OnsetQuestion from "../onset/OnsetQuestion.ts"
import * as Remediation from "../onset/Remediation.ts"
import type * as Payload from "../payload/Payload.ts"
import type * as CausalChain from "./CausalChain.ts"

/** The answer to a question about a run, as plain JSON. */
export interface BisectResult {
  readonly run: string
  readonly question: OnsetQuestion.OnsetQuestion
  /** The first tick at which the condition held; `null` for none. */
  readonly onset: number | null
  /** The number of evaluations of the question. */
  readonly evaluations: number
  /** The number of ticks of the run. */
  readonly length: number
  readonly probes: ReadonlyArray<Bisect.Probe>
  /** The reason for a linear pass; absent for a binary search. */
  readonly linear?: FindingForm.Of<typeof HistoryCodes.passes>
  /** The reason why the answer holds only for some ticks; absent if it holds for all. */
  readonly inconclusive?: FindingForm.Of<typeof HistoryCodes.doubts>
  /** A name in the question that the run has not seen, if that is why the answer is "none". */
  readonly note?: FindingForm.Of<typeof HistoryCodes.notes>
  /** The transition at the onset. */
  readonly transition: JsonObject | null
  /** The effects of the transition at the onset. */
  readonly effects: ReadonlyArray<Step.StepEffect>
  /** The causal chain, which is a heuristic, unlike the onset. */
  readonly causalChain: ReadonlyArray<CausalChain.Link>
  /** The number of links that were left out because of the limit. */
  readonly causalChainOmitted: number
  readonly suggestion: Remediation.Suggestion
  /** The evidence in the trace for each diagnosis. It decides nothing. */
  readonly evidence: ReadonlyArray<Remediation.SupportingFact>
  /** The diagnosis of a person, if one was given. */
  readonly verdict?: Remediation.RecordedDiagnosis
  /** For a regression: the fall of the metric, and whether it recovered. */
  readonly regression?: Fallen
}

/** The first fall of a metric, which is a heuristic, and the first violation of a predicate, which is not. */
export interface Fallen {
  readonly metric: string
  readonly fall: Regression.Fall | null
  readonly heuristic: true
  /**
   * The first hard predicate that was violated in the run. If there is one, the onset of the answer is that of the
   * predicate.
   */
  readonly invariant: { readonly id: string; readonly onset: number } | null
}

/**
 * Makes an answer from a finished search or pass.
 *
 * **Details**
 *
 * `onset` is the step at the onset, if there is one. `failedAt` is the tick from which a registered predicate could
 * not be evaluated, according to the head (`OnsetQuestion.failedAt`).
 */
export const make = (options: {
  readonly run: string
  readonly question: OnsetQuestion.OnsetQuestion
  readonly length: number
  readonly answer: Bisect.Search | Passed
  readonly onset?: Step.Step | undefined
  readonly chain?: CausalChain.CausalChain | undefined
  readonly failedAt?: number | undefined
  readonly verdict?: Remediation.RecordedDiagnosis | undefined
  readonly regression?: Fallen | undefined
  readonly note?: BisectResult["note"] | undefined
  /** The request of the action that the onset continues, for the evidence. */
  readonly request?: Transition | undefined
  /** The number of transitions of the run before its first step. */
  readonly opening?: number | undefined
  /** Effects that stood before the onset and were undone since. No fork may begin after them. */
  readonly undone?: ReadonlyArray<Remediation.Undone> | undefined
}): BisectResult => {
  const { answer, chain, length, onset: step, opening, question, run } = options
  const isSearch = "probes" in answer
  const onset = isSearch ? Bisect.found(answer) : answer.onset
  const begun = step === undefined ? undefined : Step.begun(step)
  // Runs with different beginnings show no fault of either.
  const other =
    question._tag === "Divergence" && onset === 1 && options.verdict === undefined ? question.run : undefined
  const failedAt = options.failedAt ?? (isSearch ? undefined : answer.failedAt)
  return {
    run,
    question,
    onset: onset ?? null,
    evaluations: isSearch ? answer.probes.length : answer.evaluations,
    length,
    probes: isSearch ? answer.probes : [],
    ...(isSearch ? {} : { linear: OnsetQuestion.linear(question) ?? HistoryCodes.make("search.unlatched", {}) }),
    ...(failedAt !== undefined && failedAt < (onset ?? Number.POSITIVE_INFINITY)
      ? { inconclusive: HistoryCodes.make("search.unevaluated", { tick: failedAt }) }
      : {}),
    ...defined({ note: options.note }),
    transition: step === undefined ? null : { tick: step.transition.tick, ...(step.transition.body as JsonObject) },
    effects: step === undefined ? [] : Step.effects(step),
    causalChain: chain?.links ?? [],
    causalChainOmitted: chain?.omitted ?? 0,
    suggestion:
      other === undefined
        ? Remediation.suggest(step?.transition, {
            begun,
            diagnosis: options.verdict?.diagnosis,
            inherited: chain?.inherited.map(({ field, step }) =>
              step === undefined ? { field } : { field, tick: step.transition.tick }
            ),
            opening,
            undone: options.undone
          })
        : Remediation.apart(other),
    evidence:
      step === undefined || other !== undefined
        ? []
        : Remediation.evidence(witnesses(step.transition, options), { begun, onset: step.transition.tick, opening }),
    ...defined({ verdict: options.verdict, regression: options.regression })
  }
}

/** The onset, its request, and the last writers of what it depends on, in the order of the trace. */
const witnesses = (
  onset: Transition,
  { chain, request }: Pick<Parameters<typeof make>[0], "chain" | "request">
): ReadonlyArray<Transition> => {
  const writers = (chain?.inherited ?? []).flatMap(({ step }) => (step === undefined ? [] : [step.transition]))
  const all = new Map(
    [...writers, ...(request === undefined ? [] : [request]), onset].map((each) => [each.tick, each] as const)
  )
  return [...all.values()].sort((left, right) => left.tick - right.tick)
}

/** The fields of a finished pass that an answer needs. */
export type Passed = Pick<Scan.Scan, "evaluations" | "onset" | "failedAt">

/** Chooses between two onsets: that of a hard predicate, if there is one. */
export const fallen = (
  metric: string,
  fall: Regression.Fall | undefined,
  invariant: { readonly id: string; readonly onset: number } | undefined
): Fallen => ({
  metric,
  fall: fall ?? null,
  heuristic: true,
  invariant: invariant ?? null
})

/**
 * Bodies that commit an answer: `bisect.result` and, if there is an onset, `causal.chain`. Facts that follow from the
 * trace by the named ticks are left out, and so are empty fields. A search has its probes; a pass has its number of
 * evaluations.
 */
export const toBodies = (self: CommittedResult): ReadonlyArray<Body> => {
  const { causalChain, causalChainOmitted: omitted, linear, onset, probes, question, regression } = self
  const data: Answered = {
    evidence: self.evidence,
    ...defined({ inconclusive: self.inconclusive }),
    length: self.length,
    ...(linear === undefined ? { probes } : { linear: { evaluations: self.evaluations, why: linear } }),
    ...defined({ note: self.note }),
    ...(onset === null ? {} : { onset }),
    question: OnsetQuestion.toData(question) as Answered["question"],
    ...(regression === undefined ? {} : { regression: fallOf(regression) }),
    suggestion: self.suggestion,
    ...defined({ verdict: self.verdict })
  }
  const found: Body = { author: "kernel", data: json(data), type: "bisect.result" }
  if (onset === null) return [found]
  const links = causalChain.map(({ relation, tick, why }) => ({ relation, tick, why }))
  return [found, { author: "kernel", data: json({ heuristic: true, links, omitted, onset }), type: "causal.chain" }]
}

/** The fields of an answer that are committed. */
export type CommittedResult = Omit<BisectResult, "causalChain" | "effects" | "transition"> & {
  readonly causalChain: ReadonlyArray<Pick<CausalChain.Link, "relation" | "tick" | "why">>
}

type Answered = (typeof Payload.payloads)["bisect.result"]["Type"]

/** The metric is that of the question. */
const fallOf = ({ fall, heuristic, invariant }: Fallen): NonNullable<Answered["regression"]> => {
  if (fall === null) return { heuristic, ...(invariant === null ? {} : { invariant }) }
  const { recovered, ...fell } = fall
  return {
    fall: { ...fell, ...(recovered === null ? {} : { recovered }) },
    heuristic,
    ...(invariant === null ? {} : { invariant })
  }
}

const json = (value: object): NonNullable<Body["data"]> => JsonText.carried(value) as NonNullable<Body["data"]>
