import { assert, describe, it } from "@effect/vitest"
import * as ErrorText from "../src/reporting/ErrorText.ts"

describe("ErrorText", () => {
  it("describes an error in words, wherever in a sentence its object is", () => {
    const error = { code: 409, reason: "sold out" }
    assert.strictEqual(ErrorText.of(error), "code 409; reason sold out")
    const sentence = `book (a7) failed: ${JSON.stringify(error)}, and a2 is not undone: {it} differs`
    assert.strictEqual(
      ErrorText.text(sentence),
      "book (a7) failed: code 409; reason sold out, and a2 is not undone: {it} differs"
    )
    assert.strictEqual(
      ErrorText.of({ because: "it failed", residue: ["a2"], undone: ["a1"] }),
      "it failed; a1 undone; something of a2 remains"
    )
  })

  it("leaves text that is no JSON unchanged", () => {
    for (const text of ["no object", "{no object}", "an end } before a start {"])
      assert.strictEqual(ErrorText.text(text), text)
  })
})
