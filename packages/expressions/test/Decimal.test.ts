import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Decimal from "../src/values/Decimal.ts"

const Precision = Schema.Literals([0, 1, 2, 3, 6])

describe("Decimal", () => {
  it("reads the numbers that JSON prints, and nothing else", () => {
    for (const [value, text] of [
      ["12.30", "12.30"],
      [1e-7, "0.0000001"],
      ["1e3", "1000"],
      [-0.5, "-0.5"],
      ["+7", "7"]
    ] as const) {
      const decimal = Decimal.from(value)
      assert.strictEqual(decimal === undefined ? undefined : Decimal.format(decimal), text)
    }
    for (const value of ["", "1.", ".5", "1e999", "0x1", "NaN", Number.NaN, Number.POSITIVE_INFINITY, null, {}]) {
      assert.strictEqual(Decimal.from(value), undefined)
    }
  })

  it.prop(
    "adds, subtracts and orders as whole numbers of the smallest unit do",
    [Schema.Int, Schema.Int],
    ([a, b]) => {
      const left = new Decimal.Decimal(BigInt(a), 2)
      const right = new Decimal.Decimal(BigInt(b) * 10n, 3)
      return (
        Decimal.compare(Decimal.add(left, right), new Decimal.Decimal(BigInt(a) + BigInt(b), 2)) === 0 &&
        Decimal.compare(Decimal.subtract(left, right), new Decimal.Decimal(BigInt(a) - BigInt(b), 2)) === 0 &&
        Decimal.compare(left, right) === Math.sign(a - b) + 0
      )
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "reads back what it writes",
    [Schema.Int, Precision],
    ([units, scale]) => {
      const decimal = new Decimal.Decimal(BigInt(units), scale)
      const again = Decimal.from(Decimal.format(decimal))
      return again !== undefined && again.units === decimal.units && again.scale === decimal.scale
    },
    { arbitrary: { runs: 300 } }
  )
})
