import { assert, describe, it } from "@effect/vitest"
import * as Kills from "../Kills.ts"
import * as Scenario from "../Scenario.ts"

/** Checks that a scenario with its medicine keeps its promise, wherever its process is killed. */
const isKept = (name: Scenario.Name) =>
  it("keeps its promise with its medicine, wherever its process dies", async () => {
    // Every place is killed by `node examples/topologies/main.ts`; here a few, by their share of the way.
    for (const trial of await Kills.atShares(name, [0.3, 0.7], "careful")) {
      assert.isTrue(trial.isKilled)
      assert.deepStrictEqual(Scenario.broken(name, trial), [])
    }
  }, 120_000)

/** The end of a scenario without its medicine that is killed half way. */
const careless = async (name: Scenario.Name): Promise<Kills.Trial> => {
  const [trial] = await Kills.atShares(name, [0.5], "careless")
  assert.isTrue(trial?.isKilled)
  assert.isAbove(Scenario.broken(name, trial as Kills.Trial).length, 0)
  return trial as Kills.Trial
}

describe("a crew whose boss dies", () => {
  isKept("crew")

  it("prints a chapter twice without the queue and the key", async () => {
    assert.deepStrictEqual(Scenario.repeated(await careless("crew")), ["editor split the book", "one"])
  }, 120_000)
})

describe("a loop that runs away", () => {
  isKept("loop")

  it("has a fresh budget after a kill where it counts in memory", async () => {
    assert.strictEqual((await careless("loop")).printed.length, 9)
  }, 120_000)
})

describe("a pipeline that is poisoned", () => {
  isKept("pipeline")

  it("ships the poison without a gate for the whole, and begins again after a kill", async () => {
    const trial = await careless("pipeline")
    assert.include(trial.said, "chapter nine")
    assert.include(Scenario.repeated(trial), "collect pass 1")
  }, 120_000)
})

describe("a plan whose world moves", () => {
  isKept("plan")

  it("prints its ghost where nobody looks at the world again", async () => {
    assert.deepStrictEqual((await careless("plan")).printed, ["one", "one", "two"])
  }, 120_000)
})

describe("a debate without an end", () => {
  isKept("debate")

  it("ships nothing without a cap, and burns its money again after a kill", async () => {
    const trial = await careless("debate")
    assert.include(trial.said, '"shipped":null')
    assert.isAbove(trial.printed.length, 11)
  }, 120_000)
})

describe("a root that everything passes through", () => {
  isKept("hierarchy")

  it("has all results in its queue without shards, and loses them in a kill", async () => {
    const trial = await careless("hierarchy")
    assert.include(trial.said, '"longestQueue":9')
    assert.include(Scenario.repeated(trial), "leaf chapter 1")
  }, 120_000)
})
