import { assert, describe, it } from "@effect/vitest"
import * as Repository from "../src/Repository.ts"
import { directWords, userSentences } from "../src/UserSentences.ts"

const found = (text: string, path = "packages/kernel/src/Kernel.ts"): ReadonlyArray<string> =>
  [...userSentences(new Repository.Repository([[path, `${text}\n`]]))].map(({ line, rule }) => `${line}: ${rule}`)

describe("userSentences", () => {
  it("finds a sentence in a package below wording, as a text or as a template", () => {
    for (const text of ['const why = "it was sent"', "const why = `$" + "{1} was sent, and not read`"]) {
      assert.deepStrictEqual(found(text), ["1: sentence"], text)
    }
    assert.deepStrictEqual(found('const failed = { problem: "it is more than there is" }'), ["1: sentence"])
  })

  it("finds a sentence in the rooms of the runtime that report, and in none of its others", () => {
    const text = 'const why = "it was sent"'
    assert.deepStrictEqual(found(text, "packages/runtime/src/proof/RunVerification.ts"), ["1: sentence"])
    assert.deepStrictEqual(found(text, "packages/release/src/ReleaseGate.ts"), ["1: sentence"])
    assert.deepStrictEqual(found(text, "packages/runtime/src/files/PackFile.ts"), [])
  })

  it("finds no text that a type lists, and none that a function makes an error of", () => {
    assert.deepStrictEqual(found('type Status = "up to date"\nconst status: Status = "up to date"'), [])
    assert.deepStrictEqual(found('const Status = Schema.Literals(["up to date"])\nconst is = "up to date"'), [])
    const refuse = "const refuse = (why: string) => Result.fail(new Refused({ why }))"
    assert.deepStrictEqual(found(`${refuse}\nconst no = refuse("it was sent")`), [])
    const tell = "const tell = (why: string) => Result.fail(why)"
    assert.deepStrictEqual(found(`${tell}\nconst no = tell("it was sent")`), ["2: sentence"])
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

describe("directWords", () => {
  const direct = (text: string, path = "packages/runtime/src/Report.ts"): ReadonlyArray<number> =>
    [...directWords(new Repository.Repository([[path, `${text}\n`]]))].map(({ line }) => line)

  it("finds English words that a package takes where an embedder may have others", () => {
    assert.deepStrictEqual(direct("const say = () => English.words.reports.none"), [1])
    assert.deepStrictEqual(direct("const { reports } = English.words"), [1])
  })

  it("finds none in an error, in the default of an argument, in wording, and in an app", () => {
    for (const text of [
      "const say = (words: Words = English.words) => words.reports.none",
      "class Lost extends Schema.TaggedError(`Lost`) {\n  get message() {\n    return English.words.stores.lost\n  }\n}"
    ]) {
      assert.deepStrictEqual(direct(text), [], text)
    }
    for (const path of ["packages/wording/src/Wording.ts", "apps/cli/src/output/HeldView.ts"]) {
      assert.deepStrictEqual(direct("const say = () => English.words.reports.none", path), [], path)
    }
  })
})
