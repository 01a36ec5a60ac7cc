import { assert, describe, it } from "@effect/vitest"
import * as Kills from "../Kills.ts"

const said = ({ said: text }: Kills.Trial) => JSON.parse(text)

/** Kills each role of a scenario once, all in the same phase of their work. */
const killing = (scenario: Kills.Scenario, phase: "after" | "before") =>
  Kills.at(scenario, { roles: Kills.scenarios[scenario].map((role) => `${role}:${phase}`) }, "careful")

const isOnce = (printed: ReadonlyArray<string>): boolean => new Set(printed).size === printed.length

describe("a plan whose world moves", () => {
  it("is made again from the world as it is, and prints each chapter once, whichever role is killed", async () => {
    for (const phase of ["before", "after"] as const) {
      const trial = await killing("plan", phase)
      assert.deepStrictEqual(
        said(trial).result.map(({ step }: { readonly step: string }) => step),
        ["one", "three"]
      )
      assert.isTrue(isOnce(trial.printed))
      assert.notInclude(trial.printed, "executor print two")
    }
  }, 120_000)

  it("goes on in a new process without its ghost; a plan that nobody looks at again prints it", async () => {
    // The process dies after the first step, when the shelf has changed.
    const careful = await Kills.at("plan", { place: 24 }, "careful")
    assert.isTrue(careful.isKilled)
    assert.isTrue(isOnce(careful.printed))
    assert.notInclude(careful.printed, "executor print two")
    const careless = await Kills.at("plan", { place: 1 }, "careless")
    assert.deepStrictEqual(careless.printed, ["printer print one", "printer print one", "printer print two"])
  }, 120_000)
})

describe("a debate without an end", () => {
  it("is decided by a judge after three rounds, whichever role is killed", async () => {
    for (const phase of ["before", "after"] as const) {
      const trial = await killing("debate", phase)
      assert.deepInclude(said(trial).result, { by: "judged", round: 2 })
      assert.isTrue(isOnce(trial.printed))
      assert.strictEqual(trial.printed.length, 6)
    }
  }, 120_000)

  it("begins a round again in a new process, and no complete one; without a cap it burns its money twice", async () => {
    const careful = await Kills.at("debate", { place: 16 }, "careful")
    assert.isTrue(careful.isKilled)
    assert.isTrue(isOnce(careful.printed))
    assert.deepInclude(said(careful).result, { by: "judged" })
    const careless = await Kills.at("debate", { place: 4 }, "careless")
    assert.deepInclude(said(careless), { shipped: null })
    assert.isAbove(careless.printed.length, 11)
  }, 120_000)
})

describe("a root that everything passes through", () => {
  it("takes over no more than its queue, and no leaf works twice, whichever role is killed", async () => {
    for (const phase of ["before", "after"] as const) {
      const trial = await killing("hierarchy", phase)
      assert.deepInclude(said(trial), { _tag: "Reached", longestQueue: 3, total: 9 })
      assert.isTrue(isOnce(trial.printed))
    }
  }, 120_000)

  it("keeps in a new process what was handed in; without shards a kill loses all of it", async () => {
    const careful = await Kills.at("hierarchy", { place: 40 }, "careful")
    assert.isTrue(careful.isKilled)
    assert.deepInclude(said(careful), { longestQueue: 3, total: 9 })
    assert.isTrue(isOnce(careful.printed))
    const careless = await Kills.at("hierarchy", { place: 1 }, "careless")
    assert.deepInclude(said(careless), { longestQueue: 9 })
    assert.isAbove(careless.printed.length, 18)
  }, 120_000)
})
