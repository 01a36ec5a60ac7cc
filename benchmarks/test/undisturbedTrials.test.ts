import { assert, describe, it } from "@effect/vitest"
import * as Trial from "../streambench/harness/Trial.ts"
import * as Wanted from "../streambench/harness/Wanted.ts"
import * as Judge from "../streambench/judge/Judge.ts"
import * as Scenarios from "../streambench/scenario/Scenarios.ts"

describe("Trials without a revision", () => {
  for (const setting of Scenarios.settings(0)) {
    const { ratio, scenario } = setting
    it(`finish ${scenario.name} at ${ratio} in the steps of the plan, and the judge gives 5`, async () => {
      const { pack, planner, world } = await Trial.play(setting)
      const { declared = {}, taken } = planner
      assert.deepStrictEqual(taken, setting.steps)
      assert.deepStrictEqual(world.changes, {
        made: setting.steps.filter(({ kind }) => kind !== "answer").length,
        takenBack: 0
      })
      const wanted = Wanted.of(setting, pack, Wanted.revised(setting, []))
      assert.sameMembers(Object.keys(declared), [...wanted.items])
      const verdict = Judge.judge({ steps: setting.steps, things: world.things, wanted, declared })
      assert.strictEqual(verdict.quality, 5, JSON.stringify(verdict))
      // The judge is no rubber stamp: the same world falls short of another goal.
      const other = Wanted.of(setting, pack, Wanted.revised(setting, [setting.revisions.substitutive]))
      assert.isBelow(Judge.judge({ steps: setting.steps, things: world.things, wanted: other, declared }).quality, 5)
    })
  }
})
