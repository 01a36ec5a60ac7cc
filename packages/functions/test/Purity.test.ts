import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Purity } from "../src/index.ts"

const reason = (source: string, ...samples: ReadonlyArray<ReadonlyArray<unknown>>): string | undefined => {
  const checked = Purity.check({ id: "subject", source }, samples)
  return Result.isFailure(checked) ? checked.failure.reason : undefined
}

describe("Purity", () => {
  it("accepts a function of its arguments, and answers it compiled from its source", () => {
    const source = "(state, step) => ({ ...state, total: state.total + step.price })"
    const run = Result.getOrThrow(Purity.check({ id: "total", source }, [[{ total: 1 }, { price: 2 }]]))
    assert.deepStrictEqual(run({ total: 5 }, { price: 4 }), { total: 9 })
  })

  it("refuses clocks, chance, the outside world and free identifiers, by source alone (decision 0004)", () => {
    for (const source of [
      "() => Date.now()",
      "() => Math.random()",
      "() => new Date().getTime()",
      "() => fetch('http://example.org')",
      "() => globalThis.process.pid",
      "async () => 1",
      "(state) => state.total > limit",
      "(state) => eval('1')",
      "not a function"
    ]) {
      assert.strictEqual(reason(source), "source", source)
    }
  })

  it("names the free identifier", () => {
    const checked = Purity.check({ id: "over", source: "(state) => state.total > limit" }, [])
    assert.include(Result.getOrThrow(Result.flip(checked)).message, "limit")
  })

  it("refuses a function that changes its input, however deep", () => {
    assert.strictEqual(reason("(state) => { state.total = 1; return state }", [{ total: 0 }]), "changes_input")
    assert.strictEqual(reason("(state) => { state.a.b.push(1); return state }", [{ a: { b: [] } }]), "changes_input")
    assert.strictEqual(reason("(state) => { delete state.a; return state }", [{ a: 1 }]), "changes_input")
    assert.strictEqual(
      reason("(rows) => { rows.get('k').n = 2; return 1 }", [Table.from([["k", { n: 1 }]])]),
      "changes_input"
    )
  })

  it("refuses a function that remembers earlier calls", () => {
    const counter = "function count(state) { count.calls = (count.calls ?? 0) + 1; return count.calls }"
    assert.strictEqual(reason(counter, [{}]), "reaches_out")
    const first = "function first(state) { first.seen ??= state.n; return first.seen }"
    assert.strictEqual(reason(first, [{ n: 1 }], [{ n: 2 }]), "reaches_out")
  })

  it("refuses a function whose answer depends on facts that equal states need not share", () => {
    assert.strictEqual(reason("(state) => Object.keys(state)[0]", [{ a: 1, b: 2 }]), "answers_differently")
    assert.strictEqual(reason("(state) => JSON.stringify(state)", [{ a: 1, b: 2 }]), "answers_differently")
    const one = { n: 1 }
    assert.strictEqual(
      reason("({ after, before }) => after === before", [{ after: one, before: one }]),
      "answers_differently"
    )
    assert.strictEqual(reason("(state) => Object.keys(state).length", [{ a: 1, b: 2 }]), undefined)
  })

  it("refuses an answer that a trace cannot carry", () => {
    for (const source of ["() => undefined", "() => 0 / 0", "() => ({ when: () => 1 })", "() => new Map()"]) {
      assert.strictEqual(reason(source, []), "not_json", source)
    }
  })

  it("refuses a function that fails on a sample", () => {
    assert.strictEqual(reason("(state) => state.missing.field", [{}]), "throws")
  })

  it("takes tables and lists, in and out", () => {
    const source = "(rows, log) => ({ rows: rows.set('b', { n: 2 }), log: log.append(1), size: rows.size })"
    assert.strictEqual(reason(source, [Table.from([["a", { n: 1 }]]), List.from([0])]), undefined)
  })
})
