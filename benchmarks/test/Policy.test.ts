import type * as Act from "@backstitch/absorber/Act"
import { assert, describe, it } from "@effect/vitest"
import * as Policy from "../streambench/harness/Policy.ts"

const act = (tick: number, reversibility: Act.Act["class"], more: Partial<Act.Act> = {}): Act.Act => ({
  action: `a${tick}`,
  tool: reversibility,
  tick,
  settledAt: tick,
  class: reversibility,
  stands: true,
  reads: [],
  writes: [],
  verdict: { _tag: "Compatible" },
  ...(reversibility === "R" || reversibility === "K"
    ? { reversal: { tool: "undo", params: {}, residue: reversibility === "K" } }
    : {}),
  ...more
})

const conflict: Act.Act["verdict"] = { _tag: "Conflict", clauses: ["theme"] }

const acts = [
  ...[1, 2, 3, 4, 5].map((tick) => act(tick, "I")),
  act(6, "R", { verdict: conflict }),
  act(7, "K"),
  act(8, "K", { verdict: conflict }),
  act(9, "X"),
  act(10, "I")
]

const options = { rule: "earliest_conflict", reversible: "leave", widen: true } as const

const discardedBy = (name: Policy.Name, of: ReadonlyArray<Act.Act> = acts) =>
  (Policy.all[name] as Policy.Policy).by?.(of, options).discarded

describe("Policy", () => {
  it("discards from its own place on: everything, from a checkpoint, from the first commitment, nothing", () => {
    const ids = acts.map(({ action }) => action)
    assert.deepStrictEqual(discardedBy("full restart"), ids)
    assert.deepStrictEqual(discardedBy("checkpoint-5"), ids.slice(5))
    assert.deepStrictEqual(discardedBy("LangGraph-interrupt"), ids.slice(6))
    assert.deepStrictEqual(discardedBy("naive"), [])
  })

  it("undoes the last one first, gives up what nothing undoes, and touches no act twice", () => {
    const plan = (Policy.all["full restart"] as Policy.Policy).by?.(
      acts.map((each) => (each.tick === 8 ? { ...each, isDiscarded: true } : each)),
      options
    )
    assert.deepStrictEqual(
      plan?.undo.map(({ undoes }) => undoes),
      ["a7", "a6"]
    )
    assert.deepStrictEqual(
      plan?.lost.map(({ action }) => action),
      ["a9"]
    )
    assert.notInclude(plan?.discarded ?? [], "a8")
  })

  it("leaves everything at a checkpoint where only an act of class R is in conflict, or none", () => {
    const kept = acts.map((each) => (each.tick === 8 ? { ...each, verdict: { _tag: "Compatible" } as const } : each))
    assert.deepStrictEqual(discardedBy("checkpoint-5", kept), [])
    assert.deepStrictEqual(discardedBy("LangGraph-interrupt", acts.slice(0, 6)), [])
  })

  it("plans by the rule that is named, whatever the contract says", () => {
    const by = (rule: "dependency_closure" | "earliest_conflict") =>
      Policy.byRule({ rule, reversible: "leave" })(acts, options).discarded
    assert.deepStrictEqual(by("earliest_conflict"), ["a8", "a9", "a10"])
    assert.deepStrictEqual(by("dependency_closure"), ["a8"])
  })
})
