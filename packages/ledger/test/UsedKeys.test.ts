import type { State } from "@backstitch/reducer/State"
import { assert, describe, it } from "@effect/vitest"
import * as UsedKeys from "../src/keys/UsedKeys.ts"
import * as OpenActions from "../src/state/OpenActions.ts"
import * as SettledActions from "../src/state/SettledActions.ts"
import { booked, ok, requested, requestHash, type Step, started, step, trace } from "./actions.ts"

const parts = [OpenActions.part, SettledActions.part, UsedKeys.part]

const fold = (...steps: ReadonlyArray<Step>): State =>
  trace(...steps).reduce<State>(
    (before, transition) => ({
      working: before.working,
      world: before.world,
      kernel: Object.fromEntries(
        parts.map((part) => {
          const self = (before.kernel[part.name] ?? part.init) as never
          const evolve = part.on[transition.body.type] as ((...all: ReadonlyArray<unknown>) => never) | undefined
          return [part.name, evolve === undefined ? self : evolve(self, transition, before)]
        })
      )
    }),
    { kernel: {}, working: {}, world: {} }
  )

/** The request with which an act of another run is taken over. */
const taken = (id: string, key: string, data = { startedAt: 1 }): Step => {
  const [body] = requested(id)
  return [{ ...body, action: { ...body.action, id, requestHash }, data }, { key }]
}

/** The start of an act without a key: which one of the same request it is. */
const acted = (id: string, ordinal: number): Step => [
  {
    type: "action.started",
    author: "kernel",
    action: { id, requestHash },
    data: { act: { name: "act_1", ordinal, takes: {} } }
  }
]

describe("UsedKeys", () => {
  it("keeps the outcome of a key, from its start to its settlement", () => {
    assert.deepStrictEqual(UsedKeys.find(fold(requested("a1"), started("a1", "k")), "k"), {
      action: "a1",
      requestHash,
      started: 2
    })
    const settled = UsedKeys.find(fold(...booked("a1")), "key-a1")
    assert.deepStrictEqual(settled, { action: "a1", requestHash, settled: 5, started: 2, status: "ok" })
  })

  it("takes a settlement that says nothing for one that is unknown", () => {
    const state = fold(requested("a1"), started("a1", "k"), step("action.reconciled", "a1"))
    assert.strictEqual(UsedKeys.find(state, "k")?.status, "unknown")
  })

  it("counts an act that was taken over as this run's own, and settles it like one", () => {
    const before = fold(taken("a1", "k"))
    assert.deepStrictEqual(UsedKeys.find(before, "k"), { action: "a1", requestHash, started: 1 })
    const after = fold(taken("a1", "k"), step("action.result", "a1", ok), step("action.reconciled", "a1", ok))
    assert.deepInclude(UsedKeys.find(after, "k"), { action: "a1", settled: 3, status: "ok" })
  })

  it("gives a key to the run that takes the act over, although its history names the run that began it", () => {
    const state = fold(requested("a1"), started("a1", "k"), taken("a3", "k"))
    assert.strictEqual(UsedKeys.find(state, "k")?.action, "a3")
  })

  it("keeps nothing of an earlier import, whose fold is pinned", () => {
    assert.isUndefined(UsedKeys.find(fold(taken("a1", "k", {} as never)), "k"))
  })

  it("counts requests without a key, including those that other runs made before it", () => {
    assert.isUndefined(UsedKeys.find(fold(requested("a1")), "act_1"))
    assert.strictEqual(UsedKeys.find(fold(requested("a1"), acted("a1", 1)), "act_1")?.count, 1)
    const both = fold(requested("a1"), acted("a1", 1), requested("a2"), acted("a2", 3))
    assert.deepInclude(UsedKeys.find(both, "act_1"), { action: "a2", count: 3 })
  })
})
