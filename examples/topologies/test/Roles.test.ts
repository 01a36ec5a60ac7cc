import { assert, describe, it } from "@effect/vitest"
import * as Kills from "../Kills.ts"
import * as Scenario from "../Scenario.ts"

// One role after the other is killed by `node examples/topologies/main.ts`; here all roles of a scenario at once.
describe("a topology does nothing twice, whichever of its roles is killed", () => {
  for (const [name, { roles }] of Object.entries(Scenario.all)) {
    for (const phase of Kills.phases) {
      it(`${name}, ${phase === "answered" ? "after the answer" : `${phase} the print`}`, async () => {
        const kills = roles.map((role) => `${role}:${phase}`)
        const trial = await Kills.at(name as Scenario.Name, { roles: kills }, "careful")
        assert.sameMembers([...trial.died], [...roles])
        assert.deepStrictEqual(Scenario.broken(name as Scenario.Name, trial), [])
      }, 120_000)
    }
  }
})
