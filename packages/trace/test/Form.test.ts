import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Form from "../src/bytes/Form.ts"

const takes = (form: Schema.Decoder<unknown>, value: unknown): boolean => Schema.is(form)(value)

describe("Form", () => {
  it("gives an amount of money one spelling", () => {
    for (const text of ["0", "7", "0.05", "120.000000000001"]) assert.isTrue(takes(Form.Money, text), text)
    for (const text of ["", "-1", "+1", "00", "01", ".5", "1.", "1.50", "1e2", "0.0000000000001", 1, 0.5]) {
      assert.isFalse(takes(Form.Money, text), String(text))
    }
  })

  it("counts in whole numbers, and has money as text under its name alone", () => {
    assert.isTrue(takes(Form.Amounts, { "calls.money": 1, money: "0.5", "money.CHF": "2", moneyed: 3 }))
    for (const amounts of [{ tokens: 0.5 }, { tokens: "5" }, { tokens: -1 }, { "money.CHF": 2 }, { tokens: 2 ** 53 }]) {
      assert.isFalse(takes(Form.Amounts, amounts), JSON.stringify(amounts))
    }
  })

  it("bounds confidences, durations and moments", () => {
    for (const value of [0, 0.75, 1]) assert.isTrue(takes(Form.Confidence, value))
    for (const value of [-0.1, 1.1, "1", Number.NaN]) assert.isFalse(takes(Form.Confidence, value))
    for (const value of [-1, Number.POSITIVE_INFINITY]) assert.isFalse(takes(Form.Duration, value))
    for (const value of [-1, 1.5, 8_640_000_000_000_001]) assert.isFalse(takes(Form.Moment, value))
  })

  it("knows keys, spans and digests by their digits", () => {
    assert.isTrue(takes(Form.Key, `bs_${"0a".repeat(20)}`))
    assert.isTrue(takes(Form.Span, `${"0a".repeat(16)}-${"1f".repeat(8)}`))
    assert.isTrue(takes(Form.FieldDigest, `table:${"0a".repeat(32)}`))
    for (const form of [Form.Digest, Form.FieldDigest, Form.Key, Form.Span]) {
      for (const text of ["", "x", "0A".repeat(32), `bs_${"0A".repeat(20)}`]) assert.isFalse(takes(form, text), text)
    }
  })
})
