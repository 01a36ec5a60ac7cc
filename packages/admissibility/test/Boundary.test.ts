import { assert, describe, it } from "@effect/vitest"
import * as Certificate from "../src/instance/Certificate.ts"
import * as Boundary from "../src/registry/Boundary.ts"
import * as Registry from "../src/registry/Registry.ts"
import { effect, Moves, registryOf, shape, shapes, step, stepsOf } from "./lab.ts"

const certified = (registry: Registry.Registry, id: number, holds = true) =>
  Boundary.certify(registry, [...registry.entries.values()][id]!, { kind: "commit", tick: 9, holds })

/** The tests that a candidate fails. */
const failed = (certificate: Certificate.Certificate) =>
  Certificate.tests.filter((test) => !Certificate.passes(certificate, test))

describe("Boundary", () => {
  it.prop(
    "is certified where all four tests pass, and nowhere else (lemma 1)",
    [Moves],
    ([moves]) => {
      const registry = registryOf(stepsOf(moves))
      for (const entry of registry.entries.values()) {
        for (const holds of [true, false]) {
          const certificate = Boundary.certify(registry, entry, { kind: "exit", tick: moves.length, holds })
          const passed = Certificate.tests.map((test) => certificate[test].length === 0)
          assert.strictEqual(Certificate.isCertified(certificate), !passed.includes(false))
          if (!holds) assert.include(failed(certificate), "closed")
        }
        for (const { kind, tick } of entry.checkpoints) {
          assert.isFalse(entry.refused.some((each) => each.kind === kind && each.tick === tick))
        }
      }
    },
    { arbitrary: { runs: 300 } }
  )

  it("is not closed before its predicate holds and each declared output was written", () => {
    const shaped = { ...shapes, a: shape("a", { outputs: ["k1", "k2"] }) }
    const registry = Registry.lift(Registry.make(shaped), [step(1, "a", { writes: ["k1"] })])
    assert.deepStrictEqual(certified(registry, 0, false).closed, [{ predicate: "commit" }, { output: "k2" }])
    Registry.lift(registry, [step(2, "a", { writes: ["k2"] })])
    assert.deepStrictEqual(failed(certified(registry, 0)), [])
  })

  it("is not separable if another instance wrote one of its keys, and names that instance", () => {
    const registry = registryOf([step(1, "a", { writes: ["k1"] }), step(2, "b", { writes: ["k1"] })])
    assert.deepStrictEqual(certified(registry, 0).separable, [
      { by: { skeleton: "b", entity: "1", ordinal: 0 }, key: "k1" }
    ])
    assert.deepStrictEqual(failed(certified(registry, 1)), [])
  })

  it("is not controllable while an effect is open: commit means reconciled", () => {
    const registry = registryOf([step(1, "a", { commit: true, effect: effect("e1", { standing: "open" }) })])
    const [entry] = registry.entries.values()
    assert.deepStrictEqual(
      entry?.checkpoints.map(({ kind }) => kind),
      ["entry"]
    )
    assert.deepStrictEqual(entry?.refused.map(failed), [["controllable"]])
    Registry.settle(registry, { action: "e1", standing: "stands", tick: 4 })
    assert.deepInclude(entry?.checkpoints.at(-1), { kind: "commit", tick: 4 })
  })

  it("certifies what it would refuse for each test that is left out, and nothing else (table 30)", () => {
    const outputs = { ...shapes, a: shape("a", { outputs: ["k1"] }) }
    const steps = {
      closed: [step(1, "a", { commit: true })],
      separable: [step(1, "a", { writes: ["k1"] }), step(2, "b", { writes: ["k1"] }), step(3, "a", { commit: true })],
      controllable: [step(1, "a", { writes: ["k1"], commit: true, effect: effect("e1", { standing: "open" }) })]
    }
    for (const test of Certificate.tests) {
      const commits = (without: ReadonlyArray<Certificate.BoundaryTest>) => {
        const registry = Registry.make(outputs, without)
        if (test === "decidable") {
          // A step of an occurrence that has exited meanwhile is finished while another one is open.
          const first = Registry.begin(registry, step(1, "a"))!
          first.phase = "exited"
          Registry.begin(registry, step(2, "a"))
          Registry.finish(registry, first, { ...step(1, "a", { writes: ["k1"], commit: true }) })
          return first.checkpoints.filter(({ kind }) => kind === "commit").length
        }
        Registry.lift(registry, steps[test])
        return [...registry.entries.values()][0]!.checkpoints.filter(({ kind }) => kind === "commit").length
      }
      assert.strictEqual(commits([]), 0, test)
      assert.strictEqual(commits([test]), 1, test)
      assert.strictEqual(commits(Certificate.tests.filter((each) => each !== test)), 0, test)
    }
  })
})
