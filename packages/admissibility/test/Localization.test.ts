import { assert, describe, it } from "@effect/vitest"
import type { FailureEvent } from "../src/failure/FailureEvent.ts"
import * as FailureEvents from "../src/failure/FailureEvent.ts"
import * as Localization from "../src/failure/Localization.ts"
import * as Instance from "../src/instance/Instance.ts"
import * as Registry from "../src/registry/Registry.ts"
import { Moves, registryOf, shape, shapes, step, stepsOf } from "./lab.ts"

const failure = (more: Partial<FailureEvent> = {}): FailureEvent => ({
  tick: 99,
  state: "busy",
  tool: "work",
  signal: "timeout",
  ...more
})

const found = (registry: Registry.Registry, more: Partial<FailureEvent> = {}) => {
  const localized = Localization.localize(registry, failure(more))
  return localized._tag === "Identified" ? Instance.show(localized.entry.instance) : localized.rivals.map(Instance.show)
}

describe("Localization", () => {
  it("finds the one live instance of the state, the tool and the entity", () => {
    const shaped = { ...shapes, a: shape("a", { tools: ["work"] }), b: shape("b", { tools: ["rest"] }) }
    const steps = [step(1, "a"), step(2, "b"), step(3, "a", { entity: "2" })]
    const registry = Registry.lift(Registry.make(shaped), steps)
    assert.strictEqual(found(registry, { entity: "2" }), "a::2::0")
    assert.strictEqual(found(registry, { tool: "rest" }), "b::1::0")
    assert.deepStrictEqual(found(registry), ["a::1::0", "a::2::0"])
    assert.deepStrictEqual(found(registry, { state: "elsewhere" }), [])
  })

  it("tells an occurrence from the one before it, and abstains from none that has exited", () => {
    const registry = registryOf([step(1, "a", { commit: true, exit: true }), step(2, "a")])
    assert.strictEqual(found(registry), "a::1::1")
    assert.deepStrictEqual(found(registryOf([step(1, "a", { exit: true })])), [])
  })

  it("begins another occurrence if a committed one was left and is entered again", () => {
    const left = step(2, "a", { commit: true, to: "elsewhere" })
    const registry = registryOf([step(1, "a"), left, step(3, "a", { from: "elsewhere" })])
    assert.deepStrictEqual(
      [...registry.entries.values()].map(({ instance }) => instance.ordinal),
      [0, 1]
    )
    assert.strictEqual(registryOf([step(1, "a"), { ...left, commit: false }, step(3, "a")]).entries.size, 1)
  })

  it.prop(
    "is the same for every signal at one site",
    [Moves],
    ([moves]) => {
      const registry = registryOf(stepsOf(moves))
      const [first, ...others] = FailureEvents.signals.map((signal) => found(registry, { signal }))
      for (const other of others) assert.deepStrictEqual(other, first)
    },
    { arbitrary: { runs: 300 } }
  )

  it("needs the ordinal if an entity is entered again, and the entity if two are live", () => {
    const registry = registryOf([
      step(1, "a", { commit: true, exit: true }),
      step(2, "a"),
      step(3, "a", { entity: "2" })
    ])
    const again = { skeleton: "a", entity: "1", ordinal: 1 }
    const aliases = (key: Localization.Key, of = again) => Localization.aliases(registry, of, key).map(Instance.show)
    assert.deepStrictEqual(aliases("full"), [])
    assert.deepStrictEqual(aliases("without_ordinal"), ["a::1::0"])
    assert.deepStrictEqual(aliases("without_entity", { ...again, ordinal: 0 }), ["a::2::0"])
  })
})

describe("Instance", () => {
  it("has a name that no other one has, for any entity", () => {
    const names = ["1", 1, ["1"], { a: 1 }, "1::0"].map((entity) =>
      Instance.idOf({ skeleton: "a", entity, ordinal: 0 })
    )
    assert.strictEqual(new Set(names).size, names.length)
    assert.strictEqual(
      Instance.show({ skeleton: "ResolveSlot", entity: "slot[0]", ordinal: 0 }),
      "ResolveSlot::slot[0]::0"
    )
    assert.strictEqual(Instance.show({ skeleton: "a", entity: { b: 1 }, ordinal: 2 }), 'a::{"b":1}::2')
  })
})
