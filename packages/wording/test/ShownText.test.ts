import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { ShownText } from "../src/index.ts"

describe("ShownText", () => {
  it("writes what a terminal obeys as escapes, and keeps what it is told to keep", () => {
    const text = "a\u001b[31mb\r\n\tc\u0085\u2028\u202ed\u200f\u2066"
    assert.strictEqual(ShownText.shown(text), "a\\u001b[31mb\\r\\n\\tc\\u0085\\u2028\\u202ed\\u200f\\u2066")
    assert.strictEqual(ShownText.shown("a\r\nb", "\n"), "a\\r\nb")
  })

  it.prop("leaves no control character in any text, and other text unchanged", [Schema.String], ([text]) => {
    const shown = ShownText.shown(text)
    assert.notMatch(shown, /\p{Cc}|\p{Bidi_Control}/u)
    if (!/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(text)) assert.strictEqual(shown, text)
  })
})
