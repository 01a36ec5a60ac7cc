import { assert, describe, it } from "@effect/vitest"
import * as Chat from "../src/chat/Chat.ts"

describe("Chat", () => {
  it("keeps the times that a transition can hold, in whole milliseconds, and leaves the others out", () => {
    const builder = new Chat.Builder()
    for (const at of [1.9, -1, 8.64e15, 9e15, Number.POSITIVE_INFINITY]) builder.message(at).sent("x")
    const times = builder.done({}).steps.flatMap((steps) => steps.map(({ at }) => at))
    assert.deepStrictEqual(times, [1, undefined, 8.64e15, undefined, undefined])
  })

  it("pairs an answer with the latest open call of its id, and reports a missing one", () => {
    const builder = new Chat.Builder()
    builder.message(5).called({ id: "a", tool: "first", args: {} })
    builder.message(Number.NaN).called({ id: "a", tool: "second", args: {} })
    assert.isUndefined(builder.message().answered("a", "two"))
    assert.isUndefined(builder.message().answered("a", "one", { error: true }))
    assert.include(builder.message().answered("a", "three") ?? "", "no call of that id is unanswered")
    const { repeatedToolCallIds, steps } = builder.done({ task: "t" })
    assert.isTrue(repeatedToolCallIds)
    assert.deepStrictEqual(steps[0], [
      { _tag: "Called", action: "a", call: { id: "a", tool: "first", args: {} }, message: 0, at: 5 }
    ])
    assert.deepStrictEqual(
      steps.flat().flatMap((step) => (step._tag === "Answered" ? [[step.action, step.output, step.error]] : [])),
      [
        ["a#2", "two", undefined],
        ["a", "one", true]
      ]
    )
  })
})
