/** Means of observations by policy, and by policy within a ratio, a kind, a scenario or a regime. */
import * as PairedStatistics from "../../src/PairedStatistics.ts"
import * as Statistics from "../../src/Statistics.ts"
import * as Policy from "../harness/Policy.ts"
import type * as Grid from "./Grid.ts"

/** A mean with the interval of 95 % of resampled means. */
export interface Mean {
  readonly mean: number
  readonly interval: readonly [number, number]
}

/** The means of one policy. `spread` is the standard deviation of its quality. */
export interface Summary {
  readonly policy: Policy.Name
  readonly runs: number
  readonly quality: Mean
  readonly spread: number
  readonly quartiles: readonly [number, number, number, number, number]
  readonly wasted: Mean
  readonly compensations: number
  readonly inversions: number
  readonly steps: number
  readonly tokens: number
}

/** A measure of an observation. */
export type Measure = "quality" | "wasted"

/** The mean of a measure for each policy and each value of a part of the grid. */
export interface Split<A> {
  readonly policy: Policy.Name
  readonly at: A
  readonly runs: number
  readonly quality: number
  readonly wasted: number
}

/** Summarises the policies that were observed, in the order of the report. */
export const byPolicy = (observed: ReadonlyArray<Grid.Observation>): ReadonlyArray<Summary> =>
  Policy.names.flatMap((policy) => {
    const own = observed.filter((each) => each.policy === policy)
    if (own.length === 0) return []
    const qualities = own.map(({ quality }) => quality)
    const mean = (of: (each: Grid.Observation) => number) => Statistics.mean(own.map(of))
    return [
      {
        policy,
        runs: own.length,
        quality: meanOf(qualities, `${policy} quality`),
        spread: Statistics.deviation(qualities),
        quartiles: quartilesOf(qualities),
        wasted: meanOf(
          own.map(({ wasted }) => wasted),
          `${policy} wasted`
        ),
        compensations: mean(({ compensations }) => compensations),
        inversions: mean(({ inversions }) => inversions),
        steps: mean(({ steps }) => steps),
        tokens: mean(({ tokens }) => tokens)
      }
    ]
  })

/** Splits observations by a part of the grid. */
export const split = <A>(
  observed: ReadonlyArray<Grid.Observation>,
  values: ReadonlyArray<A>,
  at: (observation: Grid.Observation) => unknown
): ReadonlyArray<Split<A>> =>
  Policy.names.flatMap((policy) =>
    values.flatMap((value) => {
      const own = observed.filter((each) => each.policy === policy && at(each) === value)
      const mean = (measure: Measure) => Statistics.mean(own.map((each) => each[measure]))
      return own.length === 0
        ? []
        : [{ policy, at: value, runs: own.length, quality: mean("quality"), wasted: mean("wasted") }]
    })
  )

/** The mean of one cell of a split; `NaN` if nothing was observed there. */
export const at = <A>(splits: ReadonlyArray<Split<A>>, policy: Policy.Name, value: A, measure: Measure): number =>
  splits.find((each) => each.policy === policy && each.at === value)?.[measure] ?? Number.NaN

const meanOf = (samples: ReadonlyArray<number>, seed: string): Mean => ({
  mean: Statistics.mean(samples),
  interval: PairedStatistics.intervalOf(samples, { seed, statistic: Statistics.mean })
})

/** Least, lower quartile, median, upper quartile and most. */
const quartilesOf = (samples: ReadonlyArray<number>): Summary["quartiles"] => {
  const sorted = [...samples].sort((left, right) => left - right)
  const place = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN
  return [place(0), place(0.25), Statistics.median(sorted), place(0.75), place(1)]
}
