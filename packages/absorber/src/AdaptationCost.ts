/**
 * The price of an absorption: what the compensation costs, and the work that is abandoned.
 *
 * Any additive measure will do: the cost of several acts is the sum of their costs. Tokens and time that were spent
 * already are no part of the price.
 *
 * @source Revisable by Design, definition 5, equation 2
 */
import type { Absorption, CompensationStep } from "./Absorption.ts"
import type * as Act from "./Act.ts"

/** A measure: the cost of undoing an act, and the cost of having done it in vain. No cost is negative. */
export interface CostMeasure {
  readonly undoing: (act: Act.Act) => number
  readonly waste: (act: Act.Act) => number
}

/** The price in the units of its measure. */
export interface AdaptationCost {
  readonly compensation: number
  readonly waste: number
  readonly total: number
}

/** The part of an absorption that costs something. */
export interface Spent extends Pick<Absorption, "discarded"> {
  readonly undo: ReadonlyArray<Pick<CompensationStep, "undoes">>
}

/** Measures by counting: 1 for each act that is undone, and 1 for each that is discarded. */
export const counting: CostMeasure = { undoing: () => 1, waste: () => 1 }

/** The price of an absorption of these acts. */
export const of = (
  acts: ReadonlyArray<Act.Act>,
  { discarded, undo }: Spent,
  measure: CostMeasure = counting
): AdaptationCost => {
  const byAction = new Map(acts.map((act) => [act.action, act]))
  const sum = (actions: ReadonlyArray<string>, cost: (act: Act.Act) => number) =>
    actions.reduce((total, action) => {
      const act = byAction.get(action)
      return act === undefined ? total : total + cost(act)
    }, 0)
  const compensation = sum(
    undo.map(({ undoes }) => undoes),
    measure.undoing
  )
  const waste = sum(discarded, measure.waste)
  return { compensation, waste, total: compensation + waste }
}
