import { assert, describe, it } from "@effect/vitest"
import * as Repository from "../src/Repository.ts"
import { userSentences } from "../src/UserSentences.ts"

const found = (text: string, path = "packages/kernel/src/Kernel.ts"): ReadonlyArray<string> =>
  [...userSentences(new Repository.Repository([[path, `${text}\n`]]))].map(({ line, rule }) => `${line}: ${rule}`)

describe("userSentences", () => {
  it("finds a sentence in a package below wording, as a text or as a template", () => {
    for (const text of ['const why = "it was sent"', "const why = `$" + "{1} was sent, and not read`"]) {
      assert.deepStrictEqual(found(text), ["1: sentence"], text)
    }
    assert.deepStrictEqual(found('const failed = { problem: "it is more than there is" }'), ["1: sentence"])
  })

  it("finds no code, no text of an error, no description of a form, and nothing in wording", () => {
    for (const text of [
      'const code = "never_sent"',
      'class Refused extends Schema.TaggedError("Refused") {\n  why = "it was sent"\n}',
      'throw new Error("it was sent")',
      'const name = Schema.String.annotate({ description: "a name of a tool" })',
      'const problem = { path: "data", problem: "a key is missing" }',
      'const head = "old head\\nnew head"'
    ]) {
      assert.deepStrictEqual(found(text), [], text)
    }
    assert.deepStrictEqual(found('const why = "it was sent"', "packages/wording/src/English.ts"), [])
  })
})
