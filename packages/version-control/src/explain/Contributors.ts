/**
 * Contributors to a failure: a minimal set of intents before the onset without which it does not occur.
 *
 * The onset is the first failing tick. Often it is the last of several steps that were harmless alone. This search
 * removes steps and folds the rest again, by delta debugging, until no step can be put back without the failure. The
 * unit with the onset stays, because without it nothing can fail.
 *
 * **Gotchas**
 *
 * The result is exact for the reducer and a heuristic for the agent: without these steps the trace folds to a state
 * without the failure, but it is unknown what the agent would have done. The set is 1-minimal: another set, even a
 * smaller one, may also exist. A fold that cannot evaluate the question prevents nothing, and is counted.
 *
 * @source Dendrer, section 3.3.3 (two outputs), left open there; Zeller and Hildebrandt, 2002
 */
import type * as Fold from "@backstitch/reducer/Fold"
import * as Latch from "@backstitch/reducer/Latch"
import type * as Rules from "@backstitch/reducer/Rules"
import * as State from "@backstitch/reducer/State"
import type * as Ontology from "@backstitch/trace/Ontology"
import type { Transition } from "@backstitch/trace/Transition"
import * as Changes from "../compare/Changes.ts"
import * as Step from "../compare/Step.ts"
import * as Scan from "../find/Scan.ts"
import * as Limits from "../Limits.ts"
import * as OnsetQuestion from "../onset/OnsetQuestion.ts"
import * as DeltaDebugging from "./DeltaDebugging.ts"
import * as Unit from "./Unit.ts"

/** One intent of the set, with the later ticks that depend on it. */
export interface Contributor {
  readonly tick: number
  readonly type: Ontology.TypeName
  /** Every tick up to the onset that is removed with it. */
  readonly ticks: ReadonlyArray<number>
  /** The effects of each of its transitions that changed `world` or `working`. */
  readonly effects: ReadonlyArray<ReadonlyArray<Step.StepEffect>>
}

/**
 * The end of a search.
 *
 * - `minimal`: without these intents the failure does not occur, and each of them is needed.
 * - `not minimal`: without these intents the failure does not occur; the budget ended before each was tried alone.
 * - `none found`: the failure occurs without everything before it, and without every part that was tried, down to
 *   each intent alone.
 * - `undecided`: the budget ended before a set was found.
 */
export type SearchVerdict = "minimal" | "not minimal" | "none found" | "undecided"

/** The contributors to an onset, as plain JSON. */
export interface Contributors {
  readonly onset: number
  readonly verdict: SearchVerdict
  readonly contributors: ReadonlyArray<Contributor>
  /** The number of intents before the onset that could have been left out. */
  readonly candidates: number
  readonly folds: number
  readonly budget: number
  /** The number of folds in which the question could not be evaluated, so that they show nothing. */
  readonly unresolved: number
  readonly exactFor: "the reducer"
  readonly heuristicFor: "the agent"
}

/** The default maximum of folds in a search: a number for each halving of the ticks up to the onset. */
export const budgetOf = (onset: number): number =>
  Limits.pacing.foldsPerHalving * Math.max(1, Math.ceil(Math.log2(onset)))

/**
 * Finds what led to an onset.
 *
 * **Details**
 *
 * `transitions` are those of the run from tick 1, at least up to the onset. `predicate` is needed for an expression,
 * which no fold latches. For other questions its reads, if known, say where to search first.
 */
export const find = (options: {
  readonly fold: Fold.Fold
  readonly transitions: ReadonlyArray<Transition>
  readonly question: OnsetQuestion.OnsetQuestion
  readonly onset: number
  readonly predicate?: Rules.Predicate | undefined
  readonly budget?: number | undefined
}): Contributors => {
  const { onset, predicate } = options
  const budget = options.budget ?? budgetOf(onset)
  const original = replay({ ...options, transitions: options.transitions.filter(({ tick }) => tick <= onset) })
  const candidates = Unit.all(original.transitions).filter(({ ticks }) => !ticks.includes(onset))
  let folds = 0
  let unresolved = 0
  const prevents = (units: ReadonlyArray<Unit.Unit>): boolean => {
    folds++
    const verdict = original.without(new Set(units.flatMap(({ ticks }) => ticks)))
    if (verdict === "unresolved") unresolved++
    return verdict === "prevented"
  }
  const end = (verdict: SearchVerdict, units: ReadonlyArray<Unit.Unit> = []): Contributors => ({
    onset,
    verdict,
    contributors: units.map((unit) => original.describe(unit)),
    candidates: candidates.length,
    folds,
    budget,
    unresolved,
    exactFor: "the reducer",
    heuristicFor: "the agent"
  })
  // A unit that writes none of the read fields seldom matters, so the others are tried first.
  const near = candidates.filter((unit) => original.writes(unit, predicate?.reads))
  const first = DeltaDebugging.reduce(near, prevents, { budget })
  const reduced =
    first.items === undefined && first.minimal && near.length < candidates.length
      ? DeltaDebugging.reduce(candidates, prevents, { budget: budget - folds })
      : first
  if (reduced.items !== undefined) return end(reduced.minimal ? "minimal" : "not minimal", reduced.items)
  return end(reduced.minimal ? "none found" : "undecided")
}

const { keptStateTicksMax: stride } = Limits.pacing

/** The original trace, prepared to be folded again without some of its ticks. */
const replay = (options: {
  readonly fold: Fold.Fold
  readonly transitions: ReadonlyArray<Transition>
  readonly question: OnsetQuestion.OnsetQuestion
  readonly onset: number
  readonly predicate?: Rules.Predicate | undefined
}) => {
  const { fold, onset, predicate, question, transitions } = options
  const kept: Array<State.State> = [State.empty]
  const effects = new Map<
    number,
    { readonly fields: ReadonlyArray<string>; readonly effects: ReadonlyArray<Step.StepEffect> }
  >()
  let state = State.empty
  for (const [index, transition] of transitions.entries()) {
    const step = Step.make(fold, state, transition)
    const fields = Changes.fields(step.before, step.after)
    if (fields.length > 0) effects.set(transition.tick, { fields, effects: Step.effects(step) })
    state = step.after
    if ((index + 1) % stride === 0) kept.push(state)
  }
  const failures = failuresOf(state)
  const without = (gone: ReadonlySet<number>): "prevented" | "held" | "unresolved" => {
    const first = transitions.findIndex(({ tick }) => gone.has(tick))
    const from = Math.floor(Math.max(0, first) / stride)
    let at = kept[from]!
    let scan = question._tag === "Expression" && predicate !== undefined ? Scan.start(predicate) : undefined
    for (const transition of transitions.slice(from * stride)) {
      if (gone.has(transition.tick)) continue
      const step = Step.make(fold, at, transition)
      at = step.after
      if (scan !== undefined) scan = Scan.step(scan, step)
      if (scan?.onset !== undefined || OnsetQuestion.violates(question, at, onset)) return "held"
    }
    const isSound = (scan?.failures ?? 0) === 0 && failuresOf(at).every((id) => failures.includes(id))
    return isSound ? "prevented" : "unresolved"
  }
  return {
    transitions,
    without,
    /** Tells whether a unit writes a read field, or any field if the reads are unknown. */
    writes: (unit: Unit.Unit, reads: ReadonlyArray<string> | undefined): boolean =>
      unit.ticks.some((tick) => {
        const written = effects.get(tick)?.fields
        return written !== undefined && (reads === undefined || written.some((field) => reads.includes(field)))
      }),
    describe: ({ ticks }: Unit.Unit): Contributor => {
      const [tick] = ticks
      return {
        tick: tick!,
        type: transitions[tick! - 1]!.body.type,
        ticks,
        effects: ticks.flatMap((each) => {
          const found = effects.get(each)
          return found === undefined ? [] : [found.effects]
        })
      }
    }
  }
}

/** Predicates and reducers that could not be evaluated: a trace that fails in a new way shows nothing. */
const failuresOf = (state: State.State): ReadonlyArray<string> =>
  Object.keys(Latch.of(state)).filter((id) => !Latch.read(id).isAnswered)
