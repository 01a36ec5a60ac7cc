import { assert, describe, it } from "@effect/vitest"
import * as English from "../src/English.ts"
import type { ReleaseWords } from "../src/said/ReleaseWords.ts"
import * as Wording from "../src/Wording.ts"

const { decisions }: ReleaseWords = English.words.releases

describe("ReleaseWords", () => {
  it("tell two decisions of different codes apart", () => {
    const simple = ["adopted", "allowed", "failed", "reads_back", "undoes", "waits"] as const
    assert.strictEqual(new Set(simple.map((code) => Wording.decision({ code }))).size, simple.length)
    assert.strictEqual(Wording.decision({ code: "approval", needs: ["a", "b"] }), "needs an approval by a or b")
    assert.strictEqual(decisions.refused({ code: "refused", checks: [] }), "refused by the kernel")
  })

  it("write an outcome that changed as a decision in words, or as the value that it is", () => {
    const action = "r/a1"
    const [was, is] = [{ code: "done", basis: "readback" }, { class: "value_mismatch" }] as const
    assert.strictEqual(
      Wording.objection({ code: "outcome_changed", action, is, was }),
      'r/a1 came to "done by readback" and comes to {"class":"value_mismatch"}'
    )
  })

  it("name the tool, the row or the field of an objection, and the way out of it", () => {
    const tool = "book"
    assert.include(Wording.objection({ code: "tool_untried", tool }), "book was not tried")
    assert.include(Wording.objection({ code: "undo_dropped", by: "cancel", tool }), "Keep its undo")
    const row = { action: "defer", row: 2, section: "unknown_state", sideEffect: "read_only" } as const
    assert.include(Wording.objection({ code: "row_unsafe", rule: "reads_forever", ...row }), "row 2 of unknown_state")
    assert.include(Wording.examination({ code: "recovery_drill", paths: [] }), "nothing: ")
  })
})
