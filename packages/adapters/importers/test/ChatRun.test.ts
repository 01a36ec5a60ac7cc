import * as Fold from "@backstitch/reducer/Fold"
import * as Run from "@backstitch/trace/Run"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as OpenAiChat from "../src/formats/OpenAiChat.ts"
import * as ChatRun from "../src/run/ChatRun.ts"
import { answers, calls, says, user } from "./fixture.ts"

const setting: ChatRun.Setting = {
  fold: Fold.make({ parts: Fold.base, sources: { rules: () => undefined } }),
  tool: (name) => ({
    class: name === "look" ? "read_only" : "critical_mutation",
    mutating: name !== "look",
    predict: (_, args) => (name === "look" ? { seen: args } : name === "fail" ? JSON.parse("") : undefined)
  }),
  started: [],
  tables: [],
  outputs: "bytes"
}

const make = (...messages: ReadonlyArray<unknown>) => {
  const chat = Result.getOrThrow(OpenAiChat.parse(JSON.stringify(messages)))
  return ChatRun.make(setting, Run.make("chat"), chat)
}

describe("ChatRun", () => {
  it("commits one message at a time, with a state digest at the end of each commit", () => {
    const talk = { ...calls("a", "look", {}), content: "let me see" }
    const { sealed } = make(user("hi"), talk, answers("a", "x"), says("bye"))
    const trace = sealed.map(Transition.open)
    assert.deepStrictEqual(
      trace.map(({ body }) => `${body.author} ${body.type}`),
      [
        "user message.received",
        "agent message.sent",
        "agent action.request",
        "kernel action.result",
        "agent message.sent"
      ]
    )
    assert.deepStrictEqual(
      trace.map(({ envelope, stamp }) => [envelope.source, stamp.state !== undefined]),
      [
        ["message 0", true],
        ["message 1", false],
        ["message 1", true],
        ["message 2", true],
        ["message 3", true]
      ]
    )
    assert.isTrue(trace.every(({ envelope, stamp }) => envelope.ts === 0 && stamp.asOf === 0))
  })

  it("counts an answer as reproduced only when it comes out to the byte", () => {
    const look = (answer: string | null) => make(calls("a", "look", { at: 1 }), answers("a", answer)).counts
    assert.strictEqual(look('{"seen": {"at": 1}}').outputsReproduced, 1)
    assert.strictEqual(look('{"seen":{"at":1}}').outputsReproduced, 0)
    assert.strictEqual(look(null).outputsReproduced, 0)
    const failing = make(calls("a", "fail", {}), answers("a", "Error: no")).counts
    assert.deepStrictEqual(failing, {
      outputsReproduced: 0,
      mutatingCalls: 1,
      stateChanges: 0,
      errors: 1,
      failedCalls: 1
    })
  })

  it("reports an error by the word that an answer begins with", () => {
    const statuses = ["Error: no", "an Error: no", ""].map((answer) => {
      const { sealed } = make(calls("a", "look", {}), answers("a", answer))
      return Transition.open(sealed[1]!).body.result?.status
    })
    assert.deepStrictEqual(statuses, ["error", "ok", "ok"])
    assert.isFalse(ChatRun.isError(null))
  })
})
