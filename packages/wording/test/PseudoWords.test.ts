import { assert, describe, it } from "@effect/vitest"
import * as English from "../src/English.ts"
import * as PseudoWords from "../src/PseudoWords.ts"

const marks = PseudoWords.of(English.words)

describe("PseudoWords", () => {
  it("has a mark for each text, and for each text that a function makes", () => {
    assert.strictEqual(marks.checks.pass, "⟦checks.pass⟧")
    assert.strictEqual(marks.choices.names(["a", "b"]), "⟦choices.names⟧(a|b)")
    assert.strictEqual(marks.statuses.success.planner, "⟦statuses.success.planner⟧")
    const { where } = marks.missing.tool_undeclared({ code: "tool_undeclared", tool: "book" })
    assert.strictEqual(where, "⟦missing.tool_undeclared.where⟧(tool_undeclared|book)")
    assert.strictEqual(marks.steps.wait({ verb: "wait" }), "")
  })

  it("keeps the arguments of steps, and marks their words", () => {
    const { next, what } = marks.findings["act.unsettled"]({ action: "a7", run: "r", tick: 9 }, String, marks)
    assert.strictEqual(what, "⟦findings.act.unsettled⟧(a7|r)")
    assert.deepStrictEqual(next, [{ run: "r", verb: "resume", words: "⟦findings.act.unsettled⟧" }])
  })

  it("leaves exactly the unmarked part of a text", () => {
    assert.isTrue(PseudoWords.isMarked("a7: ⟦facts.read.strong⟧"))
    assert.strictEqual(PseudoWords.unmarked("a7: ⟦facts.read.strong⟧"), "a7: ")
    assert.isFalse(PseudoWords.isMarked("it was done"))
  })
})
