/** Everything that `pnpm bench:stream` computes, as one document. */
import type { Requirement as Required } from "../src/Requirement.ts"
import * as Comparison from "./audits/Comparison.ts"
import * as Curves from "./audits/Curves.ts"
import * as Grid from "./audits/Grid.ts"
import * as Requirement from "./audits/Requirement.ts"
import * as RuleAudit from "./audits/RuleAudit.ts"
import * as Summary from "./audits/Summary.ts"
import * as Scenario from "./scenario/Scenario.ts"
import * as Scenarios from "./scenario/Scenarios.ts"
import * as Setting from "./scenario/Setting.ts"

/** The results of a run of the benchmark. */
export interface Results {
  readonly scenarios: { readonly digest: string; readonly seeds: number; readonly trials: number }
  readonly requirements: ReadonlyArray<Required>
  readonly policies: ReadonlyArray<Summary.Summary>
  readonly byKind: ReadonlyArray<Summary.Split<(typeof Setting.kinds)[number]>>
  readonly byRatio: ReadonlyArray<Summary.Split<Setting.Ratio>>
  readonly byScenario: ReadonlyArray<Summary.Split<Scenario.Name>>
  readonly savedByRatioAndKind: ReadonlyArray<{ readonly ratio: Setting.Ratio; readonly saved: ReadonlyArray<number> }>
  readonly comparisons: ReadonlyArray<Comparison.Comparison>
  readonly timing: ReadonlyArray<Curves.Place>
  readonly several: ReadonlyArray<Curves.Place>
  readonly length: ReadonlyArray<Curves.Place>
  readonly slopes: ReadonlyArray<Curves.Slope>
  readonly rules: ReadonlyArray<RuleAudit.Rules>
  readonly questions: {
    readonly declared: ReadonlyArray<RuleAudit.Questions>
    readonly silent: ReadonlyArray<RuleAudit.Questions>
  }
  readonly bounds: ReadonlyArray<Bound>
  readonly observed: ReadonlyArray<Grid.Observation>
}

/** Corollary 2's bound on acts with an unavoidable cost, such acts in the plan, and what was discarded. */
export interface Bound {
  readonly scenario: Scenario.Name
  readonly ratio: Setting.Ratio
  readonly bound: number
  readonly planned: number
  /** Acts of class K and X that stood when the revision came. */
  readonly committed: number
  readonly wasted: { readonly absorber: number; readonly restart: number }
}

/** Runs the grid. */
export const measure = async (
  planned: ReadonlyArray<Grid.Planned>,
  say: (line: string) => void = () => {}
): Promise<ReadonlyArray<Grid.Observation>> => {
  const observed: Array<Grid.Observation> = []
  for (const each of planned) {
    observed.push((await Grid.observe(each)).observation)
    if (observed.length % 500 === 0) say(`${observed.length} of ${planned.length} trials`)
  }
  return observed
}

/** Computes all results from observations. */
export const of = (observed: ReadonlyArray<Grid.Observation>, seeds: number): Results => {
  const main = observed.filter(({ experiment }) => experiment === "main")
  const declared = observed.filter(({ experiment }) => experiment !== "silent")
  const silent = observed.filter(({ experiment }) => experiment === "silent")
  return {
    scenarios: { digest: Scenarios.digest, seeds, trials: observed.length },
    requirements: Requirement.all(observed),
    policies: Summary.byPolicy(main),
    byKind: Summary.split(main, Setting.kinds, ({ kind }) => kind),
    byRatio: Summary.split(main, Setting.ratios, ({ ratio }) => ratio),
    byScenario: Summary.split(main, Scenario.names, ({ scenario }) => scenario),
    savedByRatioAndKind: saved(main),
    comparisons: Comparison.all(main),
    timing: Curves.timing(observed),
    several: Curves.several(observed),
    length: Curves.length(observed),
    slopes: Curves.slopes(observed),
    rules: RuleAudit.rules(declared, ["early", "mid", "late", "very late", "several"]),
    questions: {
      declared: RuleAudit.questions(declared, ["absorber", "closure"]),
      silent: RuleAudit.questions(silent, ["absorber", "closure"])
    },
    bounds: bounds(main),
    observed
  }
}

/** Wasted acts that the absorber saves against a full restart, for each ratio and kind. */
const saved = (main: ReadonlyArray<Grid.Observation>): Results["savedByRatioAndKind"] =>
  Setting.ratios.map((ratio) => {
    const split = Summary.split(
      main.filter((each) => each.ratio === ratio),
      Setting.kinds,
      ({ kind }) => kind
    )
    const wasted = (policy: "absorber" | "full restart", kind: (typeof Setting.kinds)[number]) =>
      Summary.at(split, policy, kind, "wasted")
    return { ratio, saved: Setting.kinds.map((kind) => wasted("full restart", kind) - wasted("absorber", kind)) }
  })

const bounds = (main: ReadonlyArray<Grid.Observation>): ReadonlyArray<Bound> =>
  Scenario.names.flatMap((scenario) =>
    Setting.ratios.flatMap((ratio) => {
      const own = main.filter((each) => each.scenario === scenario && each.ratio === ratio)
      const first = own.find(({ policy }) => policy === "absorber")
      if (first === undefined) return []
      const split = Summary.split(own, [ratio], (each) => each.ratio)
      const wasted = (policy: "absorber" | "full restart") => Summary.at(split, policy, ratio, "wasted")
      return [
        {
          scenario,
          ratio,
          bound: (1 - ratio) * first.planned,
          planned: first.committing,
          committed: first.absorptions[0]?.committed ?? 0,
          wasted: { absorber: wasted("absorber"), restart: wasted("full restart") }
        }
      ]
    })
  )
