import * as Reversibility from "@backstitch/absorber/Reversibility"
import * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import { assert, describe, it } from "@effect/vitest"
import * as ScenarioPack from "../streambench/harness/ScenarioPack.ts"
import * as Wanted from "../streambench/harness/Wanted.ts"
import * as Scenario from "../streambench/scenario/Scenario.ts"
import * as Scenarios from "../streambench/scenario/Scenarios.ts"
import * as Setting from "../streambench/scenario/Setting.ts"

const settings = Scenarios.settings(0)

describe("Scenarios", () => {
  it("have 15, 14 and 13 steps, and the first of class K or X at step 9 wherever one is enabled", () => {
    assert.deepStrictEqual(
      Scenarios.all.map(({ steps }) => steps.length),
      [15, 14, 13]
    )
    for (const { ratio, steps } of settings) {
      const first = steps.findIndex((step) => step.class === "K" || step.class === "X")
      assert.strictEqual(first, ratio === 1 ? -1 : 8)
    }
  })

  it("have exactly the reversibility ratio that they are enabled for", () => {
    for (const setting of settings) {
      const { ratio } = Reversibility.of(Object.values(ScenarioPack.of(setting).tools))
      assert.strictEqual(ratio, setting.ratio, setting.scenario.name)
    }
  })

  it("need nothing that comes later in the plan, in any order of a seed", () => {
    for (const scenario of Scenarios.all) {
      for (let seed = 0; seed < 20; seed++) {
        const { steps } = Setting.make(scenario, { parts: 2, ratio: 0.5, seed })
        const ids = steps.map(({ id }) => id)
        for (const [index, { needs }] of steps.entries()) {
          for (const need of needs) assert.include(ids.slice(0, index), need)
        }
      }
    }
  })

  it("repeat every step for each part, all preparation first", () => {
    const { steps } = Setting.make(Scenarios.all[0]!, { parts: 4, ratio: 0.25, seed: 0 })
    assert.lengthOf(steps, 60)
    assert.strictEqual(new Set(steps.map(({ id }) => id)).size, 60)
    assert.strictEqual(steps.findIndex(Scenario.isActing), 32)
  })

  it("have revisions that fit the pack, and change the goal in the way of their kind", () => {
    for (const setting of settings) {
      const pack = ScenarioPack.of(setting)
      const before = Wanted.of(setting, pack, Wanted.revised(setting, []))
      const [first = "", second = ""] = before.items
      const after = (kind: RevisedSpecification.RevisionKind) =>
        Wanted.of(setting, pack, Wanted.revised(setting, [setting.revisions[kind]]))
      for (const revision of Object.values(setting.revisions)) {
        assert.strictEqual(RevisedSpecification.check(pack, Wanted.revised(setting, []), revision.changes)._tag, "Fit")
        assert.notMatch(revision.said, /[{}]/)
      }
      assert.lengthOf(after("additive").people, before.people.length + 1)
      assert.isBelow(after("restrictive").ceiling, before.ceiling)
      assert.notStrictEqual(after("substitutive").theme, before.theme)
      assert.deepStrictEqual(after("cancellation").items, before.items.slice(1))
      assert.deepStrictEqual([before.order, after("priority_shift").order], [[], [[second, first]]])
    }
  })

  it("leave the full form within the first ceiling and the short form alone within the second, for every seed", () => {
    for (const scenario of Scenarios.all) {
      for (let seed = 0; seed < 20; seed++) {
        const setting = Setting.make(scenario, { ratio: 1, seed })
        const sum = (form: "full" | "short") =>
          setting.steps
            .filter(({ priced }) => priced === true)
            .reduce(
              (total, { id }) => total + Setting.priceOf(setting, { form, item: id, theme: scenario.themes[0]! }),
              0
            )
        const pack = ScenarioPack.of(setting)
        const ceilingAfter = (revisions: ReadonlyArray<Setting.Revision>) =>
          Wanted.of(setting, pack, Wanted.revised(setting, revisions)).ceiling
        const tight = ceilingAfter([setting.revisions.restrictive])
        assert.isTrue(sum("full") <= ceilingAfter([]) && sum("full") > tight && sum("short") <= tight)
      }
    }
  })

  it("are those that were frozen before policies were compared on them", () => {
    assert.strictEqual(Scenarios.digest, "a3b04be4f75ad7f169c2bbb2d8aa0e964d174caea1b296a6b9ef9b8192989e8b")
  })
})
