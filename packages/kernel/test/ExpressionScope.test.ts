import { assert, describe, it } from "@effect/vitest"
import * as ExpressionScope from "../src/state/ExpressionScope.ts"
import { Bench } from "./lab.ts"

describe("ExpressionScope", () => {
  it("has the sections, both of them as one state, and the values of the clauses in force", () => {
    const bench = new Bench()
    bench.books("LX1")
    const { args, clause, state, world } = ExpressionScope.bindings(bench.state, { args: { a: 1 } })
    assert.deepStrictEqual([args, clause], [{ a: 1 }, { max: 200 }])
    assert.strictEqual((world as { readonly spent: number }).spent, 80)
    assert.deepStrictEqual(Object.keys(state as object).sort(), ["bookings", "mad", "notes", "plan", "spent"])
  })

  it("has other values of the clauses, to judge an act as of before or after a revision", () => {
    assert.deepStrictEqual(ExpressionScope.bindings(new Bench().state, {}, { max: 9 })["clause"], { max: 9 })
  })
})
