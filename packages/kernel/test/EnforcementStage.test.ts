import { assert, describe, it } from "@effect/vitest"
import * as EnforcementStage from "../src/state/EnforcementStage.ts"
import { forks } from "./branch.ts"
import { Bench, bookOf } from "./lab.ts"

const looked = (bench: Bench, more: Partial<EnforcementStage.StageFacts> = {}): EnforcementStage.EnforcementStage =>
  EnforcementStage.of({ transitions: bench.transitions, pack: bench.pack, broken: undefined, impure: [], ...more })

const missing = (
  { stages }: EnforcementStage.EnforcementStage,
  stage: number
): ReadonlyArray<EnforcementStage.Missing> => stages[stage]!.missing

describe("EnforcementStage", () => {
  it("says that a run of the whole runtime has come all the way", () => {
    const bench = new Bench()
    bench.proposes({ type: "observation.add", data: { text: "x" } })
    const stage = looked(bench)
    assert.strictEqual(stage.reached, 3)
    assert.strictEqual(stage.enforced, 3)
    assert.deepStrictEqual(
      stage.stages.map(({ name }) => name),
      ["observe", "replay", "contracts", "full"]
    )
  })

  it("names a broken chain, and then no other requirement is met", () => {
    const bench = new Bench()
    bench.proposes({ type: "observation.add", data: { text: "x" } })
    const stage = looked(bench, { broken: "tick 2 was changed" })
    assert.isNull(stage.reached)
    assert.deepStrictEqual(missing(stage, 0), [{ code: "chain_broken", fault: "tick 2 was changed" }])
  })

  it("wants for replay the answers of tools, and a state", () => {
    const bench = new Bench()
    bench.proposes(bookOf("LX1"))
    const stage = looked(bench, { pack: undefined })
    assert.strictEqual(stage.reached, 0)
    assert.deepStrictEqual(
      missing(stage, 1).map(({ code }) => code),
      ["state_undeclared", "answer_unrecorded"]
    )
  })

  it("wants for contracts that each tool has one, and that nothing was only observed", () => {
    const bench = new Bench()
    forks(bench, { enforcement: { stage: 0, types: {} } })
    bench.proposes({ type: "goal.complete" })
    bench.proposes({ tool: "fly", params: {} })
    const found = missing(looked(bench), 2)
    assert.deepStrictEqual(found[0], { code: "tool_undeclared", tool: "fly" })
    assert.isTrue(found.slice(1).every(({ code }) => code === "only_observed"))
    assert.lengthOf(found, 3)
  })

  it("wants for the last stage that the run enforces it, from its first tick on", () => {
    const { transitions: all } = new Bench()
    const missingAt = (stage: number) => {
      const enforcement = { stage, types: {} }
      const transitions = all.map((each) => ({
        ...each,
        body: { ...each.body, data: { ...each.body.data, enforcement } }
      }))
      return missing(looked(new Bench(), { transitions }), 3).filter(({ code }) => code === "enforced_below")
    }
    assert.deepStrictEqual([0, 1, 2, 3].map(missingAt), [
      [{ code: "enforced_below", stage: 0 }],
      [{ code: "enforced_below", stage: 1 }],
      [{ code: "enforced_below", stage: 2 }],
      []
    ])
  })

  it("wants for the last stage pure functions, keys, and a way to verify", () => {
    const bench = new Bench()
    bench.proposes({ tool: "fax", params: { to: "1" } })
    const impure = [{ id: "reducers.plan.update", message: "it reads the clock" }]
    assert.deepStrictEqual(missing(looked(bench, { impure }), 3), [
      { code: "impure", id: "reducers.plan.update", message: "it reads the clock" },
      { code: "unverifiable", tool: "fax" }
    ])
  })
})
