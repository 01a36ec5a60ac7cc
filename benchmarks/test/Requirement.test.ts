import { assert, describe, it } from "@effect/vitest"
import * as Grid from "../streambench/audits/Grid.ts"
import * as Requirement from "../streambench/audits/Requirement.ts"
import type * as Policy from "../streambench/harness/Policy.ts"
import * as Plots from "../streambench/Plots.ts"
import * as Results from "../streambench/Results.ts"
import * as Tables from "../streambench/Tables.ts"

const qualities: Readonly<Record<Policy.Name, number>> = {
  oracle: 5,
  absorber: 4.9,
  closure: 4.9,
  "absorber, inverting": 4.9,
  "closure, inverting": 4.9,
  "full restart": 4.9,
  "checkpoint-5": 4.5,
  "LangGraph-interrupt": 4.5,
  naive: 3,
  ignore: 2
}

const lateness = { early: 0, mid: 1, late: 3, "very late": 4 } as const

const wastedBy = ({ parts, policy, ratio, regime, revisions }: Grid.Cell, before: number): number => {
  if (policy === "full restart") return revisions > 1 ? 10 : before
  if (policy !== "absorber" && policy !== "closure") return 0
  if (regime === null) return Math.sqrt(revisions)
  return ratio === 1 ? 0 : parts > 1 ? 1 : lateness[regime] * (policy === "closure" && regime !== "mid" ? 0.5 : 1)
}

/** Observations of the whole grid that meet all requirements, made without running it. */
const whole = Grid.plan(1).map(({ cell, request }): Grid.Observation => {
  const [due] = request.dues
  const before = due?.after ?? 0
  const wasted = wastedBy(cell, before)
  const isTold = cell.policy !== "ignore"
  return {
    ...cell,
    wasted,
    quality: qualities[cell.policy],
    compensations: 0,
    inversions: 0,
    steps: 20,
    tokens: 100,
    committing: 4,
    planned: 15,
    absorptions: isTold
      ? [
          {
            byRule: { earliest: lateness[cell.regime ?? "mid"], closure: 0 },
            committed: 1,
            questions: 0,
            steps: before
          }
        ]
      : []
  }
})

/** The requirements hold for each scenario alone. */
const fabricated = whole.filter(({ scenario }) => scenario === "travel")

const unmet = (observed: ReadonlyArray<Grid.Observation>) =>
  Requirement.all(observed).flatMap(({ isMet, name }) => (isMet === false ? [name] : []))

const changed = (policy: Policy.Name, change: (each: Grid.Observation) => Partial<Grid.Observation>) =>
  fabricated.map((each) => (each.policy === policy ? { ...each, ...change(each) } : each))

describe("Requirement", () => {
  it("is met by an absorber as described, and has no verdict on a ratio", () => {
    assert.deepStrictEqual(unmet(fabricated), [])
    assert.lengthOf(
      Requirement.all(fabricated).filter(({ isMet }) => isMet === null),
      1
    )
  })

  it("is missed by a single absorption that discards two acts", () => {
    let isFirst = true
    const observed = changed("absorber", (each) => {
      if (each.experiment !== "main" || !isFirst) return {}
      isFirst = false
      return { wasted: 2 }
    })
    assert.include(unmet(observed), "wasted acts an absorption")
  })

  it("is missed by waste where everything can be undone, and by a restart that keeps an act", () => {
    const wasteful = changed("absorber", ({ experiment, ratio, wasted }) =>
      experiment === "main" && ratio === 1 ? { wasted: 1 } : { wasted }
    )
    assert.include(unmet(wasteful), "wasted by ratio 1, 0.75, 0.5, 0.25")
    const keeping = changed("full restart", ({ wasted }) => ({ wasted: wasted - 1 }))
    assert.include(unmet(keeping), "wasted by full restart")
  })

  it("is missed by another order of quality, and by one that is neither equal nor known", () => {
    assert.deepStrictEqual(unmet(changed("ignore", () => ({ quality: 3 }))), ["quality of naive − ignore"])
    assert.include(unmet(changed("oracle", () => ({ quality: 4 }))), "quality of oracle − absorber")
    const apart = changed("full restart", ({ kind }) => ({ quality: kind === "additive" ? 5 : 4 }))
    assert.include(unmet(apart), "quality of absorber and full restart")
  })

  it("is missed by waste that falls later on, and by waste that grows ever faster", () => {
    const falling = changed("absorber", ({ regime, wasted }) => ({ wasted: regime === "very late" ? 0 : wasted }))
    assert.include(unmet(falling), "wasted early, mid, late, very late")
    const growing = changed("absorber", ({ experiment, revisions, wasted }) => ({
      wasted: experiment === "several" ? revisions ** 2 : wasted
    }))
    assert.include(unmet(growing), "wasted after 1 to 5 revisions")
  })

  it("is missed by waste that grows with the plan, and by a restart that does not", () => {
    const growing = changed("absorber", ({ experiment, parts, wasted }) => ({
      wasted: experiment === "length" ? parts : wasted
    }))
    assert.include(unmet(growing), "wasted by absorber in plans 1 to 6 times as long")
    const flat = changed("full restart", ({ experiment, wasted }) => ({ wasted: experiment === "length" ? 9 : wasted }))
    assert.include(unmet(flat), "wasted by full restart in plans 1 to 6 times as long")
  })

  it("is missed by a closure that discards more, never fewer, or leaves a worse world", () => {
    const more = changed("absorber", ({ absorptions }) => ({
      absorptions: absorptions.map((each) => ({ ...each, byRule: { earliest: 1, closure: 2 } }))
    }))
    assert.deepStrictEqual(unmet(more), [
      "closure discards more than the earliest conflict",
      "closure discards fewer, late"
    ])
    assert.deepStrictEqual(unmet(changed("closure", () => ({ quality: 4.8 }))), ["quality of closure − absorber"])
  })

  it("is missed by questions where contracts decide, and by more of them than acts of class K and X", () => {
    const asking = changed("absorber", ({ absorptions }) => ({
      absorptions: absorptions.map((each) => ({ ...each, questions: 2 }))
    }))
    assert.deepStrictEqual(unmet(asking), ["questions where contracts decide", "questions for acts of class K and X"])
  })

  it("is printed with all results, and every plot is drawn of numbers", async () => {
    const results = Results.of(whole, 1)
    const tables = Tables.print(results)
    for (const { name } of results.requirements) assert.include(tables, name)
    assert.notInclude(tables, "NaN")
    const plots = Object.entries(await Plots.all(results))
    assert.lengthOf(plots, 18)
    for (const [name, svg] of plots) assert.notMatch(svg, /NaN|undefined|Infinity/, name)
  })
})
