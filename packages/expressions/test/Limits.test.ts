import { assert, describe, it } from "@effect/vitest"
import { Decimal, Field, Limits } from "../src/index.ts"

describe("Limits", () => {
  it("bound the digits of a decimal on either side of its point", () => {
    const { decimalDigitsMax } = Limits.deciding
    const digits = "9".repeat(decimalDigitsMax)
    for (const text of [digits, `1.${digits}`, `1e-${decimalDigitsMax}`]) assert.isDefined(Decimal.from(text), text)
    for (const text of [`9${digits}`, `1.9${digits}`, `1e-${decimalDigitsMax + 1}`]) {
      assert.isUndefined(Decimal.from(text), text)
    }
  })

  it("bound the quoted part of a value in a finding", () => {
    const { quotedCharactersMax } = Limits.deciding
    const quotes = '""'.length
    const short = "a".repeat(quotedCharactersMax - quotes)
    assert.deepStrictEqual(Field.seen(short), { type: "string", value: short })
    assert.deepStrictEqual(Field.seen(`a${short}`), { type: "string" })
  })
})
