import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as WhiteSpace from "../src/values/WhiteSpace.ts"

describe("WhiteSpace", () => {
  it("takes U+0085 for white space, and U+FEFF for none", () => {
    assert.strictEqual(WhiteSpace.trim("\u0085a\u00a0b\u3000"), "a\u00a0b")
    assert.strictEqual(WhiteSpace.collapse(" a \u0085\n b "), "a b")
    assert.isTrue(WhiteSpace.isIn("a\u2003b"))
    assert.isFalse(WhiteSpace.isIn("\ufeff"))
  })

  it.prop(
    "leaves nothing to collapse or trim a second time",
    [Schema.String],
    ([text]) => {
      const once = WhiteSpace.collapse(text)
      return WhiteSpace.collapse(once) === once && WhiteSpace.trim(once) === once
    },
    { arbitrary: { runs: 300 } }
  )
})
