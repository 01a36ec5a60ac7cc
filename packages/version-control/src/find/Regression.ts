/**
 * Regressions: the first tick at which a number that should grow fell below its best.
 *
 * A metric rises and falls, so this is a linear pass and a heuristic. If a hard predicate was violated in the same
 * run, its onset is the better answer, and the report says so.
 *
 * @source Dendrer, section 9.5 and appendix D
 */

/** A fall. `recovered` is the first tick at which the metric was back at its best; `null` if it never was. */
export interface Fall {
  readonly tick: number
  readonly from: number
  readonly to: number
  readonly recovered: number | null
}

/** A pass under way. */
export interface Regression {
  readonly metric: string
  readonly evaluations: number
  readonly best: number | undefined
  readonly first: Fall | undefined
  /** The number of ticks at which the metric had no value. */
  readonly missing: number
}

/** Begins a pass. */
export const start = (metric: string): Regression => ({
  metric,
  evaluations: 0,
  best: undefined,
  first: undefined,
  missing: 0
})

/** Adds the value after the next tick; `undefined` if there is none. */
export const step = (self: Regression, tick: number, value: number | undefined): Regression => {
  if (value === undefined) return { ...self, missing: self.missing + 1 }
  const { best, first } = self
  const next = { ...self, evaluations: self.evaluations + 1, best: Math.max(best ?? value, value) }
  if (first === undefined) {
    const fell = best !== undefined && value < best
    return fell ? { ...next, first: { tick, from: best, to: value, recovered: null } } : next
  }
  return first.recovered === null && value >= first.from ? { ...next, first: { ...first, recovered: tick } } : next
}
