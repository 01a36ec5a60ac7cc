import { assert, describe, it } from "@effect/vitest"
import * as PacedPlanner from "../streambench/harness/PacedPlanner.ts"
import * as Trial from "../streambench/harness/Trial.ts"
import * as Setting from "../streambench/scenario/Setting.ts"
import { travel } from "../streambench/scenario/travel.ts"

describe("A trial with an agent and a judge of its own", () => {
  it("takes the steps that the agent chooses, and the verdict that the judge gives of what is left", async () => {
    const setting = Setting.make(travel, { ratio: 0.5, seed: 0 })
    const turns: Array<string> = []
    const { evidence, taken, tokens, verdict } = await Trial.run({
      dues: [{ after: 2, revision: setting.revisions.substitutive }],
      policy: "absorber",
      setting,
      choosing: async (turn) => {
        turns.push(turn.wanted.theme)
        return turns.length > 3 ? { declared: {} } : PacedPlanner.deterministic(turn)
      },
      judging: async ({ things }) => ({
        quality: 1 + things.length / 10,
        unmet: [],
        contradicting: [],
        falselyDeclared: [],
        residue: []
      })
    })
    assert.lengthOf(taken, 3)
    // The agent is told the revised goal from its third turn on.
    assert.deepStrictEqual(
      turns.map((theme) => theme === evidence.wanted.theme),
      [false, false, true, true]
    )
    assert.deepStrictEqual(evidence.declared, {})
    assert.strictEqual(verdict.quality, 1 + evidence.things.length / 10)
    assert.isAbove(tokens, 0)
  })
})
