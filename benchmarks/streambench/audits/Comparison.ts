/** The absorber against each other policy, over pairs of the same setting, revision and seed. */
import * as PairedStatistics from "../../src/PairedStatistics.ts"
import * as Statistics from "../../src/Statistics.ts"
import * as Policy from "../harness/Policy.ts"
import type * as Grid from "./Grid.ts"
import type { Measure } from "./Summary.ts"

/** The fixed margin of equivalence in quality. */
export const margin = 0.25

/** One comparison: means, their paired difference with its interval, and two effect sizes. */
export interface Comparison {
  readonly of: Policy.Name
  readonly to: Policy.Name
  readonly measure: Measure
  readonly pairs: number
  readonly means: readonly [number, number]
  readonly difference: number
  readonly interval: readonly [number, number]
  /** The difference by the pooled deviation of both sides. */
  readonly cohensD: number | null
  /** The difference by the deviation of the differences. */
  readonly effect: number | null
  readonly isEquivalent: boolean
}

/** Compares a policy with each other one that was observed in the same cells. */
export const all = (
  observed: ReadonlyArray<Grid.Observation>,
  of: Policy.Name = "absorber"
): ReadonlyArray<Comparison> =>
  Policy.names.flatMap((to) =>
    to === of || !observed.some(({ policy }) => policy === to)
      ? []
      : (["quality", "wasted"] as const).map((measure) => compare(observed, of, to, measure))
  )

/** Compares two policies by one measure. */
export const compare = (
  observed: ReadonlyArray<Grid.Observation>,
  of: Policy.Name,
  to: Policy.Name,
  measure: Measure
): Comparison => {
  const others = new Map(observed.filter(({ policy }) => policy === to).map((each) => [keyOf(each), each[measure]]))
  const pairs = observed.flatMap((each): ReadonlyArray<readonly [number, number]> => {
    const other = each.policy === of ? others.get(keyOf(each)) : undefined
    return other === undefined ? [] : [[each[measure], other]]
  })
  const [own, other] = [pairs.map(([left]) => left), pairs.map(([, right]) => right)]
  const differences = pairs.map(([left, right]) => left - right)
  const seed = `${of} ${to} ${measure}`
  return {
    of,
    to,
    measure,
    pairs: pairs.length,
    means: [Statistics.mean(own), Statistics.mean(other)],
    difference: Statistics.mean(differences),
    interval: PairedStatistics.intervalOf(differences, { seed, statistic: Statistics.mean }),
    cohensD: PairedStatistics.cohensD(own, other),
    effect: PairedStatistics.effectSize(differences),
    isEquivalent: PairedStatistics.isEquivalent(differences, margin, seed)
  }
}

const keyOf = ({ experiment, kind, parts, ratio, regime, revisions, scenario, seed }: Grid.Observation): string =>
  [experiment, scenario, ratio, kind, regime, revisions, parts, seed].join(" ")
