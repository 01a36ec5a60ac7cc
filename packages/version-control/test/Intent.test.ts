import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Intent } from "../src/index.ts"
import * as orders from "./contracted.ts"

const state = orders.state({ cash: "1.00", threshold: "MAX", position: 1, mood: "bold" })

describe("Intent", () => {
  it("is a tool call with its arguments, or a note with its data, as it was proposed", () => {
    const call = Result.getOrThrow(Intent.of("run", { body: orders.committed(state), tick: 23 }))
    assert.deepInclude(call, { type: "action.request", tool: "order", params: { amount: 5000 } })
    assert.deepStrictEqual(call.subjects, ["order", "action.request"])
    const body = orders.committed(state, { type: "observation.add", data: { text: "rain", trust: 1 } })
    const note = Result.getOrThrow(Intent.of("run", { body, tick: 4 }))
    // How far it is trusted was the kernel's word, not the agent's.
    assert.deepStrictEqual(note.data, { text: "rain" })
  })

  it("keeps its occurrence and the author of the count, if they were given", () => {
    const body = orders.committed(state)
    const plain = Result.getOrThrow(Intent.of("run", { body, tick: 23 }))
    assert.notProperty(plain, "occurrence")
    assert.notProperty(plain, "occurrenceBy")
    const said = { ...body, intent: { ...body.intent, occurrence: 2, occurrenceBy: "plan" as const } }
    const second = Result.getOrThrow(Intent.of("run", { body: said, tick: 23 }))
    assert.deepInclude(second, { occurrence: 2, occurrenceBy: "plan" })
  })

  it("is no transition that the kernel, a user or an institution wrote, and points to the request", () => {
    const body = { action: { id: "a23" }, author: "kernel", type: "action.result" } as const
    const error = Result.getOrThrow(Result.flip(Intent.of("run", { body, tick: 25 })))
    assert.include(error.message, "no intent. It belongs to the request at tick 23: name run@23")
    const undoing = { action: { id: "a25" }, author: "kernel", type: "action.request" } as const
    assert.include(
      Result.getOrThrow(Result.flip(Intent.of("run", { body: undoing, tick: 25 }))).message,
      "Name the tick of a proposal of the agent"
    )
    const said = { author: "user", data: { text: "stop" }, type: "message.received" } as const
    assert.include(
      Result.getOrThrow(Result.flip(Intent.of("run", { body: said, tick: 2 }))).message,
      "Name the tick of a proposal of the agent"
    )
  })
})
