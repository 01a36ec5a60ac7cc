/** Waste over timing, over several revisions and over the length of the plan, with slopes. */
import * as PairedStatistics from "../../src/PairedStatistics.ts"
import * as Statistics from "../../src/Statistics.ts"
import * as Policy from "../harness/Policy.ts"
import * as Grid from "./Grid.ts"

/** Mean waste and quality of a policy at one place of a curve. */
export interface Place {
  readonly policy: Policy.Name
  readonly x: number
  readonly wasted: number
  readonly quality: number
  readonly compensations: number
  readonly tokens: number
}

/** The slope of the waste of a policy over the length of the plan in parts. */
export interface Slope {
  readonly policy: Policy.Name
  readonly slope: number
  readonly interval: readonly [number, number]
}

/** The means along a curve: `x` places an observation on it, or leaves it out. */
export const curve = (
  observed: ReadonlyArray<Grid.Observation>,
  x: (observation: Grid.Observation) => number | undefined
): ReadonlyArray<Place> =>
  Policy.names.flatMap((policy) => {
    const own = observed.filter((each) => each.policy === policy)
    const places = [...new Set(own.map(x))].filter((each) => each !== undefined).sort((left, right) => left - right)
    return places.map((place) => {
      const there = own.filter((each) => x(each) === place)
      const mean = (of: (each: Grid.Observation) => number) => Statistics.mean(there.map(of))
      return {
        policy,
        x: place,
        wasted: mean(({ wasted }) => wasted),
        quality: mean(({ quality }) => quality),
        compensations: mean(({ compensations, inversions }) => compensations + inversions),
        tokens: mean(({ tokens }) => tokens)
      }
    })
  })

/** Observations of all regimes, under the seeds and the policies of the experiment that varies timing. */
export const timed = (observed: ReadonlyArray<Grid.Observation>): ReadonlyArray<Grid.Observation> => {
  const varied = observed.filter(({ experiment }) => experiment === "timing")
  const [seeds, policies] = [new Set(varied.map(({ seed }) => seed)), new Set(varied.map(({ policy }) => policy))]
  const main = observed.filter(({ experiment }) => experiment === "main")
  return [...varied, ...main.filter(({ policy, seed }) => seeds.has(seed) && policies.has(policy))]
}

/** Timing: 0 is early, 3 very late. The regime in the middle is that of the main experiment. */
export const timing = (observed: ReadonlyArray<Grid.Observation>): ReadonlyArray<Place> =>
  curve(timed(observed), ({ regime }) => (regime === null ? undefined : Grid.regimes.indexOf(regime)))

/** The number of revisions. */
export const several = (observed: ReadonlyArray<Grid.Observation>): ReadonlyArray<Place> =>
  curve(
    observed.filter(({ experiment }) => experiment === "several"),
    ({ revisions }) => revisions
  )

/** The parts of the plan. */
export const length = (observed: ReadonlyArray<Grid.Observation>): ReadonlyArray<Place> =>
  curve(
    observed.filter(({ experiment }) => experiment === "length"),
    ({ parts }) => parts
  )

/** The slopes of waste over the length of the plan, with intervals of resampled runs. */
export const slopes = (observed: ReadonlyArray<Grid.Observation>): ReadonlyArray<Slope> =>
  Policy.names.flatMap((policy) => {
    const points = observed
      .filter((each) => each.experiment === "length" && each.policy === policy)
      .map(({ parts, wasted }) => ({ x: parts, y: wasted }))
    if (points.length === 0) return []
    const interval = PairedStatistics.intervalOf(points, { seed: `${policy} slope`, statistic: Statistics.slope })
    return [{ policy, slope: Statistics.slope(points), interval }]
  })

/** The waste of a policy at each place of a curve, in order. */
export const wasteOf = (places: ReadonlyArray<Place>, policy: Policy.Name): ReadonlyArray<number> =>
  places.filter((each) => each.policy === policy).map(({ wasted }) => wasted)
