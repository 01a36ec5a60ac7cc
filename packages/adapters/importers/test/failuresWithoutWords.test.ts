/** Calls that failed, of which a recording keeps a flag and no words that begin with "Error:". */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { FormatName } from "../src/chat/FormatName.ts"
import * as Formats from "../src/Formats.ts"

const answersIn = (format: FormatName, recording: unknown) => {
  const text = Array.isArray(recording) ? recording.map((line) => JSON.stringify(line)).join("\n") : recording
  const chats = Result.getOrThrow(Formats.all[format].parse(typeof text === "string" ? text : JSON.stringify(text)))
  return chats.map(({ steps, toolCalls }) => ({
    toolCalls,
    answers: steps.flat().flatMap((step) => (step._tag === "Answered" ? [[step.error, step.output]] : []))
  }))
}

const failed = [{ toolCalls: 1, answers: [[true, "no"]] }]
const called = { role: "assistant", content: null, tool_calls: [{ id: "a", function: { name: "t", arguments: "{}" } }] }
const answered = (more: object) => ({ role: "tool", tool_call_id: "a", content: "no", ...more })
const run = { id: "r", trace_id: "t", run_type: "tool", name: "t", inputs: {} }

describe("a call that failed without words", () => {
  it("is read by its flag in conversations", () => {
    const flags = [{ is_error: true }, { isError: true }, { error: true }, { status: "error" }]
    for (const flag of flags) {
      assert.deepStrictEqual(answersIn("openai-chat", [[called, answered(flag)]]), failed)
      assert.deepStrictEqual(
        answersIn("group-chat", { messages: [{ ...called, name: "Ann" }, answered(flag)] }),
        failed
      )
      assert.deepStrictEqual(answersIn("swe-agent", { history: [called, answered(flag)] }), failed)
    }
    assert.deepStrictEqual(answersIn("openai-chat", [[called, answered({ is_error: false })]])[0]?.answers, [
      [false, "no"]
    ])
    const events = [
      { id: 1, action: "run", args: {} },
      { id: 2, cause: 1, observation: "error", content: "no" }
    ]
    assert.deepStrictEqual(answersIn("openhands", [{ history: events }]), failed)
  })

  it("is read by its status in runs of LangSmith, whatever form the error has", () => {
    const answers = (more: object) => answersIn("langsmith", [[{ ...run, ...more }]])[0]?.answers
    assert.deepStrictEqual(answers({ status: "error", error: null, outputs: null }), [[true, null]])
    assert.deepStrictEqual(answers({ status: "error", outputs: { output: "half" } }), [[true, "half"]])
    assert.deepStrictEqual(answers({ error: { code: 7 } }), [[true, '{"code":7}']])
    assert.deepStrictEqual(answers({ error: "", outputs: { output: "ok" } }), [[undefined, "ok"]])
    const message = { lc: 1, id: ["ToolMessage"], kwargs: { tool_call_id: "a", content: "no", status: "error" } }
    assert.strictEqual(answers({ status: "success", outputs: { output: message } })?.[0]?.[0], true)
  })

  it("is read by its level in observations of Langfuse, with the words of its status", () => {
    const observation = { type: "TOOL", name: "t", input: {}, level: "ERROR", statusMessage: "no", output: null }
    assert.deepStrictEqual(answersIn("langfuse", { trace: { id: "t" }, observations: [observation] }), failed)
    const message = { tool_call_id: "a", type: "tool", content: "no", status: "error" }
    const span = { type: "SPAN", name: "t", input: {}, output: message }
    assert.deepStrictEqual(answersIn("langfuse", { trace: { id: "t" }, observations: [span] }), failed)
  })

  it("is read in the messages of a model call, as each provider says it", () => {
    const part = (answer: object) => ({ role: "tool", content: [{ toolCallId: "a", toolName: "t", ...answer }] })
    const answers = (message: object) =>
      answersIn("langsmith", [[{ ...run, run_type: "llm", inputs: { messages: [called, message] } }]])
    for (const type of ["error-text", "error-json", "execution-denied"]) {
      assert.deepStrictEqual(answers(part({ type: "tool-result", output: { type, value: "no" } })), failed)
    }
    assert.deepStrictEqual(answers(part({ type: "tool-error", error: "no" })), failed)
    assert.deepStrictEqual(answers(answered({ status: "error" })), failed)
    const gemini = { role: "user", parts: [{ function_response: { id: "a", name: "t", response: { error: "no" } } }] }
    assert.deepStrictEqual(answers(gemini), [{ toolCalls: 1, answers: [[true, '{"error":"no"}']] }])
    assert.deepStrictEqual(answers(part({ type: "tool-result", output: { type: "text", value: "no" } })), [
      { toolCalls: 1, answers: [[undefined, "no"]] }
    ])
  })
})

describe("a call of a tool that had not ended", () => {
  const open = [{ toolCalls: 1, answers: [] }]

  it("stays open", () => {
    assert.deepStrictEqual(answersIn("langsmith", [[run]]), open)
    assert.deepStrictEqual(answersIn("langsmith", [[{ ...run, status: "pending", outputs: {} }]]), open)
    const observation = { type: "TOOL", name: "t", input: {}, endTime: null, output: null }
    assert.deepStrictEqual(answersIn("langfuse", { trace: { id: "t" }, observations: [observation] }), open)
  })

  it("has an answer without words if it ended", () => {
    const silent = [{ toolCalls: 1, answers: [[undefined, null]] }]
    assert.deepStrictEqual(answersIn("langsmith", [[{ ...run, end_time: "2026-01-01T00:00:00Z" }]]), silent)
    const observation = { type: "TOOL", name: "t", input: {}, endTime: "2026-01-01T00:00:00Z", output: null }
    assert.deepStrictEqual(answersIn("langfuse", { trace: { id: "t" }, observations: [observation] }), silent)
  })
})
