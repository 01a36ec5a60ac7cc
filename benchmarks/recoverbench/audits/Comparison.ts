/**
 * Paired comparison of a rerun with the latest admissible checkpoint: times and replay of the same case and repeat.
 *
 * @source DART, table 10
 */
import * as PairedStatistics from "../../src/PairedStatistics.ts"
import * as Statistics from "../../src/Statistics.ts"
import * as Domain from "../universe/Domain.ts"
import * as Outcomes from "./Outcomes.ts"
import type * as SemanticAudit from "./SemanticAudit.ts"

/** The compared measures: each is lower if less was done again. */
const measures = {
  millis: ({ times }) => times.recovery ?? Number.NaN,
  replay: (trial) => Outcomes.replayOf(trial) ?? Number.NaN,
  upstream: (trial) => Outcomes.upstreamOf(trial) ?? Number.NaN
} as const satisfies Record<string, (trial: SemanticAudit.Pair["rerun"]) => number>

/** A measure that is compared. */
export type Measure = keyof typeof measures

/** One comparison: the restore less the rerun. `adjusted` is the probability among all comparisons of the measure. */
export interface Comparison extends PairedStatistics.Difference {
  readonly measure: Measure
  readonly regime: Domain.Regime
  readonly domain: Domain.Name
  readonly rerun: number
  readonly restored: number
  readonly adjusted: number
}

/** Compares every measure in each regime of each domain. */
export const all = (pairs: ReadonlyArray<SemanticAudit.Pair>): ReadonlyArray<Comparison> =>
  (Object.keys(measures) as ReadonlyArray<Measure>).flatMap((measure) => {
    const rows = (["official", "commitment"] as const).flatMap((regime) =>
      Domain.names.map((domain) => compare(pairs, { domain, measure, regime }))
    )
    const adjusted = PairedStatistics.holm(rows.map(({ probability }) => probability))
    return rows.map((row, index) => ({ ...row, adjusted: adjusted[index] ?? Number.NaN }))
  })

const compare = (
  pairs: ReadonlyArray<SemanticAudit.Pair>,
  { domain, measure, regime }: Pick<Comparison, "domain" | "measure" | "regime">
): Omit<Comparison, "adjusted"> => {
  const value = measures[measure]
  const own = pairs
    .filter(({ restored }) => restored.domain.name === domain && restored.case.regime === regime)
    .map(({ rerun, restored }) => ({ rerun: value(rerun), restored: value(restored) }))
  return {
    ...PairedStatistics.of(
      own.map(({ rerun, restored }) => restored - rerun),
      `recoverbench ${measure} ${regime} ${domain}`
    ),
    measure,
    regime,
    domain,
    rerun: Statistics.median(own.map(({ rerun }) => rerun)),
    restored: Statistics.median(own.map(({ restored }) => restored))
  }
}
