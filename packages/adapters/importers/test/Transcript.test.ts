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

  const call = (id: string, amount = 1) => ({ id, tool: "pay", args: { amount } })
  const asks = (...calls: ReadonlyArray<ReturnType<typeof call>>) => ({ ...message("assistant", ""), calls })
  const answers = (id: string, output: string) => ({ ...message("tool", ""), answers: [{ id, tool: "pay", output }] })
  const told = (transcript: Transcript) =>
    transcript
      .take()
      .flat()
      .map((step) => ("action" in step ? `${step._tag} ${step.action}` : step._tag))

  it("tells the answer of a tool once, whether its span or a model call comes first", () => {
    const span = { ...call("a"), output: "paid" }
    const first = new Transcript().model([], [asks(call("a"))])
    assert.deepStrictEqual(told(first), ["Called a"])
    assert.deepStrictEqual(told(first.tool(span)), ["Answered a"])
    assert.deepStrictEqual(told(first.model([asks(call("a")), answers("a", "paid")], [])), [])
    const late = new Transcript().model([asks(call("a")), answers("a", "paid")], [])
    assert.deepStrictEqual(told(late), ["Called a", "Answered a"])
    assert.deepStrictEqual(told(late.tool(span)), [])
    // One span claims one answer.
    assert.deepStrictEqual(told(late.tool(span)), ["Called a#2", "Answered a#2"])
  })

  it("recognises a call that a span without an id told first, by its tool and arguments", () => {
    const transcript = new Transcript().tool({ tool: "pay", args: { amount: 1 }, output: "paid" })
    assert.deepStrictEqual(told(transcript), ["Called call-1", "Answered call-1"])
    assert.deepStrictEqual(told(transcript.model([], [asks(call("a", 2), call("b"))])), ["Called a"])
  })

  it("gives the span of a call with an id to no other call", () => {
    const transcript = new Transcript().model([], [asks(call("a"))]).tool({ ...call("b"), output: "paid" })
    assert.deepStrictEqual(told(transcript), ["Called a", "Called b", "Answered b"])
  })

  it("goes on from the steps of a run, and takes the new ones alone", () => {
    const steps = [
      { step: { _tag: "Received", role: "user", content: "pay" }, isToolSpan: false },
      { step: { _tag: "Called", action: "a", call: { tool: "pay", args: { amount: 1 } } }, isToolSpan: false },
      { step: { _tag: "Answered", action: "a", output: "timeout" }, isToolSpan: true },
      { step: { _tag: "Called", action: "a#2", call: { tool: "pay", args: { amount: 1 } } }, isToolSpan: true },
      { step: { _tag: "Answered", action: "a#2", output: "paid" }, isToolSpan: true },
      { step: { _tag: "Sent", content: "done" }, isToolSpan: false }
    ] as const
    const before = [message("user", "pay"), asks(call("a")), asks(call("a")), message("assistant", "done")]
    const transcript = Transcript.recalling(steps)
    assert.deepStrictEqual(told(transcript), [])
    assert.deepStrictEqual(told(transcript.model(before, [message("assistant", "bye")])), ["Sent"])
    assert.deepStrictEqual(told(transcript.tool({ ...call("a"), output: "paid" })), ["Called a#3", "Answered a#3"])
  })
})
