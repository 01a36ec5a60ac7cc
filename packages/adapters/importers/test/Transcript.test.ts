import { assert, describe, it } from "@effect/vitest"
import { Transcript } from "../src/formats/Transcript.ts"

const message = (role: string, words: string) => ({ role, words, calls: [], answers: [], lost: [] })

describe("Transcript", () => {
  it("keeps a message that one model call holds twice, and tells it no third time", () => {
    const again = message("user", "again")
    const chat = new Transcript()
      .model([again, again], [])
      .model([again, again], [message("assistant", "yes")])
      .done("t")
    assert.deepStrictEqual(
      chat.steps.flat().map((step) => step._tag),
      ["Received", "Received", "Sent"]
    )
  })

  it("makes a call for a tool span that no model call asked for", () => {
    const chat = new Transcript().tool({ tool: "now", args: {}, output: "noon" }).done(undefined)
    assert.deepStrictEqual(
      chat.steps.flat().map((step) => step._tag),
      ["Called", "Answered"]
    )
  })

  it("keeps an answer that no call asked for as something said", () => {
    const stray = {
      role: "tool",
      words: "",
      calls: [],
      answers: [{ id: "x", tool: undefined, output: "noon" }],
      lost: []
    }
    const chat = new Transcript().model([stray], []).done(undefined)
    assert.deepStrictEqual(chat.steps.flat(), [{ _tag: "Received", role: "tool", content: "noon", message: 0 }])
  })
})
