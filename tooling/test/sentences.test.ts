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

  it("finds line comments, texts for users and laws that begin with a pronoun, and no questions", () => {
    const found = (text: string, path = "packages/trace/src/Clock.ts") =>
      [...Openings.openings(new Repository.Repository([[path, `${text}\n`]]))].map(({ line }) => line)
    assert.deepStrictEqual(found("\n// What is late waits.\n// How long is not said."), [2])
    assert.deepStrictEqual(found("// A late clock waits.\n// What it shows is old."), [])
    assert.deepStrictEqual(found("// What is late waits.", "packages/trace/test/Clock.test.ts"), [])
    for (const text of ['"Whether a clock is late"', "`What $" + "{1} shows`", '"How late it may be."']) {
      assert.deepStrictEqual(found(`const help = ${text}`), [1], text)
    }
    for (const text of ['"What time is it?"', '"how late it is"', '"The time"']) {
      assert.deepStrictEqual(found(`const help = ${text}`), [], text)
    }
    const law = (name: string) => found(`const law = {\n    name: "${name}",\n}`, "packages/trace/src/ClockLaws.ts")
    assert.deepStrictEqual([law("what is late waits (L1)"), law("a late clock waits (L1)")], [[2], []])
    assert.deepStrictEqual(found("| law |\n| --- |\n| What is late waits. |", "docs/LAWS.md"), [3])
  })

  it("finds doc comments that say no more than the name of the thing, outside of commands", () => {
    const found = (text: string, path = "packages/trace/src/Clock.ts") =>
      [...Openings.bareComments(new Repository.Repository([[path, text]]))].map(({ line }) => line)
    assert.deepStrictEqual(found("/** The clock. */\nexport const clock = 1\n"), [1])
    assert.deepStrictEqual(found("/** A clock that is late. */\nexport const late = 2\n"), [])
    assert.deepStrictEqual(found("/** The command. */\nexport const run = 3\n", "apps/cli/src/commands/run.ts"), [])
  })
})
