import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { ShownText } from "../src/index.ts"

describe("ShownText", () => {
  it("writes what a terminal obeys as escapes, and keeps what it is told to keep", () => {
    const text = "a\u001b[31mb\r\n\tc\u0085\u2028\u202ed\u200f\u2066"
    assert.strictEqual(ShownText.shown(text), "a\\u001b[31mb\\r\\n\\tc\\u0085\\u2028\\u202ed\\u200f\\u2066")
    assert.strictEqual(ShownText.shown("a\r\nb", "\n"), "a\\r\nb")
  })

  it("shows each moment of the calendar in UTC, and any other in seconds", () => {
    assert.strictEqual(ShownText.moment(0), "1970-01-01T00:00:00.000Z")
    assert.strictEqual(ShownText.moment(8.64e15), "+275760-09-13T00:00:00.000Z")
    assert.strictEqual(ShownText.moment(8.64e15 + 1000), "8640000000001 s")
    assert.strictEqual(ShownText.moment(Number.NaN), "NaN s")
  })

  it.prop("leaves no control character in any text, and other text unchanged", [Schema.String], ([text]) => {
    const shown = ShownText.shown(text)
    assert.notMatch(shown, /\p{Cc}|\p{Bidi_Control}/u)
    if (!/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(text)) assert.strictEqual(shown, text)
  })
})
