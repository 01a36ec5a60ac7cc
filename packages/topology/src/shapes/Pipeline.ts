/**
 * Stages in a row, each trusting the one before. A wrong output of one is amplified by all behind it, while each is
 * green by itself.
 *
 * Only a verdict on the whole shows it: stages that are all green, with a red whole, are poisoned. The stage at which
 * it began is found by halving over the outputs of the stages, judged again in the light of the whole.
 *
 * @source Crash Recovery, pipeline crash profile
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Bisect from "@backstitch/version-control/Bisect"
import * as Crack from "../event/Crack.ts"
import type * as Memo from "../event/Memo.ts"
import type { Noted, TopologyEvent } from "../event/TopologyEvent.ts"
import * as Limits from "../Limits.ts"
import * as Shape from "./Shape.ts"

/** A verdict at a gate. */
export interface Gate extends JsonObject {
  readonly stage: string
  readonly green: boolean
  readonly tick: number
  readonly agent?: string | undefined
}

/**
 * The gates of the item under way, in the order of the first verdicts, the verdict on their whole, and the best score
 * of a whole so far.
 */
export interface Pipeline extends JsonObject {
  readonly item: string
  readonly gates: ReadonlyArray<Gate>
  /** Absent from the first verdict on a stage that was done again. */
  readonly isWholeGreen?: boolean | undefined
  readonly best?: { readonly score: number; readonly tick: number } | undefined
}

const judged = (self: Pipeline, event: Noted, memo: Memo.Memo & { readonly memo: "gate" }): Shape.Stepped<Pipeline> => {
  const { agent, tick } = event
  const item = memo.item ?? ""
  const begun: Pipeline = item === self.item ? self : { ...self, item, gates: [], isWholeGreen: undefined }
  if (memo.whole === true) return wholeJudged(begun, event, memo)
  const gate: Gate = { stage: memo.stage, green: memo.green, tick, ...(agent === undefined ? {} : { agent }) }
  const index = begun.gates.findIndex(({ stage }) => stage === memo.stage)
  // Stages behind one that is judged again work on its new output: their verdicts are void.
  const gates = index < 0 ? [...begun.gates, gate] : [...begun.gates.slice(0, index), gate]
  return Shape.quiet({ ...begun, gates, isWholeGreen: undefined })
}

const wholeJudged = (
  before: Pipeline,
  { tick }: Noted,
  { green, score }: Memo.Memo & { readonly memo: "gate" }
): Shape.Stepped<Pipeline> => {
  const self: Pipeline = { ...before, isWholeGreen: green }
  const { best, gates } = self
  const isGreen = gates.length > 0 && gates.every((gate) => gate.green)
  const evidence = gates.map((gate) => gate.tick)
  const [first] = gates
  if (!green) {
    if (!isGreen || first === undefined) return Shape.quiet(self)
    const found = { tick, evidence, agent: first.agent, subject: first.stage }
    return { state: self, cracks: [Crack.make("cascading_poison", "whole_red_stages_green", found)] }
  }
  if (score === undefined) return Shape.quiet(self)
  const state = best === undefined || score > best.score ? { ...self, best: { score, tick } } : self
  if (best === undefined || best.score - score < Limits.pacing.decayedScoreFallMin || !isGreen)
    return Shape.quiet(state)
  const found = { tick, evidence: [best.tick, ...evidence], agent: first?.agent, subject: first?.stage }
  return { state, cracks: [Crack.make("silent_decay", "whole_score_falls", found)] }
}

/** The pipeline as a decider. */
export const shape: Shape.Shape<Pipeline> = {
  kind: "pipeline",
  needs: "order",
  init: { item: "", gates: [] },
  step: (self, event: TopologyEvent) =>
    event._tag === "Noted" && event.memo.memo === "gate" ? judged(self, event, event.memo) : Shape.quiet(self)
}

/**
 * A poison with the stage that was found poisoned later, if there is one: the first red gate behind the red whole, as
 * the search for it commits it. The first signal itself names the first stage, because nobody knows better by then.
 */
export const inHindsight = (crack: Crack.Crack, events: ReadonlyArray<TopologyEvent>): Crack.Crack => {
  if (crack.crack !== "cascading_poison") return crack
  const gates = events.flatMap((event) =>
    event._tag === "Noted" && event.memo.memo === "gate" ? [{ ...event, memo: event.memo }] : []
  )
  const later = gates.filter(({ tick }) => tick > crack.tick)
  const red = later.find(({ memo }) => memo.whole === true || !memo.green)
  if (red === undefined || red.memo.whole === true) return crack
  const { stage } = red.memo
  const green = gates.findLast(({ memo, tick }) => memo.stage === stage && memo.whole !== true && tick < crack.tick)
  const evidence = green === undefined ? [red.tick] : [green.tick, red.tick]
  return Crack.make("cascading_poison", "whole_red_stages_green", {
    tick: crack.tick,
    evidence,
    agent: green?.agent,
    subject: stage
  })
}

/** The stage at which poison entered, the last clean one before it, and the number of outputs that were judged. */
export interface Poisoned {
  readonly stage: string | undefined
  readonly lastClean: string | undefined
  readonly probes: number
}

/**
 * The answer of a finished search for the first stage whose output is poisoned; the first stage is at place 1. `stage`
 * is undefined if every output is clean, and `lastClean` if the first stage is poisoned: then the item begins again
 * from its source.
 */
export const foundIn = (stages: ReadonlyArray<string>, search: Bisect.Search): Poisoned => {
  const found = Bisect.found(search)
  return {
    stage: found === undefined ? undefined : stages[found - 1],
    lastClean: found === undefined ? stages.at(-1) : stages[found - 2],
    probes: search.probes.length
  }
}

/**
 * The last stage of the item that is green with all stages before it: a resume continues behind it. `undefined` if
 * there is none.
 */
export const lastClean = ({ gates }: Pipeline): string | undefined => {
  const red = gates.findIndex(({ green }) => !green)
  return (red < 0 ? gates.at(-1) : gates[red - 1])?.stage
}

/** The way on: a stage, the verdict on the whole, the search for the poisoned stage, or the end. */
export type PipelineResumption =
  | { readonly _tag: "Stage"; readonly stage: string; readonly isAgain: boolean }
  | { readonly _tag: "Judge" }
  | { readonly _tag: "Search" }
  | { readonly _tag: "Ship" }

/**
 * Decides how the item under way goes on: behind its last clean gate. A stage that was found poisoned has a red gate.
 *
 * **Example** (The whole is red, and every stage is green)
 *
 * ```ts import.meta.vitest
 * import { Pipeline } from "@backstitch/topology"
 *
 * const declared = { kind: "pipeline", agents: {}, order: ["cite", "write"] } as const
 * const judged = (state: Pipeline.Pipeline, memo: object) =>
 *   Pipeline.shape.step(state, { _tag: "Noted", memo: { memo: "gate", ...memo } } as never, declared).state
 * const cited = judged(Pipeline.shape.init, { stage: "cite", green: true })
 *
 * Pipeline.resume(cited, declared) // => { _tag: "Stage", stage: "write", isAgain: false }
 * const written = judged(cited, { stage: "write", green: true })
 * Pipeline.resume(judged(written, { stage: "write", whole: true, green: false }), declared) // => { _tag: "Search" }
 * ```
 */
export const resume = (
  { gates, isWholeGreen }: Pipeline,
  { order }: Pick<Topology.Topology, "order">
): PipelineResumption => {
  const red = gates.find(({ green }) => !green)
  if (red !== undefined) return { _tag: "Stage", stage: red.stage, isAgain: true }
  const next = order.find((stage) => gates.every((gate) => gate.stage !== stage))
  if (next !== undefined) return { _tag: "Stage", stage: next, isAgain: false }
  if (isWholeGreen === undefined) return { _tag: "Judge" }
  return isWholeGreen ? { _tag: "Ship" } : { _tag: "Search" }
}
