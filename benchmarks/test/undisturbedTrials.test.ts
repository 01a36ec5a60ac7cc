import { assert, describe, it } from "@effect/vitest"
import * as Trial from "../streambench/harness/Trial.ts"
import * as Wanted from "../streambench/harness/Wanted.ts"
import * as Judge from "../streambench/judge/Judge.ts"
import * as Scenarios from "../streambench/scenario/Scenarios.ts"

describe("Trials without a revision", () => {
  for (const setting of Scenarios.settings(0)) {
    const { ratio, scenario, steps } = setting
    it(`finish ${scenario.name} at ${ratio} in the steps of the plan, and the judge gives 5`, async () => {
      const { evidence, pack, taken, verdict } = await Trial.run({ dues: [], policy: "absorber", setting })
      assert.deepStrictEqual(taken, steps)
      assert.deepStrictEqual(
        evidence.things.map(({ item, status }) => [item, status]),
        steps.filter(({ kind }) => kind !== "answer").map(({ id }) => [id, "standing"])
      )
      assert.sameMembers(Object.keys(evidence.declared), [...evidence.wanted.items])
      assert.strictEqual(verdict.quality, 5, JSON.stringify(verdict))
      // The judge is no rubber stamp: the same world falls short of another goal.
      const wanted = Wanted.of(setting, pack, Wanted.revised(setting, [setting.revisions.substitutive]))
      assert.isBelow(Judge.judge({ ...evidence, wanted }).quality, 5)
    })
  }
})
