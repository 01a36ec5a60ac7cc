/** The requirements on the absorber, each with what was measured and what was published. */
import type { Requirement } from "../../src/Requirement.ts"
import * as Statistics from "../../src/Statistics.ts"
import type * as Policy from "../harness/Policy.ts"
import * as Setting from "../scenario/Setting.ts"
import * as Comparison from "./Comparison.ts"
import * as Curves from "./Curves.ts"
import type * as Grid from "./Grid.ts"
import * as Published from "./Published.ts"
import * as RuleAudit from "./RuleAudit.ts"
import * as Summary from "./Summary.ts"

/** Checks every requirement on observations of the whole grid. */
export const all = (observed: ReadonlyArray<Grid.Observation>): ReadonlyArray<Requirement> => {
  const main = observed.filter(({ experiment }) => experiment === "main")
  return [
    ...waste(main),
    byRatio(main),
    ...quality(main),
    timing(observed),
    several(observed),
    ...length(observed),
    ...closure(observed),
    ...questions(observed)
  ]
}

const round = (value: number): string => String(Number(value.toFixed(2)))

const listed = (values: ReadonlyArray<number>): string => values.map(round).join(", ")

const between = ([least, most]: readonly [number, number]): string => `${round(least)} to ${round(most)}`

const waste = (main: ReadonlyArray<Grid.Observation>): ReadonlyArray<Requirement> => {
  const mean = (policy: Policy.Name) =>
    Statistics.mean(main.filter((each) => each.policy === policy).map(({ wasted }) => wasted))
  const [absorber, restart] = [mean("absorber"), mean("full restart")]
  const most = Math.max(...main.filter(({ policy }) => policy === "absorber").map(({ wasted }) => wasted))
  return [
    {
      name: "wasted acts an absorption",
      required: "at most 1",
      measured: `${round(absorber)}, at most ${round(most)}`,
      published: "0.78, 1.00, 1.00",
      isMet: most <= 1
    },
    {
      name: "wasted by full restart",
      required: "each act before the revision",
      measured: round(restart),
      published: "11.41, 13.57, 10.76",
      isMet: main
        .filter(({ policy }) => policy === "full restart")
        .every(({ absorptions, wasted }) => wasted === absorptions.reduce((sum, { steps }) => sum + steps, 0))
    },
    {
      name: "full restart ÷ absorber",
      required: "–",
      measured: round(restart / absorber),
      published: Published.ratios,
      isMet: null
    }
  ]
}

const byRatio = (main: ReadonlyArray<Grid.Observation>): Requirement => {
  const split = Summary.split(main, Setting.ratios, ({ ratio }) => ratio)
  const wasted = Setting.ratios.map((ratio) => Summary.at(split, "absorber", ratio, "wasted"))
  const [first = Number.NaN, ...others] = wasted
  return {
    name: "wasted by ratio 1, 0.75, 0.5, 0.25",
    required: "0, then at most 1",
    measured: listed(wasted),
    published: listed(Published.byRatio.absorber.map(([, wasted]) => wasted)),
    isMet: first === 0 && others.every((each) => each <= 1)
  }
}

const quality = (main: ReadonlyArray<Grid.Observation>): ReadonlyArray<Requirement> => {
  const compare = (of: Policy.Name, to: Policy.Name) => Comparison.compare(main, of, to, "quality")
  const ahead = (of: Policy.Name, to: Policy.Name, published: string): Requirement => {
    const { difference, interval, means } = compare(of, to)
    return {
      name: `quality of ${of} − ${to}`,
      required: "more than 0",
      measured: `${listed(means)}: ${round(difference)} (${between(interval)})`,
      published,
      isMet: interval[0] > 0
    }
  }
  const restart = compare("absorber", "full restart")
  const oracle = compare("oracle", "absorber")
  return [
    ahead("naive", "ignore", "2.78 − 1.99"),
    ahead("absorber", "naive", "3.07 − 2.78"),
    {
      name: "quality of absorber and full restart",
      required: `equivalent within ${Comparison.margin}`,
      measured: `${listed(restart.means)}: ${round(restart.difference)} (${between(restart.interval)})`,
      published: "3.07, 3.17",
      isMet: restart.isEquivalent
    },
    {
      name: "quality of oracle − absorber",
      required: "at least 0",
      measured: `${listed(oracle.means)}: ${round(oracle.difference)} (${between(oracle.interval)})`,
      published: "3.79 − 3.07",
      isMet: oracle.difference >= 0
    }
  ]
}

const timing = (observed: ReadonlyArray<Grid.Observation>): Requirement => {
  const wasted = Curves.wasteOf(Curves.timing(observed), "absorber")
  return {
    name: "wasted early, mid, late, very late",
    required: "0, and never less than before",
    measured: listed(wasted),
    published: listed(Published.timing.absorber ?? []),
    isMet: wasted[0] === 0 && wasted.every((each, index) => index === 0 || each >= (wasted[index - 1] ?? 0))
  }
}

const several = (observed: ReadonlyArray<Grid.Observation>): Requirement => {
  const places = Curves.several(observed)
  const [one = 0, , three = 0, , five = 0] = Curves.wasteOf(places, "absorber")
  return {
    name: "wasted after 1 to 5 revisions",
    required: "less growth from 3 to 5 than from 1 to 3",
    measured: `${listed(Curves.wasteOf(places, "absorber"))}; restart ${listed(Curves.wasteOf(places, "full restart"))}`,
    published: `${Published.fiveRevisions.absorber} and ${Published.fiveRevisions["full restart"]} after five`,
    isMet: five - three < three - one
  }
}

const length = (observed: ReadonlyArray<Grid.Observation>): ReadonlyArray<Requirement> => {
  const places = Curves.length(observed)
  return Curves.slopes(observed)
    .filter(({ policy }) => policy !== "closure")
    .map(({ interval, policy, slope }) => {
      const wasted = Curves.wasteOf(places, policy)
      const [one = 0, two = 0] = wasted
      const isFlat = interval[0] <= 1e-9 && interval[1] >= -1e-9
      const isFlatRequired = policy === "absorber"
      return {
        name: `wasted by ${policy} in plans 1 to 6 times as long`,
        required: isFlatRequired ? "flat: the slope's interval contains 0" : "linear",
        measured: `${listed(wasted)}; slope ${round(slope)} (${between(interval)})`,
        published: Published.lengths,
        isMet: isFlatRequired ? isFlat : !isFlat && Math.abs(two / one - 2) < 0.2
      }
    })
}

const closure = (observed: ReadonlyArray<Grid.Observation>): ReadonlyArray<Requirement> => {
  const rules = RuleAudit.rules(observed, ["early", "mid", "late", "very late", "several"])
  const late = rules.filter(({ regime }) => regime === "late" || regime === "very late")
  const sum = (found: ReadonlyArray<RuleAudit.Rules>, of: (rules: RuleAudit.Rules) => number) =>
    found.reduce((total, each) => total + of(each), 0)
  const [fewer, all] = [sum(late, (each) => each.fewer), sum(late, ({ absorptions }) => absorptions)]
  const { difference, interval, means } = Comparison.compare(Curves.timed(observed), "closure", "absorber", "quality")
  return [
    {
      name: "closure discards more than the earliest conflict",
      required: "never, of one trace",
      measured: `${sum(rules, ({ more }) => more)} of ${sum(rules, ({ absorptions }) => absorptions)} absorptions`,
      published: "–",
      isMet: sum(rules, ({ more }) => more) === 0
    },
    {
      name: "closure discards fewer, late",
      required: "in a reported share",
      measured: `${fewer} of ${all} absorptions`,
      published: "–",
      isMet: fewer > 0
    },
    {
      name: "quality of closure − absorber",
      required: "at least 0",
      measured: `${listed(means)}: ${round(difference)} (${between(interval)})`,
      published: "–",
      isMet: difference >= 0
    }
  ]
}

const questions = (observed: ReadonlyArray<Grid.Observation>): ReadonlyArray<Requirement> => {
  const counted = (experiments: ReadonlyArray<Grid.Cell["experiment"]>) =>
    RuleAudit.questions(
      observed.filter(({ experiment }) => experiments.includes(experiment)),
      ["absorber", "closure"]
    )
  const total = (found: ReadonlyArray<RuleAudit.Questions>, of: "absorptions" | "questions" | "tooMany") =>
    found.reduce((sum, each) => sum + each[of], 0)
  const [main, every] = [counted(["main"]), counted(["length", "main", "several", "silent", "timing"])]
  return [
    {
      name: "questions where contracts decide",
      required: "0",
      measured: `${total(main, "questions")} in ${total(main, "absorptions")} absorptions`,
      published: "one call for each act of class K or X",
      isMet: total(main, "questions") === 0
    },
    {
      name: "questions for acts of class K and X",
      required: "never more than there are such acts",
      measured: `${total(every, "tooMany")} of ${total(every, "absorptions")} absorptions asked more; ${total(every, "questions")} questions`,
      published: "at most m",
      isMet: total(every, "tooMany") === 0
    }
  ]
}
