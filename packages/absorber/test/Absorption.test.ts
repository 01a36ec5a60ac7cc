import { assert, describe, it } from "@effect/vitest"
import * as Absorption from "../src/Absorption.ts"
import { act, conflict, undecided } from "./lab.ts"

const earliest = { rule: "earliest_conflict", reversible: "leave" } as const
const closure = { rule: "dependency_closure", reversible: "invert" } as const

describe("Absorption", () => {
  it("cuts a run before the first act of class K or X in conflict, and undoes what follows, the last first", () => {
    const acts = [
      act(1),
      act(2, { class: "R", verdict: conflict("venue") }),
      act(3, { class: "K" }),
      act(4, { class: "K", verdict: conflict("venue") }),
      act(5),
      act(6, { class: "R" }),
      act(7, { class: "X", verdict: conflict("budget") })
    ]
    const plan = Absorption.plan(acts, earliest)
    assert.strictEqual(plan.keptTo, 3)
    assert.deepStrictEqual(plan.discarded, ["a4", "a5", "a6", "a7"])
    assert.deepStrictEqual(plan.undo, [
      { undoes: "a6", tool: "undoR", params: { tick: 6 }, residue: false },
      { undoes: "a4", tool: "undoK", params: { tick: 4 }, residue: true }
    ])
    assert.deepStrictEqual(plan.lost, [{ action: "a7", tool: "doX", clauses: ["budget"] }])
    assert.deepStrictEqual(plan.stale, ["a2"])
    assert.deepStrictEqual(
      plan.conflicts.map(({ action }) => action),
      ["a2", "a4", "a7"]
    )
  })

  it("inverts acts of class R before the cut with the acts that read their writes, if it may", () => {
    const acts = [
      act(1, { class: "R", verdict: conflict("venue"), writes: ["plan"] }),
      act(2, { reads: ["plan"] }),
      act(3, { class: "K" }),
      act(4, { class: "K", verdict: conflict("venue") })
    ]
    const plan = Absorption.plan(acts, { ...earliest, reversible: "invert" })
    assert.deepStrictEqual([plan.keptTo, plan.discarded, plan.stale], [3, ["a1", "a2", "a4"], []])
  })

  it("keeps later work that does not depend on what is discarded, by the closure", () => {
    const acts = [
      act(1, { class: "K", verdict: conflict("venue"), writes: ['seats["a"]'] }),
      act(2, { class: "R", reads: ['seats["b"]'] }),
      act(3, { class: "R", reads: ["seats"], writes: ["letter"] }),
      act(4, { class: "K", reads: ["letter"] }),
      act(5, { class: "K" })
    ]
    const plan = Absorption.plan(acts, closure)
    assert.deepStrictEqual(plan.discarded, ["a1", "a3", "a4"])
    assert.strictEqual(plan.keptTo, 5)
  })

  it("discards nothing and keeps everything where nothing is in conflict", () => {
    const acts = [act(1), act(2, { class: "K" }), act(3, { class: "X" })]
    for (const options of [earliest, closure]) {
      const { conflicts, discarded, keptTo } = Absorption.plan(acts, options)
      assert.deepStrictEqual({ conflicts, discarded, keptTo }, { conflicts: [], discarded: [], keptTo: 3 })
    }
    assert.strictEqual(Absorption.plan([], closure).keptTo, 0)
  })

  it("is blocked by an act that nothing undoes and that read what would be undone, and widened loses it", () => {
    const acts = [
      act(1, { class: "K", verdict: conflict("venue"), writes: ["hall"] }),
      act(2, { reads: ["hall"], writes: ["price"] }),
      act(3, { class: "X", reads: ["price"], writes: ["paid"] }),
      act(4, { class: "R", reads: ["paid"] })
    ]
    const plan = Absorption.plan(acts, closure)
    assert.deepStrictEqual(plan.blocks, [{ action: "a1", by: "a3", keys: ["price"] }])
    assert.deepStrictEqual(plan.lost, [{ action: "a3", tool: "doX", clauses: [] }])
    assert.deepStrictEqual(plan.discarded, ["a1", "a2", "a3", "a4"])
    assert.deepStrictEqual(Absorption.plan(acts, { ...closure, widen: true }), { ...plan, blocks: [] })
    assert.deepStrictEqual(Absorption.plan(acts, earliest).blocks, [])
  })

  it("asks about undecided acts of class K or X only, and of those whose answer may change the plan", () => {
    const acts = [
      act(1, { class: "R", verdict: undecided(["venue"]) }),
      act(2, { class: "K", verdict: undecided(["venue"]), writes: ["hall"] }),
      act(3, { class: "K", verdict: conflict("venue"), writes: ["menu"] }),
      act(4, { class: "K", verdict: undecided(["venue"]), reads: ["menu"] }),
      act(5, { class: "X", verdict: undecided(["venue"]) })
    ]
    const asked = (options: Absorption.Options) => Absorption.plan(acts, options).questions.map(({ action }) => action)
    assert.deepStrictEqual(asked(earliest), ["a2"])
    assert.deepStrictEqual(asked(closure), ["a2", "a5"])
    const answers = new Map([["a2", "conflict"] as const, ["a5", "compatible"] as const])
    const plan = Absorption.plan(acts, { ...closure, answers })
    assert.deepStrictEqual(plan.questions, [])
    assert.deepStrictEqual(plan.discarded, ["a1", "a2", "a3", "a4"])
    assert.deepStrictEqual(plan.conflicts[1], {
      action: "a2",
      tool: "doK",
      class: "K",
      clauses: ["venue"],
      answered: true
    })
  })
})
