import { assert, describe, it } from "@effect/vitest"
import * as Checkpoint from "../src/instance/Checkpoint.ts"
import * as Entry from "../src/instance/Entry.ts"
import * as Dependency from "../src/registry/Dependency.ts"
import type { LiftedStep } from "../src/registry/LiftedStep.ts"
import * as Registry from "../src/registry/Registry.ts"
import * as JointRollback from "../src/rollback/JointRollback.ts"
import * as RecoveryPolicy from "../src/rollback/RecoveryPolicy.ts"
import { effect, registryOf, step } from "./lab.ts"

const chain: ReadonlyArray<LiftedStep> = [
  step(1, "a", { writes: ["k1"] }),
  step(2, "b", { reads: ["k1"], writes: ["k2"], commit: true }),
  step(3, "c", { reads: ["k2"], commit: true, effect: effect("e1", { reversibility: "X" }) }),
  step(4, "a", { entity: "2", reads: ["k3"] })
]

const options = { policy: RecoveryPolicy.policies.commit, now: 0 }

describe("Dependency", () => {
  it("is that of a consumer which read a key after its producer wrote it, with the keys", () => {
    const registry = registryOf(chain)
    const [a, b, c] = [...registry.entries.values()]
    assert.deepStrictEqual(Dependency.consumers(registry, a!, 0), [{ entry: b!, keys: ["k1"] }])
    assert.deepStrictEqual(Dependency.consumers(registry, a!, 1), [])
    assert.deepStrictEqual(Dependency.consumers(registry, b!, 0), [{ entry: c!, keys: ["k2"] }])
    assert.strictEqual(Entry.writtenAfter(a!, "k1", 0), 1)
  })

  it("is not that of a read before the write", () => {
    const registry = registryOf([step(1, "b", { reads: ["k1"] }), step(2, "a", { writes: ["k1"] })])
    const [, a] = [...registry.entries.values()]
    assert.deepStrictEqual(Dependency.consumers(registry, a!, 0), [])
  })

  it("is that of a whole with each of its parts, and of a part with itself alone", () => {
    const registry = registryOf([
      step(1, "a", { writes: ['k1["x"]'] }),
      step(2, "b", { reads: ['k1["y"]'] }),
      step(3, "b", { entity: "2", reads: ['k1["x"]'] }),
      step(4, "c", { reads: ["k1"] }),
      step(5, "a", { entity: "2", writes: ['k1["y"]'] })
    ])
    const [a, , second, whole, other] = [...registry.entries.values()]
    assert.deepStrictEqual(
      Dependency.consumers(registry, a!, 0).map(({ entry }) => entry),
      [second, whole]
    )
    assert.deepStrictEqual(Dependency.overwrites(registry, a!, 0), [])
    Registry.lift(registry, [step(6, "c", { writes: ["k1"] })])
    assert.deepStrictEqual(Dependency.overwrites(registry, a!, 0), [{ by: whole!, key: 'k1["x"]' }])
    assert.deepStrictEqual(Dependency.overwrites(registry, other!, 0), [{ by: whole!, key: 'k1["y"]' }])
  })

  it("names the keys that others have overwritten since", () => {
    const registry = registryOf([step(1, "a", { writes: ["k1"] }), step(2, "b", { writes: ["k1"] })])
    const [a, b] = [...registry.entries.values()]
    assert.deepStrictEqual(Dependency.overwrites(registry, a!, 0), [{ by: b!, key: "k1" }])
    assert.deepStrictEqual(Dependency.overwrites(registry, a!, 1), [])
    assert.deepStrictEqual(Dependency.overwrites(registry, b!, 1), [])
  })

  it("names the keys that others wrote between a checkpoint and the instance's own first write", () => {
    const registry = registryOf([
      step(1, "a", { reads: ["k2"] }),
      step(2, "b", { writes: ["k1"], commit: true }),
      step(3, "a", { writes: ["k1"] })
    ])
    const [a, b] = [...registry.entries.values()]
    assert.deepStrictEqual(Dependency.overwrites(registry, a!, 0), [{ by: b!, key: "k1" }])
    assert.deepStrictEqual(Dependency.overwrites(registry, a!, 2), [])
  })

  it("is that of an instance which made an effect together with the producer, until the effect is undone", () => {
    const made = effect("e1")
    const registry = registryOf([step(1, "a", { effect: made }), step(1, "b", { effect: made, commit: true })])
    const [a, b] = [...registry.entries.values()]
    assert.deepStrictEqual(Dependency.consumers(registry, a!, 0), [{ entry: b!, keys: [] }])
    Registry.settle(registry, { action: "e1", standing: "undone", tick: 2 })
    assert.deepStrictEqual(Dependency.consumers(registry, a!, 0), [])
  })
})

describe("JointRollback", () => {
  it("takes back the consumers of consumers, the latest first, and names the cost", () => {
    const registry = registryOf(chain)
    const [a] = [...registry.entries.values()]
    const { irreversible, restores, steps } = JointRollback.propose(registry, a!, a!.checkpoints[0]!, options)!
    assert.deepStrictEqual(
      restores.map(({ checkpoint }) => checkpoint.instance.skeleton),
      ["c", "b", "a"]
    )
    assert.deepStrictEqual([steps, irreversible], [3, 1])
    assert.deepStrictEqual(
      restores[0]?.irreversible.map(({ action }) => action),
      ["e1"]
    )
  })

  it("takes an overwriter back, counts a step of two instances once, and no open effect as irreversible", () => {
    const made = effect("e1", { standing: "open" })
    const registry = registryOf([
      step(1, "a", { writes: ["k1"], effect: made }),
      step(1, "b", { effect: made }),
      step(2, "c", { writes: ["k1"], commit: true })
    ])
    const [a] = [...registry.entries.values()]
    const joint = JointRollback.propose(registry, a!, a!.checkpoints[0]!, options)!
    assert.sameMembers(
      joint.restores.map(({ checkpoint }) => checkpoint.instance.skeleton),
      ["a", "b", "c"]
    )
    assert.deepStrictEqual([joint.steps, joint.irreversible], [2, 0])
    assert.deepStrictEqual(joint.restores.at(-1)?.unsettled, [made])
  })

  it("takes back who read a value whose effect would be undone, to before that value", () => {
    const registry = registryOf([
      step(1, "a", { writes: ["k1"], commit: true }),
      step(2, "a", { effect: effect("e1") }),
      step(3, "b", { reads: ["k1"], writes: ["k2"], commit: true }),
      step(4, "c", { reads: ["k2"], commit: true })
    ])
    const [a] = [...registry.entries.values()]
    const joint = JointRollback.propose(registry, a!, a!.checkpoints[1]!, options)!
    assert.deepStrictEqual(
      joint.restores.map(({ checkpoint: { instance, kind } }) => `${instance.skeleton} ${kind}`),
      ["c entry", "b entry", "a commit"]
    )
    assert.deepStrictEqual([joint.steps, joint.irreversible], [3, 0])
  })

  it("is none where steps of no subtask depend on what would go", () => {
    const registry = registryOf([step(1, "a", { writes: ["k1"] })])
    Registry.beside(registry, { tick: 2, reads: ["k1"], writes: [] })
    const [a] = [...registry.entries.values()]
    assert.isUndefined(JointRollback.propose(registry, a!, a!.checkpoints[0]!, options))
  })
})

describe("Checkpoint", () => {
  it("is later by its tick, and at one tick by its place in the life of the instance", () => {
    const instance = { skeleton: "a", entity: "1", ordinal: 0 }
    const all = (["exit", "entry", "commit"] as const).map((kind) => ({ instance, kind, tick: 1, state: "busy" }))
    const sorted = [...all, { ...all[1]!, tick: 2 }].sort(Checkpoint.byRecency).map(({ kind }) => kind)
    assert.deepStrictEqual(sorted, [...Checkpoint.kinds, "entry"])
  })
})

describe("RecoveryPolicy", () => {
  it("restores exactly the conjunct of its name, and leaves a conjunct out of a copy alone", () => {
    const { commit, entry, exit } = RecoveryPolicy.policies
    assert.deepStrictEqual(
      [entry, commit, exit].map(({ kinds }) => kinds.size),
      [1, 2, 3]
    )
    const bare = RecoveryPolicy.without(commit, "in_scope")
    assert.deepStrictEqual([[...bare.without], commit.without.size], [["in_scope"], 0])
  })
})
