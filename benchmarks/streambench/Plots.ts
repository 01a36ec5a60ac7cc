/** The results as plots, each an SVG file by its name. */
import * as Plot from "../src/Plot.ts"
import * as Statistics from "../src/Statistics.ts"
import * as Grid from "./audits/Grid.ts"
import * as Summary from "./audits/Summary.ts"
import * as Policy from "./harness/Policy.ts"
import * as Trial from "./harness/Trial.ts"
import type { Results } from "./Results.ts"
import { eventPlanning } from "./scenario/eventPlanning.ts"
import * as Scenario from "./scenario/Scenario.ts"
import * as Setting from "./scenario/Setting.ts"

/** Draws all plots; the case study runs its trials again. */
export const all = async (results: Results): Promise<Readonly<Record<string, string>>> => ({
  frontier: frontier(results),
  "case-study": await caseStudy(),
  "quality-by-kind": Plot.heatmap(
    "Quality by policy and kind of revision",
    Setting.kinds,
    Policy.names.map((policy) => ({
      name: policy,
      cells: Setting.kinds.map((kind) => Summary.at(results.byKind, policy, kind, "quality"))
    }))
  ),
  "saved-by-ratio-and-kind": Plot.heatmap(
    "Wasted acts that the absorber saves against a full restart",
    Setting.kinds,
    results.savedByRatioAndKind.map(({ ratio, saved }) => ({ name: `ρ = ${ratio}`, cells: saved }))
  ),
  ratios: byRatio(results),
  ...byScenario(results),
  timing: curves(`Waste by ${timing}`, "timing", results.timing),
  "compensations-by-timing": curves(`Acts taken back by ${timing}`, "timing", results.timing, "compensations"),
  several: curves("Waste by the number of revisions", "revisions", results.several),
  "tokens-by-revisions": curves("Tokens by the number of revisions", "revisions", results.several, "tokens"),
  length: curves("Waste by the length of the plan", "times as long", results.length),
  distributions: distributions(results),
  "gap-to-oracle": gaps(results),
  "productive-and-wasted": productive(results),
  "quality-and-wasted": Plot.bars(
    { title: "Quality of a run, and its wasted acts", x: "", y: "quality, acts" },
    ["quality", "wasted"],
    results.policies.map(({ policy, quality, wasted }) => ({
      name: policy.slice(0, 12),
      bars: [[quality.mean], [wasted.mean]]
    }))
  ),
  "productive-by-ratio-and-kind": productiveShare(results),
  "bound-and-measured": bound(results)
})

const frontier = ({ policies }: Results): string =>
  Plot.points(
    { title: "Quality and waste (bars: 95 % of resampled means)", x: "wasted acts", y: "quality" },
    policies.map(({ policy, quality, wasted }) => ({
      name: policy,
      points: [{ x: wasted.mean, y: quality.mean, spread: (quality.interval[1] - quality.interval[0]) / 2 }]
    }))
  )

const byRatio = ({ byRatio }: Results): string =>
  Plot.lines(
    { title: "Waste by the reversibility ratio", x: "ρ", y: "wasted acts" },
    (["absorber", "closure", "full restart", "checkpoint-5"] as const).map((policy) => ({
      name: policy,
      points: Setting.ratios.map((ratio) => ({ x: ratio, y: Summary.at(byRatio, policy, ratio, "wasted") }))
    }))
  )

const timing = "timing (0 early, 1 mid, 2 late, 3 very late)"

/** The axes of curves, by the measure that they show. */
const measures = { wasted: "wasted acts", compensations: "acts taken back", tokens: "tokens" } as const

const curves = (
  title: string,
  x: string,
  places: Results["timing"],
  measure: keyof typeof measures = "wasted"
): string =>
  Plot.lines(
    { title, x, y: measures[measure] },
    Policy.names.flatMap((policy) => {
      const points = places.filter((each) => each.policy === policy).map((each) => ({ x: each.x, y: each[measure] }))
      return points.length === 0 ? [] : [{ name: policy, points }]
    })
  )

/** Quality and waste of each policy in each scenario. */
const byScenario = ({ byScenario }: Results): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (["quality", "wasted"] as const).map((measure) => [
      `${measure}-by-scenario`,
      Plot.heatmap(
        `${measure === "quality" ? "Quality" : "Wasted acts"} by policy and scenario`,
        Scenario.names,
        Policy.names.map((policy) => ({
          name: policy,
          cells: Scenario.names.map((scenario) => Summary.at(byScenario, policy, scenario, measure))
        }))
      )
    ])
  )

/** The share of runs of each policy by what they fall short of the oracle in the same setting under the same seed. */
const gaps = ({ observed }: Results): string => {
  const main = observed.filter(({ experiment }) => experiment === "main")
  const placeOf = ({ kind, ratio, scenario, seed }: Grid.Observation) => `${scenario} ${ratio} ${kind} ${seed}`
  const best = new Map(
    main.filter(({ policy }) => policy === "oracle").map((each) => [placeOf(each), each.quality] as const)
  )
  const steps = Array.from({ length: 9 }, (_, index) => index / 2)
  return Plot.heatmap(
    "Share of runs by what they fall short of the oracle",
    steps.map(String),
    Policy.names
      .filter((policy) => policy !== "oracle")
      .map((policy) => {
        const own = main.filter((each) => each.policy === policy)
        const short = (each: Grid.Observation) => (best.get(placeOf(each)) ?? each.quality) - each.quality
        const count = (gap: number) => own.filter((each) => short(each) === gap).length
        return { name: policy, cells: steps.map((gap) => count(gap) / Math.max(1, own.length)) }
      })
  )
}

/** The steps of the absorber that were not wasted, as a multiple of those of a full restart. */
const productiveShare = ({ observed }: Results): string => {
  const main = observed.filter(({ experiment }) => experiment === "main")
  return Plot.heatmap(
    "Productive steps of the absorber ÷ those of a full restart",
    Setting.kinds,
    Setting.ratios.map((ratio) => {
      const cells = Setting.kinds.map((kind) => {
        const productive = (policy: Policy.Name) => {
          const own = main.filter((each) => each.policy === policy && each.ratio === ratio && each.kind === kind)
          return Statistics.mean(own.map(({ steps, wasted }) => steps - wasted))
        }
        return productive("absorber") / productive("full restart")
      })
      return { name: `ρ = ${ratio}`, cells }
    })
  )
}

/** The share of runs of each policy at each quality. */
const distributions = ({ observed }: Results): string => {
  const main = observed.filter(({ experiment }) => experiment === "main")
  const qualities = Array.from({ length: 9 }, (_, index) => 1 + index / 2)
  return Plot.heatmap(
    "Share of runs by quality",
    qualities.map(String),
    Policy.names.map((policy) => {
      const own = main.filter((each) => each.policy === policy)
      const count = (quality: number) => own.filter((each) => each.quality === quality).length
      return { name: policy, cells: qualities.map((quality) => count(quality) / Math.max(1, own.length)) }
    })
  )
}

const productive = ({ policies }: Results): string =>
  Plot.bars(
    { title: "Productive and wasted steps of a run", x: "", y: "steps" },
    ["productive", "wasted"],
    policies.map(({ policy, steps, wasted }) => ({
      name: policy.slice(0, 12),
      bars: [[steps - wasted.mean, wasted.mean]]
    }))
  )

/** Wasted acts of each kind of revision beside the acts of class K and X that stood before it. */
const bound = ({ byKind, observed }: Results): string => {
  const main = observed.filter(({ experiment, policy }) => experiment === "main" && policy === "absorber")
  return Plot.bars(
    { title: "Wasted acts, and acts of class K and X before the revision", x: "", y: "acts" },
    ["wasted by the absorber", "K and X before", "wasted by a full restart"],
    Setting.kinds.map((kind) => {
      const own = main.filter((each) => each.kind === kind)
      const before = own.reduce((sum, { absorptions }) => sum + (absorptions[0]?.committed ?? 0), 0)
      const wasted = (policy: Policy.Name) => Summary.at(byKind, policy, kind, "wasted")
      return {
        name: kind,
        bars: [[wasted("absorber")], [before / Math.max(1, own.length)], [wasted("full restart")]]
      }
    })
  )
}

const shades = { I: "#8fd19e", R: "#8ab6e8", K: "#f0a24b", X: "#c0392b", gone: "#cccccc", again: "#c39bd3" } as const

/** A substitutive revision of event planning at the least ratio, step by step. */
const caseStudy = async (): Promise<string> => {
  const setting = Setting.make(eventPlanning, { ratio: 0.25, seed: 0 })
  const after = Grid.dueAfter(setting, "mid")
  const dues = [{ after, revision: setting.revisions.substitutive }]
  const policies = ["absorber", "full restart", "naive", "ignore"] as const
  const rows = []
  for (const policy of policies) {
    const { absorptions, taken, verdict } = await Trial.run({ setting, policy, dues })
    const gone = new Set(absorptions.flatMap(({ discardedPlaces }) => discardedPlaces))
    const colour = (step: Setting.PlannedStep, place: number) =>
      gone.has(place) ? shades.gone : place >= after && policy !== "ignore" ? shades.again : shades[step.class]
    rows.push({
      name: `${policy}: ${verdict.quality}`,
      cells: taken.map((step, place) => ({ colour: colour(step, place), text: step.class }))
    })
  }
  return Plot.tiles(`${setting.scenario.name}, ρ = 0.25: “${dues[0]?.revision.said}” after step ${after}`, rows, [
    { colour: shades.I, text: "question" },
    { colour: shades.R, text: "exactly undoable" },
    { colour: shades.K, text: "compensable" },
    { colour: shades.X, text: "final" },
    { colour: shades.gone, text: "discarded" },
    { colour: shades.again, text: "after the revision" }
  ])
}
