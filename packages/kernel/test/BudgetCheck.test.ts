import { assert, describe, it } from "@effect/vitest"
import * as BudgetCheck from "../src/budget/BudgetCheck.ts"
import * as BudgetUse from "../src/budget/BudgetUse.ts"
import type { Proposal } from "../src/decision/Proposal.ts"
import { Bench, bookOf, ends, failing, ok } from "./lab.ts"

const note = { type: "observation.add", data: { text: "x" } }

describe("BudgetUse", () => {
  it("counts steps and amounts in the state, so that a resumed run continues with the rest (L13)", () => {
    const bench = new Bench({ changes: { budgets: { steps: 3 } } })
    ends(bench.proposes(note), "Done")
    ends(bench.proposes(note), "Done")
    const resumed = bench.at.state
    assert.strictEqual(BudgetUse.of(resumed).steps, 2)
    ends(bench.proposes(note), "Done")
    assert.deepStrictEqual(failing(bench.proposes(note)), ["budget steps"])
    assert.deepStrictEqual(bench.types(4), ["intent.refused", "budget.exhausted"])
    assert.deepStrictEqual(BudgetUse.of(bench.state).exhausted, ["steps"])
    assert.strictEqual(BudgetUse.of(resumed).steps, 2)
  })

  it("counts a refusal as a step: confusion is not free", () => {
    const bench = new Bench({ changes: { budgets: { steps: 1 } } })
    failing(bench.proposes(bookOf("LX1", 500)))
    assert.deepStrictEqual(failing(bench.proposes(note)), ["budget steps"])
  })

  it("counts tokens of proposals and of answers", () => {
    const bench = new Bench({ changes: { budgets: { tokens: 100 } } })
    ends(bench.proposes({ ...note, tokens: 60 }), "Done")
    const { next } = bench.proposes({ tool: "look", params: { q: "x" }, tokens: 10 })
    assert.strictEqual(next._tag, "Call")
    bench.answers("a3", { ...ok({ found: "y" }), tokens: 25 } as never)
    assert.strictEqual(BudgetUse.of(bench.state).spent["tokens"], 95)
    assert.deepStrictEqual(failing(bench.proposes({ ...note, tokens: 6 })), ["budget tokens"])
    ends(bench.proposes({ ...note, tokens: 0 }), "Refused")
  })
})

describe("BudgetCheck", () => {
  it("measures elapsed time from the first transition", () => {
    const bench = new Bench({ changes: { budgets: { elapsed: "10s" } } })
    bench.now += 10_000
    ends(bench.proposes(note), "Done")
    bench.now += 1
    assert.deepStrictEqual(failing(bench.proposes(note)), ["budget elapsed"])
  })

  it("tells a budget that refuses every further proposal from one that refuses some", () => {
    const budgets = { calls: { look: 0 }, elapsed: "10s", steps: 2, tokens: 100 }
    const look = { tool: "look", params: { q: "x" } }
    const finals = (bench: Bench, ...proposals: ReadonlyArray<Proposal>) =>
      proposals.map((proposal) => ends(bench.proposes(proposal), "Refused").checks.some(BudgetCheck.isFinal))
    const bench = () => new Bench({ changes: { budgets } })
    assert.deepStrictEqual(finals(bench(), look, look, look), [false, false, true])
    // A refused proposal gives back nothing that it has used.
    assert.deepStrictEqual(finals(bench(), { ...note, tokens: 101 }, note), [false, true])
    const late = bench()
    late.now += 10_001
    assert.deepStrictEqual(finals(late, note), [true])
  })

  it("checks nothing that the pack does not limit", () => {
    assert.deepStrictEqual(BudgetCheck.checks({}, { state: new Bench().state, now: 0, asks: { tokens: 9 } }), [])
  })
})
