/** The results as aligned tables, for people. */
import * as Requirement from "../src/Requirement.ts"
import { table } from "../src/Table.ts"
import * as Grid from "./audits/Grid.ts"
import * as Published from "./audits/Published.ts"
import * as Summary from "./audits/Summary.ts"
import * as Policy from "./harness/Policy.ts"
import type { Results } from "./Results.ts"
import * as Scenario from "./scenario/Scenario.ts"
import * as Setting from "./scenario/Setting.ts"

/** Writes all results. */
export const print = (results: Results): string =>
  [
    `Scenarios ${results.scenarios.digest.slice(0, 16)}…, ${results.scenarios.seeds} seeds, ` +
      `${results.scenarios.trials} trials`,
    Requirement.print(results.requirements),
    policies(results),
    distributions(results),
    split("By kind", Setting.kinds, results.byKind, Published.byKind),
    split("By ratio", Setting.ratios, results.byRatio, Published.byRatio),
    split("By scenario", Scenario.names, results.byScenario, Published.byScenario),
    comparisons(results),
    curve("Timing: wasted / quality", Grid.regimes, results.timing),
    curve("Several revisions: wasted / quality", ["1", "2", "3", "4", "5"], results.several),
    curve("Parts of the plan: wasted / quality", ["1", "2", "3", "4", "5", "6"], results.length),
    rules(results),
    questions(results),
    bounds(results)
  ].join("\n\n")

const round = (value: number): string => value.toFixed(2)

const policies = ({ policies }: Results): string =>
  table(
    "Policies, main experiment (published: quality, wasted, compensations, steps)",
    ["policy", "runs", "quality", "± sd", "from", "to", "wasted", "K", "R", "steps", "tokens", "published"],
    policies.map(({ compensations, inversions, policy, quality, runs, spread, steps, tokens, wasted }) => [
      policy,
      runs,
      round(quality.mean),
      round(spread),
      round(quality.interval[0]),
      round(quality.interval[1]),
      round(wasted.mean),
      round(compensations),
      round(inversions),
      round(steps),
      Math.round(tokens),
      Published.policies[policy]?.join(", ")
    ])
  )

const distributions = ({ policies }: Results): string =>
  table(
    "Quality: least, quartiles, most",
    ["policy", "min", "Q1", "median", "Q3", "max", "published"],
    policies.map(({ policy, quartiles }) => [policy, ...quartiles, Published.quartiles[policy]?.join(", ")])
  )

const split = <A extends number | string>(
  title: string,
  values: ReadonlyArray<A>,
  splits: ReadonlyArray<Summary.Split<A>>,
  published: Published.Split
): string =>
  table(
    `${title}: quality / wasted (published)`,
    ["policy", ...values.map(String)],
    Policy.names.map((policy) => [
      policy,
      ...values.map((value, index) => {
        const found = (["quality", "wasted"] as const).map((measure) =>
          round(Summary.at(splits, policy, value, measure))
        )
        const [quality, wasted] = published[policy]?.[index] ?? []
        return quality === undefined ? found.join(" / ") : `${found.join(" / ")} (${quality} / ${wasted})`
      })
    ])
  )

const comparisons = ({ comparisons }: Results): string =>
  table(
    "Absorber less the other policy, paired (95 % of resampled means)",
    ["to", "measure", "pairs", "absorber", "other", "difference", "from", "to ", "d", "d_z", "equivalent"],
    comparisons.map((each) => [
      each.to,
      each.measure,
      each.pairs,
      round(each.means[0]),
      round(each.means[1]),
      round(each.difference),
      round(each.interval[0]),
      round(each.interval[1]),
      each.cohensD === null ? null : round(each.cohensD),
      each.effect === null ? null : round(each.effect),
      each.measure === "wasted" ? null : Requirement.verdict(each.isEquivalent)
    ])
  )

const curve = (title: string, heads: ReadonlyArray<string>, places: Results["timing"]): string =>
  table(
    title,
    ["policy", ...heads],
    Policy.names.flatMap((policy) => {
      const own = places.filter((each) => each.policy === policy)
      if (own.length === 0) return []
      return [[policy, ...own.map(({ quality, wasted }) => `${round(wasted)} / ${round(quality)}`)]]
    })
  )

const rules = ({ rules }: Results): string =>
  table(
    "The closure against the earliest conflict, absorption by absorption",
    ["regime", "absorptions", "fewer", "more"],
    rules.map(({ absorptions, fewer, more, regime }) => [regime, absorptions, fewer, more])
  )

const questions = ({ questions: { declared, silent } }: Results): string =>
  table(
    "Questions that contracts left open",
    ["contracts", "policy", "absorptions", "asked", "questions", "more than m"],
    (
      [
        ["declared", declared],
        ["silent", silent]
      ] as const
    ).flatMap(([contracts, found]) =>
      found.map((each) => [contracts, each.policy, each.absorptions, each.asked, each.questions, each.tooMany])
    )
  )

const bounds = ({ bounds }: Results): string =>
  table(
    "Acts with an unavoidable cost: the bound (1 − ρ)·n, in the plan, before the revision; and wasted",
    ["scenario", "ρ", "bound", "in the plan", "before", "absorber", "full restart"],
    bounds.map(({ bound, committed, planned, ratio, scenario, wasted }) => [
      scenario,
      ratio,
      bound,
      planned,
      committed,
      wasted.absorber,
      wasted.restart
    ])
  )
