import { assert, describe, it } from "@effect/vitest"
import * as Instance from "../src/instance/Instance.ts"
import type { LiftedStep } from "../src/registry/LiftedStep.ts"
import * as Registry from "../src/registry/Registry.ts"
import * as WholeRestore from "../src/rollback/WholeRestore.ts"

const shape = (id: string): Registry.SkeletonShape => ({
  id,
  states: [id],
  entry: [],
  outputs: [],
  tools: [],
  effects: "forbid"
})

const step = (tick: number, skeleton: string, more: Partial<LiftedStep> = {}): LiftedStep => ({
  tick,
  skeleton,
  entity: null,
  from: skeleton,
  to: skeleton,
  tool: "work",
  reads: [],
  writes: [`${skeleton}/value`],
  commit: true,
  exit: false,
  ...more
})

const effect = (action: string, more: object = {}) =>
  ({ action, tool: "charge", reversibility: "X", standing: "stands", isRepeatable: true, ...more }) as const

/** A seat at tick 3, a bill at tick 6, and a draft that is still open at tick 8. */
const registry = () => {
  const self = Registry.make({ seat: shape("seat"), bill: shape("bill"), draft: shape("draft") })
  Registry.lift(self, [step(3, "seat"), step(6, "bill"), step(8, "draft", { commit: false })])
  return self
}

const named = (all: ReadonlyArray<WholeRestore.LosingInstance>) => all.map(({ entry }) => Instance.show(entry.instance))

describe("WholeRestore", () => {
  it("names the committed subtasks that would lose work, but for the one that is done again", () => {
    const self = registry()
    assert.deepStrictEqual(named(WholeRestore.lost(self, { tick: 8 })), [])
    assert.deepStrictEqual(named(WholeRestore.lost(self, { tick: 4 })), ["bill::null::0"])
    assert.deepStrictEqual(named(WholeRestore.lost(self, { tick: 0 })), ["seat::null::0", "bill::null::0"])
    const bill = [...self.entries.values()].find(({ instance }) => instance.skeleton === "bill")
    assert.deepStrictEqual(WholeRestore.judge(self, { tick: 4, of: bill }, 0), [])
    const [reason] = WholeRestore.judge(self, { tick: 4 }, 0)
    assert.deepStrictEqual(reason?.code === "committed_consumers_present" && reason.consumers[0]?.keys, ["bill/value"])
  })

  it("names each effect that would be left behind, of a subtask or of none (L10)", () => {
    const self = registry()
    Registry.beside(self, { tick: 9, reads: [], writes: [], effect: effect("a9") })
    Registry.beside(self, { tick: 10, reads: [], writes: [], effect: effect("a10", { standing: "open" }) })
    Registry.beside(self, { tick: 11, reads: [], writes: [], effect: effect("a11", { reversibility: "R" }) })
    Registry.beside(self, { tick: 12, reads: [], writes: [], effect: effect("a12", { standing: "undone" }) })
    Registry.beside(self, { tick: 13, reads: [], writes: [], effect: effect("a13", { reversibility: "I" }) })
    const told = (tick: number) =>
      WholeRestore.judge(self, { tick }, 0).map((reason) => [
        reason.code,
        "effects" in reason ? reason.effects.map(({ action }) => action) : []
      ])
    assert.deepStrictEqual(told(8), [
      ["irreversible_effect_policy", ["a9", "a11"]],
      ["effect_unsettled", ["a10"]]
    ])
    assert.deepStrictEqual(told(11), [])
  })
})
