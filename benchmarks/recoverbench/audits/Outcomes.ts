/**
 * Outcomes of recovery by domain, regime and strategy: the rate of success, and the repeated work.
 *
 * | status | meaning |
 * | --- | --- |
 * | `ok` | the task was done as its contract demands |
 * | `contract` | something was restored, and the task was not done as its contract demands |
 * | `blocked` | the gate named instances that depend on what would be taken away |
 * | `no-recov` | no effect permits any restore point, or no single instance was identified |
 *
 * @source DART, tables 1 and 9
 */
import * as Statistics from "../../src/Statistics.ts"
import type * as Strategy from "../harness/Strategy.ts"
import type * as Trial from "../harness/Trial.ts"
import type * as Domain from "../universe/Domain.ts"
import * as TrialAudit from "./TrialAudit.ts"

/** Statuses of a trial. */
export type Status = "blocked" | "contract" | "no-recov" | "ok"

/** One measured trial. */
export interface Measured {
  readonly strategy: Strategy.Name
  readonly repeat: number
  readonly trial: Trial.Trial
}

/** The outcome of a strategy in a regime of a domain. Counts and times are medians over the trials that succeeded. */
export interface Outcome {
  readonly domain: Domain.Name
  readonly regime: Domain.Regime
  readonly strategy: Strategy.Name
  readonly trials: number
  readonly success: number
  readonly replay: number | null
  readonly upstream: number | null
  readonly preserved: number | null
  readonly millis: number | null
  /** The share of trials in which less than the whole task was restored. */
  readonly observed: number
  readonly status: ReadonlyArray<Status>
}

/** The status of a trial. */
export const statusOf = (trial: Trial.Trial): Status => {
  if (TrialAudit.isSuccess(trial)) return "ok"
  if (trial.end !== "blocked") return "contract"
  const { decided } = trial.failed
  const reasons = decided?._tag === "Blocked" ? decided.reasons : []
  return reasons.some((reason) => "consumers" in reason) ? "blocked" : "no-recov"
}

/** Steps that were done again for the failed step to succeed. */
export const replayOf = ({ replayed }: Trial.Trial): number | undefined => replayed?.length

/** Steps that were done again and do not belong to the failed instance. */
export const upstreamOf = (trial: Trial.Trial): number | undefined => {
  const own = trial.steps[trial.case.fails]?.instance
  return trial.replayed?.filter(({ instance }) => instance !== own).length
}

/** Instances that were complete when the step failed, and of which no step was repeated. */
export const preservedOf = ({ failed, replayed = [] }: Trial.Trial): number =>
  failed.complete.filter((name) => replayed.every(({ instance }) => instance !== name)).length

/** Sums up the trials of one strategy in one regime of one domain. */
export const summarise = (
  of: Pick<Outcome, "domain" | "regime" | "strategy">,
  measured: ReadonlyArray<Measured>
): Outcome => {
  const trials = measured
    .filter(
      ({ strategy, trial }) =>
        strategy === of.strategy && trial.domain.name === of.domain && trial.case.regime === of.regime
    )
    .map(({ trial }) => trial)
  const succeeded = trials.filter(TrialAudit.isSuccess)
  const median = (value: (trial: Trial.Trial) => number | undefined): number | null =>
    succeeded.length === 0 ? null : Statistics.median(succeeded.map((trial) => value(trial) ?? Number.NaN))
  return {
    ...of,
    trials: trials.length,
    success: succeeded.length / trials.length,
    replay: median(replayOf),
    upstream: median(upstreamOf),
    preserved: median(preservedOf),
    millis: median(({ times }) => times.recovery),
    observed: trials.filter(isObserved(of.strategy)).length / trials.length,
    status: [...new Set(trials.map(statusOf))].sort()
  }
}

const isObserved =
  (strategy: Strategy.Name) =>
  ({ failed }: Trial.Trial): boolean =>
    strategy === "coarse state" || failed.checkpoint !== undefined
