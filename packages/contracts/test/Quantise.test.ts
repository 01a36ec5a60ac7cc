import { Decimal, Field } from "@backstitch/expressions"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Quantise } from "../src/index.ts"

const Precision = Schema.Literals([0, 1, 2, 3, 6])

describe("Quantise", () => {
  it("rounds half to even on the decimal that a person reads (decision 0034)", () => {
    const cases: ReadonlyArray<readonly [number, number, number]> = [
      [1.005, 2, 1],
      [1.015, 2, 1.02],
      [2.675, 2, 2.68],
      [0.125, 2, 0.12],
      [0.375, 2, 0.38],
      [-1.005, 2, -1],
      [-0.001, 2, 0],
      [0.7504, 3, 0.75],
      [2.5, 0, 2],
      [3.5, 0, 4],
      [1e-7, 6, 0],
      [1e21, 2, 1e21],
      [123456789.123456, 3, 123456789.123]
    ]
    for (const [value, precision, expected] of cases) {
      assert.isTrue(Object.is(Quantise.number(value, precision), expected), `${value} at ${precision}`)
    }
  })

  it("writes decimals with exactly their digits", () => {
    assert.strictEqual(Quantise.decimalString(12.3, 2), "12.30")
    assert.strictEqual(Quantise.decimalString("12.345", 2), "12.34")
    assert.strictEqual(Quantise.decimalString("-0.001", 2), "0.00")
    assert.strictEqual(Quantise.decimalString(5, 0), "5")
    assert.strictEqual(Quantise.decimalString("twelve", 2), undefined)
  })

  it("rounds declared fields and leaves the others alone", () => {
    const field = Field.object({
      price: { type: "decimal", precision: 2 },
      risk: { type: "float", precision: 3 },
      rows: { type: "table", key: "id", row: Field.object({ fee: { type: "decimal", precision: 2 } }) },
      list: { type: "list", item: { type: "float", precision: 1 } },
      any: { type: "json" }
    })
    const json = {
      price: 12.345,
      risk: 0.75049,
      rows: { a: { fee: 1 } },
      list: [0.25, 0.35],
      any: 0.12345,
      more: 1.23456
    }
    assert.deepStrictEqual(Quantise.value(field, json), {
      price: "12.34",
      risk: 0.75,
      rows: { a: { fee: "1.00" } },
      list: [0.2, 0.4],
      any: 0.12345,
      more: 1.23456
    })
    assert.strictEqual(Quantise.value(field, null), null)
    assert.strictEqual(Quantise.value({ type: "decimal", precision: 2 }, "no number"), "no number")
  })

  it.prop(
    "is idempotent (L2)",
    [Schema.Finite, Precision],
    ([value, precision]) => {
      const once = Quantise.number(value, precision)
      return Object.is(Quantise.number(once, precision), once)
    },
    { arbitrary: { runs: 500 } }
  )

  it.prop(
    "moves a value by at most half a unit of its last digit",
    [Schema.Finite, Precision],
    ([value, precision]) => {
      const exact = Decimal.from(value)
      const rounded = exact === undefined ? undefined : Decimal.round(exact, precision)
      if (exact === undefined || rounded === undefined) return true
      const difference = Decimal.subtract(exact, rounded)
      const size = difference.units < 0n ? Decimal.negate(difference) : difference
      return Decimal.compare(size, new Decimal.Decimal(5n, precision + 1)) <= 0
    },
    { arbitrary: { runs: 500 } }
  )
})
