import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Amount from "../src/tool/Amount.ts"

const Cents = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
const text = (cents: number): string => (cents / 100).toFixed(2)

describe("Amount", () => {
  it("reads money as the shortest decimal, without the noise of floats", () => {
    assert.strictEqual(Amount.money(0.1 + 0.2), "0.3")
    assert.strictEqual(Amount.money("2.50"), "2.5")
    assert.strictEqual(Amount.money("0.0004"), "0.0004")
    assert.strictEqual(Amount.money(7), "7")
    for (const none of ["", "x", null, true, {}, Number.NaN]) assert.isUndefined(Amount.money(none))
  })

  it.prop("adds and subtracts money exactly", [Cents, Cents], ([left, right]) => {
    assert.strictEqual(Amount.plus(text(left), text(right)), Amount.money(text(left + right)))
    assert.strictEqual(Amount.minus(text(left + right), text(right)), Amount.money(text(left)))
    assert.strictEqual(Amount.minus(text(left), text(left + right)), "0")
    assert.strictEqual(Amount.compare(text(left), text(right)), Math.sign(left - right))
  })

  it.prop("shares never more than the amount", [Cents, Cents], ([amount, part]) => {
    const share = Math.min(1, part / 1_000_000)
    assert.isTrue(Amount.compare(Amount.share(text(amount), share), text(amount)) <= 0)
    assert.isAtMost(Number(Amount.share(amount, share)), amount)
    assert.isTrue(Number.isInteger(Amount.share(amount, share)))
  })

  it("keeps counts as counts, and adds budget by budget", () => {
    assert.deepStrictEqual(
      Amount.total({ steps: 1, "money.CHF": "0.1" }, { steps: 2, "money.CHF": "0.2", tokens: 5 }),
      {
        steps: 3,
        "money.CHF": "0.3",
        tokens: 5
      }
    )
    assert.strictEqual(Amount.of({}, "steps"), 0)
    assert.isFalse(Amount.isSome("0.00"))
    assert.isTrue(Amount.isSome("0.01"))
  })
})
