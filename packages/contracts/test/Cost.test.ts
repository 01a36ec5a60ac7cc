import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Budget from "../src/rules/Budget.ts"
import * as TaskPack from "../src/TaskPack.ts"
import * as Cost from "../src/tool/Cost.ts"

const packOf = (cost: Json | undefined, budgets: Json | undefined = { money: { currency: "CHF", max: "2.00" } }) =>
  TaskPack.fromJson({
    pack: "acme.x",
    version: "1",
    state: { world: { rate: "float" } },
    tools: { ask: { class: "read_only", input: { words: "int" }, output: { fee: "string" }, cost } },
    budgets
  })

const costOf = (cost: Json | undefined, budgets?: Json): Cost.Cost => {
  const { cost: read } = TaskPack.tool(Result.getOrThrow(packOf(cost, budgets)), "ask")
  return read ?? assert.fail("no cost was read")
}

const scope = { args: { words: 3 }, world: { rate: 0.1 }, working: {}, kernel: {}, clause: {} }

const problem = (cost: Json | undefined, budgets?: Json): string => {
  const read = packOf(cost, budgets)
  return Result.isFailure(read) ? read.failure.message : "no problem"
}

describe("Cost", () => {
  it("reads a decimal, or an expression over arguments and state, in the currency of the budget", () => {
    assert.deepStrictEqual(Cost.expected(costOf("0.05"), scope), Result.succeed({ "money.CHF": "0.05" }))
    assert.deepStrictEqual(Cost.expected(costOf(0.05), scope), Result.succeed({ "money.CHF": "0.05" }))
    const byWord = costOf({ amount: "args.words * world.rate", tokens: "args.words * 100" })
    assert.deepStrictEqual(Cost.expected(byWord, scope), Result.succeed({ "money.CHF": "0.3", tokens: 300 }))
    assert.strictEqual(costOf("1", {}).money, "money")
    assert.strictEqual(costOf({ amount: 1, currency: "USD" }).money, "money.USD")
  })

  it("takes the cost that the answer reports, and the reserved one if it reports none", () => {
    const cost = costOf({ amount: 1, actual: "observed.fee" })
    const reserved = { "money.CHF": "1", tokens: 5 }
    const took = (observed: object) => Cost.actual(cost, { ...scope, actual: null, observed }, reserved)
    assert.deepStrictEqual(took({ fee: "0.70" }), { "money.CHF": "0.7", tokens: 5 })
    for (const odd of [{}, { fee: "much" }, { fee: "-3" }]) assert.deepStrictEqual(took(odd), reserved)
  })

  it("says why a cost cannot be known", () => {
    const refused = Cost.expected(costOf("0 - args.words"), scope)
    assert.deepStrictEqual(refused, Result.fail("0 - args.words is -3, which is no amount"))
    assert.isTrue(Result.isFailure(Cost.expected(costOf("1 / int(world.rate)"), scope)))
  })

  it("refuses a cost that a reviewer could not have meant", () => {
    assert.include(problem(-1), "an amount of zero or more")
    assert.include(problem({ actual: "observed.fee" }), "actual without amount")
    assert.include(problem({ amount: "fare.words" }), "fare")
    const two = {
      money: [
        { currency: "CHF", max: 1 },
        { currency: "USD", max: 1 }
      ]
    }
    assert.include(problem(1, two), "no currency")
    assert.include(problem({ amount: 1, currency: "a b" }), "a currency such as CHF")
    assert.include(problem(1, { money: [{ max: 1 }, { max: 2 }] }), "money twice")
  })
})

describe("Budget", () => {
  it("names everything that can be divided", () => {
    const pack = Result.getOrThrow(
      packOf(undefined, {
        steps: 3,
        elapsed: "1h",
        calls: { ask: 2 },
        shared: true,
        money: [
          { currency: "CHF", max: 2 },
          { currency: "USD", decimal: 3, max: "0.125" }
        ]
      })
    )
    const money = [{ currency: "JPY", precision: 0, max: "9000" }]
    const names = ["money.JPY", "money.CHF", "money"]
    assert.deepStrictEqual(
      names.map((name) => Budget.precisionOf({ money }, name)),
      [0, 2, 2]
    )
    assert.deepStrictEqual(Budget.limits(pack.budget), {
      steps: 3,
      "calls.ask": 2,
      "money.CHF": "2",
      "money.USD": "0.125"
    })
    assert.isTrue(pack.budget.shared)
  })
})
