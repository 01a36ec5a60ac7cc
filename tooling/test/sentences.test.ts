import { assert, describe, it } from "@effect/vitest"
import * as Openings from "../src/Openings.ts"
import * as Repository from "../src/Repository.ts"

describe("sentences", () => {
  it("finds sentences of records and changesets that begin with a pronoun, and no questions", () => {
    const found = (text: string, path = "docs/decisions/0042-clocks.md") =>
      [...Openings.sentences(new Repository.Repository([[path, text]]))].map(({ line }) => line)
    for (const text of ["What is staged moves.", "It waits. What differs is held.", "* **What is over is gone.**"]) {
      assert.deepStrictEqual(found(text), [1], text)
    }
    assert.deepStrictEqual(found("Whoever calls it waits.", ".changeset/one.md"), [1])
    for (const text of ["What moves?", "It says what moves.", "The act stays."]) {
      assert.deepStrictEqual(found(text), [], text)
    }
    assert.deepStrictEqual(found("What is staged moves.", "docs/guides/clocks.md"), [])
  })

  it("finds doc comments that say no more than the name of the thing, outside of commands", () => {
    const found = (text: string, path = "packages/trace/src/Clock.ts") =>
      [...Openings.bareComments(new Repository.Repository([[path, text]]))].map(({ line }) => line)
    assert.deepStrictEqual(found("/** The clock. */\nexport const clock = 1\n"), [1])
    assert.deepStrictEqual(found("/** A clock that is late. */\nexport const late = 2\n"), [])
    assert.deepStrictEqual(found("/** The command. */\nexport const run = 3\n", "apps/cli/src/commands/run.ts"), [])
  })
})
