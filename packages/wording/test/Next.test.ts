import { assert, describe, it } from "@effect/vitest"
import * as Next from "../src/Next.ts"

describe("Next", () => {
  it("says each verb in words, about what is at hand or about what is named", () => {
    const steps: ReadonlyArray<readonly [Next.Next, string]> = [
      [{ verb: "resume" }, "resume the run"],
      [{ again: true, run: "r", verb: "resume", words: "once" }, "resume run r and ask for one more: once"],
      [{ verb: "resolve" }, "let a person settle the action"],
      [
        { action: "a7", as: ["success", "failure"], run: "r", verb: "resolve" },
        "let a person settle a7 of run r as success or failure"
      ],
      [{ verb: "attest" }, "give the record that the system of record shows of the action"],
      [{ review: "r1", verb: "decide" }, "let a person decide r1"],
      [{ run: "r", verb: "report" }, "read the report of run r"],
      [{ verb: "review" }, "look at what waits for a person"],
      [{ from: 3, verb: "fork" }, "fork the run from tick 3"],
      [{ verb: "look" }, "look at the system of record"],
      [{ verb: "end" }, "end the run"],
      [{ verb: "propose", words: "propose it again" }, "propose it again"],
      [{ verb: "amend", words: "declare it" }, "declare it"],
      [{ verb: "wait", words: "its provider tells" }, "its provider tells"]
    ]
    for (const [next, words] of steps) assert.strictEqual(Next.plain(next), words)
    assert.strictEqual(Next.orOf(["a", "b", "c"]), "a, b or c")
  })
})
