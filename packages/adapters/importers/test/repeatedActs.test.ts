import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Repeats from "@backstitch/ledger/Repeats"
import * as Fold from "@backstitch/reducer/Fold"
import * as Run from "@backstitch/trace/Run"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type * as Chat from "../src/chat/Chat.ts"
import * as Formats from "../src/Formats.ts"
import * as ChatRun from "../src/run/ChatRun.ts"

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
  "group-chat": (answers) =>
    JSON.stringify(chatted(answers).map((each) => ("tool_calls" in each ? { ...each, name: "Ann" } : each))),
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

const setting: ChatRun.Setting = {
  fold: Fold.make({ parts: Fold.base, sources: { rules: () => undefined } }),
  tool: () => ({ class: "critical_mutation", mutating: true }),
  started: [],
  tables: [],
  outputs: "bytes"
}

const repeatsIn = (chat: Chat.Chat): ReadonlyArray<Repeats.Repeat> => {
  const { sealed } = ChatRun.make(setting, Run.make("r"), chat)
  return Repeats.of(sealed.map(Transition.open), ToolContract.unknown)
}

describe("a recorded run", () => {
  for (const [name, recording] of Object.entries(recordings) as ReadonlyArray<[Name, (typeof recordings)[Name]]>) {
    it(`of ${name} names the act that was repeated after no answer, a time-out or a crash, and no other`, () => {
      const of = (...answers: ReadonlyArray<Answer>) => {
        const [chat] = Result.getOrThrow(Formats.all[name].parse(recording(answers)))
        assert.strictEqual(chat?.toolCalls, answers.length)
        return repeatsIn(chat!).map(({ after, basis }) => `${after} ${basis}`)
      }
      assert.deepStrictEqual(of(undefined, "Error: timed out", "paid"), ["silence arguments", "timeout arguments"])
      assert.deepStrictEqual(of("Error: MCP error -32000: Connection closed", "paid"), ["crash arguments"])
      assert.deepStrictEqual(of("paid", "paid"), [])
      assert.deepStrictEqual(of("Error: no such account", "paid"), [])
    })
  }
})
