import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Chat from "../src/chat/Chat.ts"
import * as Formats from "../src/Formats.ts"
import * as Repeats from "../src/run/Repeats.ts"

type Name = keyof typeof Formats.all

/** The answer to a payment; `undefined` where there was none. */
type Answer = string | undefined

const lines = (values: ReadonlyArray<unknown>): string => values.map((value) => JSON.stringify(value)).join("\n")

const params = { amount: 3 }
const written = JSON.stringify(params)

/** The chat form that several frameworks keep: one call a message, and its answer. */
const chatted = (answers: ReadonlyArray<Answer>): ReadonlyArray<object> =>
  answers.flatMap((answer, index) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${index}`, type: "function", function: { name: "pay", arguments: written } }]
    },
    ...(answer === undefined ? [] : [{ role: "tool", tool_call_id: `c${index}`, content: answer }])
  ])

const paid = { role: "assistant", content: "paid" }

/** Three payments of the same amount as each format records them; the first two get these answers, the last is made. */
const recordings: { readonly [format in Name]: (answers: ReadonlyArray<Answer>) => string } = {
  "openai-chat": (answers) => lines([{ task_id: 1, trial: 0, traj: chatted(answers) }]),
  "claude-code": (answers) => {
    const line = (type: string, block: object) => ({ type, sessionId: "s", message: { role: type, content: [block] } })
    return lines(
      answers.flatMap((content, index) => [
        line("assistant", { type: "tool_use", id: `c${index}`, name: "pay", input: params }),
        ...(content === undefined
          ? []
          : [line("user", { type: "tool_result", tool_use_id: `c${index}`, content, is_error: content !== "paid" })])
      ])
    )
  },
  codex: (answers) => {
    const item = (payload: object) => ({ type: "response_item", payload })
    return lines(
      answers.flatMap((output, index) => [
        item({ type: "function_call", name: "pay", call_id: `c${index}`, arguments: written }),
        ...(output === undefined ? [] : [item({ type: "function_call_output", call_id: `c${index}`, output })])
      ])
    )
  },
  "swe-agent": (answers) => {
    const history = answers.flatMap((content, index) => [
      {
        role: "assistant",
        content: "x",
        tool_calls: [{ id: `c${index}`, function: { name: "pay", arguments: written } }]
      },
      ...(content === undefined ? [] : [{ role: "tool", content, tool_call_ids: [`c${index}`] }])
    ])
    return lines([{ history }])
  },
  openhands: (answers) => {
    const history = answers.flatMap((content, index) => [
      { id: 2 * index + 1, source: "agent", action: "pay", args: params },
      ...(content === undefined ? [] : [{ id: 2 * index + 2, cause: 2 * index + 1, observation: "pay", content }])
    ])
    return lines([{ instance_id: "i", history }])
  },
  langsmith: (answers) => {
    const run = { id: "1", trace_id: "t", run_type: "llm", start_time: "2026-01-01T00:00:00Z" }
    return lines([
      { post: [{ ...run, inputs: { messages: chatted(answers) }, outputs: { choices: [{ message: paid }] } }] }
    ])
  },
  langfuse: (answers) => {
    const asked = { type: "GENERATION", startTime: "2026-01-01T00:00:00Z", input: chatted(answers), output: paid }
    return lines([{ trace: { id: "t" }, observations: [asked] }])
  },
  "otel-genai": (answers) => {
    const attributes = {
      "gen_ai.input.messages": JSON.stringify(chatted(answers)),
      "gen_ai.output.messages": JSON.stringify([paid])
    }
    const span = {
      traceId: "t",
      startTimeUnixNano: "1000000",
      attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }))
    }
    return lines([{ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }])
  },
  pi: (answers) => {
    const message = (each: object) => ({ type: "message", message: each })
    return lines([
      { type: "session", id: "s" },
      ...answers.flatMap((answer, index) => [
        message({
          role: "assistant",
          content: [{ type: "toolCall", id: `c${index}`, name: "pay", arguments: params }]
        }),
        ...(answer === undefined
          ? []
          : [message({ role: "toolResult", toolCallId: `c${index}`, content: [{ type: "text", text: answer }] })])
      ])
    ])
  }
}

const repeatsOf = (chat: Chat.Chat | undefined, isMutating = true) =>
  chat === undefined
    ? []
    : Repeats.of(chat, () => isMutating).map(({ action, after, of }) => `${of} ${after} ${action}`)

describe("Repeats", () => {
  for (const [name, recording] of Object.entries(recordings) as ReadonlyArray<[Name, (typeof recordings)[Name]]>) {
    it(`names in a recording of ${name} what was called once more after no answer, and nothing else`, () => {
      const of = (...answers: ReadonlyArray<Answer>) => {
        const [chat] = Result.getOrThrow(Formats.all[name].parse(recording(answers)))
        assert.strictEqual(chat?.toolCalls, answers.length)
        return repeatsOf(chat).map((each) => each.split(" ")[1])
      }
      assert.deepStrictEqual(of(undefined, "Error: timed out", "paid"), ["silence", "timeout"])
      assert.deepStrictEqual(of("paid", "paid"), [])
      assert.deepStrictEqual(of("Error: no such account", "paid"), [])
    })
  }

  const chatOf = (
    ...made: ReadonlyArray<readonly [args: Schema.Json, answer?: string, isError?: boolean | undefined]>
  ) => {
    const builder = new Chat.Builder()
    for (const [index, [args, answer, error]] of made.entries()) {
      builder.message().called({ id: `c${index}`, tool: "pay", args })
      if (answer !== undefined) builder.message().answered(`c${index}`, answer, { error })
    }
    return builder.done({})
  }

  it("compares arguments as values, and each call with the latest of the same", () => {
    const chat = chatOf([{ to: "ada", amount: 3 }], [{ amount: 3, to: "ada" }, "paid"], [{ amount: 3, to: "ada" }])
    assert.deepStrictEqual(repeatsOf(chat), ["c0 silence c1"])
    assert.deepStrictEqual(repeatsOf(chatOf([{ amount: 3 }], [{ amount: 4 }])), [])
  })

  it("ignores calls that change nothing, and calls that were made side by side and answered", () => {
    assert.deepStrictEqual(repeatsOf(chatOf([{}], [{}]), false), [])
    const builder = new Chat.Builder().message()
    builder.called({ id: "a", tool: "pay", args: {} }).called({ id: "b", tool: "pay", args: {} })
    builder.message().answered("a", "paid")
    builder.message().answered("b", "paid")
    assert.deepStrictEqual(repeatsOf(builder.done({})), [])
  })

  it("takes an answer for none if its only line, its error or its flag says so", () => {
    const lost = (answer: string, isError?: boolean) => repeatsOf(chatOf([{}, answer, isError], [{}])).length === 1
    for (const answer of ["timeout", '"timeout"', "504 Gateway Timeout", "read ECONNRESET", "Request timed out"]) {
      assert.isTrue(lost(answer), answer)
    }
    assert.isTrue(lost('{"error":{"message":"deadline exceeded"}}'))
    assert.isTrue(lost('{"error":"socket hang up"}'))
    assert.isTrue(lost("stack:\n at x\nconnection was lost", true))
    for (const answer of ['{"timeout":30,"ok":true}', "", "null", "7", "a log\nthat says timeout", "out of time"]) {
      assert.isFalse(lost(answer), answer)
    }
    assert.isFalse(lost("card declined", true))
  })
})
