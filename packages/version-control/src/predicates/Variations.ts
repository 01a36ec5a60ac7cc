/**
 * Traces that did not happen, made from one that did: units of a sample left out and put in another order.
 *
 * A sample shows one order of events. A monotone predicate has to be so in others, too: a refund that came last may
 * come first. Nothing is invented: every transition is one of the sample, and the same reducers fold it. The same
 * sample gives the same variations.
 *
 * @source Dendrer, section 3.3.3 and appendix C
 */
import type * as Fold from "@backstitch/reducer/Fold"
import * as State from "@backstitch/reducer/State"
import type { Transition } from "@backstitch/trace/Transition"
import * as Step from "../compare/Step.ts"
import * as Unit from "../explain/Unit.ts"
import type * as Monotonicity from "./Monotonicity.ts"

/** A trace made from another. `name` describes it: the first ticks of its units, in their new order. */
export interface Variation {
  readonly name: string
  readonly transitions: ReadonlyArray<Transition>
}

/**
 * Makes variations of a trace, which is given in order from tick 1. Transitions that bind the run stay at its
 * beginning.
 */
export function* of(
  sample: { readonly run: string; readonly transitions: ReadonlyArray<Transition> },
  count: number
): Generator<Variation> {
  const units = Unit.all(sample.transitions)
  const loose = new Set(units.flatMap(({ ticks }) => ticks))
  const fixed = sample.transitions.filter(({ tick }) => !loose.has(tick))
  const byTick = new Map(sample.transitions.map((transition) => [transition.tick, transition]))
  const next = sequence(sample.transitions.length)
  for (let index = 0; index < count && units.length > 1; index++) {
    // Half of the variations leave units out; all have another order.
    const kept = index % 2 === 0 ? [...units] : units.filter(() => next(2) === 0)
    for (let last = kept.length - 1; last > 0; last--) {
      const other = next(last + 1)
      const unit = kept[last]!
      kept[last] = kept[other]!
      kept[other] = unit
    }
    const transitions = [...fixed, ...kept.flatMap(({ ticks }) => ticks.map((tick) => byTick.get(tick)!))]
    yield {
      name: `${sample.run}, its units in the order ${shortened(kept.map(({ ticks }) => ticks[0]!))}`,
      transitions: transitions.map((transition, position) => ({ ...transition, tick: position + 1 }))
    }
  }
}

/** Variations as samples for a predicate. Each is folded when it is requested. */
export function* samples(
  fold: Fold.Fold,
  sample: { readonly run: string; readonly transitions: ReadonlyArray<Transition> },
  count: number
): Generator<Monotonicity.Sample> {
  for (const { name, transitions } of of(sample, count)) {
    yield { run: name, steps: Step.walk(fold, State.empty, transitions) }
  }
}

const shortened = (ticks: ReadonlyArray<number>): string =>
  ticks.length > 12 ? `${ticks.slice(0, 12).join(" ")} …` : ticks.join(" ")

/** Pseudo-random numbers below a bound, the same each time. */
const sequence = (seed: number) => {
  let state = (seed * 2_654_435_761) >>> 0
  return (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}
