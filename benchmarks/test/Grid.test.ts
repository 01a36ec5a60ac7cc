import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Grid from "../streambench/audits/Grid.ts"
import * as Policy from "../streambench/harness/Policy.ts"
import * as Scenarios from "../streambench/scenario/Scenarios.ts"
import * as Setting from "../streambench/scenario/Setting.ts"

/** One setting of the main experiment, and the same at the end of the plan. */
const cell = (ratio: Setting.Ratio) => Setting.make(Scenarios.all[1]!, { ratio, seed: 4 })

describe("Grid", () => {
  it("runs every scenario, ratio, kind and policy once a seed, and no cell twice", () => {
    const planned = Grid.plan(2)
    const main = planned.filter(({ cell: { experiment } }) => experiment === "main")
    assert.lengthOf(main, 3 * 4 * 5 * 10 * 2)
    assert.strictEqual(new Set(planned.map((each) => JSON.stringify(each.cell))).size, planned.length)
  })

  it("revises right after the first step outside, and evenly where it revises several times", () => {
    for (const setting of Scenarios.settings(1)) {
      const first = setting.steps.findIndex(({ twin }) => twin !== undefined)
      assert.strictEqual(Grid.dueAfter(setting, "mid"), first + 1)
      const dues = Grid.several(setting, 4)
      assert.strictEqual(new Set(dues.map(({ revision }) => revision.kind)).size, 4)
      assert.deepStrictEqual(
        dues.map(({ after }) => after),
        [1, 2, 3, 4].map((each) => Math.round((setting.steps.length * each) / 5))
      )
      const kinds = Grid.several(setting, 5).map(({ revision }) => revision.kind)
      assert.isBelow(kinds.indexOf("priority_shift"), kinds.indexOf("cancellation"))
    }
  })

  describe("in one cell", () => {
    let observed: ReadonlyArray<Grid.Observation> = []
    beforeAll(async () => {
      const found: Array<Grid.Observation> = []
      const planned = [
        ...([1, 0.5] as const).flatMap((ratio) => Grid.single("main", cell(ratio), ["mid"], Policy.names)),
        ...Grid.single("timing", cell(0.5), ["very late"], ["absorber", "closure", "full restart"])
      ]
      for (const each of planned) found.push((await Grid.observe(each)).observation)
      observed = found
    })
    const of = (policy: Policy.Name, ratio: Setting.Ratio, regime: Grid.Regime = "mid") =>
      observed.filter((each) => each.policy === policy && each.ratio === ratio && each.regime === regime)
    const mean = (found: ReadonlyArray<Grid.Observation>) =>
      found.reduce((sum, { quality }) => sum + quality, 0) / found.length

    it("discards one act by the absorber, none where everything can be undone, and all by a restart", () => {
      const wasted = (policy: Policy.Name, ratio: Setting.Ratio) => of(policy, ratio).map((each) => each.wasted)
      assert.deepStrictEqual(wasted("absorber", 0.5), [1, 1, 1, 1, 1])
      assert.deepStrictEqual(wasted("absorber", 1), [0, 0, 0, 0, 0])
      assert.deepStrictEqual(wasted("full restart", 0.5), [9, 9, 9, 9, 9])
      assert.deepStrictEqual(wasted("naive", 0.5), [0, 0, 0, 0, 0])
    })

    it("leaves a better world the more of the revision reaches what was done", () => {
      assert.isBelow(mean(of("ignore", 0.5)), mean(of("naive", 0.5)))
      assert.isBelow(mean(of("naive", 0.5)), mean(of("absorber", 0.5)))
      assert.isAtLeast(mean(of("oracle", 0.5)), mean(of("absorber", 0.5)))
      assert.strictEqual(mean(of("oracle", 1)), 5)
    })

    it("takes back what it discards and nothing else: one compensation a conflict, one inversion a text", () => {
      for (const each of of("absorber", 0.5)) assert.deepInclude(each, { compensations: 1, inversions: 0 })
      for (const each of of("absorber", 1)) assert.deepInclude(each, { compensations: 0, inversions: 0 })
      for (const each of of("full restart", 0.5)) assert.deepInclude(each, { compensations: 1, inversions: 3 })
      for (const policy of ["oracle", "naive", "ignore"] as const) {
        for (const each of of(policy, 0.5)) assert.deepInclude(each, { compensations: 0, inversions: 0 })
      }
    })

    it("asks nobody where contracts decide, and never about more acts than could be in conflict", () => {
      for (const each of observed) {
        for (const { committed, questions } of each.absorptions) {
          if (each.regime === "mid") assert.strictEqual(questions, 0)
          assert.isAtMost(questions, committed)
        }
      }
    })

    it("discards no more by the closure than by the earliest conflict of one trace, and fewer late", () => {
      const plans = of("absorber", 0.5, "very late").flatMap(({ absorptions }) =>
        absorptions.map(({ byRule }) => byRule)
      )
      for (const { closure, earliest } of plans) assert.isAtMost(closure, earliest)
      assert.isTrue(plans.some(({ closure, earliest }) => closure < earliest))
    })
  })
})
