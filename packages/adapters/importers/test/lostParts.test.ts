/**
 * Counts of what importers do not take over, and proof that nothing else is left out. Recordings are made up here;
 * the real ones are read from `BACKSTITCH_DATA` or from `shared/data` beside the checkout, where they are there.
 */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Chat from "../src/chat/Chat.ts"
import * as Formats from "../src/Formats.ts"
import * as Import from "../src/Import.ts"
import { inFile } from "./fixture.ts"

const written = (...lines: ReadonlyArray<unknown>): string => lines.map((line) => JSON.stringify(line)).join("\n")

const parse = (format: keyof typeof Formats.all, ...lines: ReadonlyArray<unknown>): ReadonlyArray<Chat.Chat> =>
  Result.getOrThrow(Formats.all[format].parse(written(...lines)))

const told = (chat: Chat.Chat | undefined) =>
  (chat?.steps.flat() ?? []).map((step) => {
    if (step._tag === "Received") return `${step.role}: ${step.content}`
    if (step._tag === "Sent") return `agent: ${step.content}`
    return step._tag === "Called" ? `${step.call.tool}(${step.call.id})` : `${step.call.id} => ${step.output}`
  })

describe("ClaudeCode", () => {
  const line = (uuid: string, content: unknown, more: object = {}) => ({
    type: typeof content === "string" ? "user" : "assistant",
    sessionId: "0123456789",
    uuid,
    message: { role: "user", content, ...more }
  })
  const side = (uuid: string, content: unknown, more: object = {}) => ({
    ...line(uuid, content),
    isSidechain: true,
    ...more
  })

  it("keeps the lines of subagents apart from those of the session", () => {
    const chats = parse(
      "claude-code",
      side("s1", "find it", { parentUuid: null }),
      line("m1", "go"),
      side("s2", [{ type: "text", text: "found" }], { parentUuid: "s1" }),
      line("m2", [{ type: "text", text: "done" }]),
      side("t1", "and that", { agentId: "a7" }),
      side("s3", [{ type: "text", text: "more" }], { parentUuid: "s2" })
    )
    assert.deepStrictEqual(chats.map(told), [
      ["user: go", "agent: done"],
      ["user: find it", "agent: found", "agent: more"],
      ["user: and that"]
    ])
    assert.deepStrictEqual(
      chats.map(({ task, trial }) => [task, trial]),
      [
        ["01234567", undefined],
        ["01234567", "side-1"],
        ["01234567", "a7"]
      ]
    )
  })

  it("takes over the output that a tool showed, and counts the parts that it leaves out", () => {
    const usage = { id: "msg", usage: { input_tokens: 1 } }
    const [chat] = parse(
      "claude-code",
      { type: "summary", summary: "before" },
      { type: "file-history-snapshot", snapshot: {} },
      { type: "queue-operation" },
      line("1", [{ type: "thinking", thinking: "hm" }], usage),
      line("2", [{ type: "tool_use", id: "r", name: "Read", input: {} }], usage),
      {
        ...line("3", "-"),
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "r", content: "1→a" }, { type: "image" }]
        },
        toolUseResult: { file: { content: "a" } }
      },
      { ...line("4", "so far: all"), isCompactSummary: true }
    )
    assert.deepStrictEqual(chat?.lost, { attachment: 1, notice: 1, reasoning: 1, snapshot: 1, summary: 2, usage: 1 })
    const [answer] = (chat?.steps.flat() ?? []).flatMap((step) => (step._tag === "Answered" ? [step] : []))
    assert.deepStrictEqual(answer?.shown, { file: { content: "a" } })
  })
})

describe("Codex", () => {
  it("tells each of two items that say the same, and an event that repeats an item once", () => {
    const item = (text: string) => ({
      type: "response_item",
      payload: { type: "message", role: "user", content: [{ type: "input_text", text }] }
    })
    const event = (type: string, message = "") => ({ type: "event_msg", payload: { type, message } })
    const [chat] = parse(
      "codex",
      item("yes"),
      item("yes"),
      event("user_message", "yes"),
      event("user_message", "yes"),
      event("user_message", "yes"),
      event("token_count"),
      event("agent_reasoning"),
      { type: "response_item", payload: { type: "reasoning" } },
      { type: "compacted", payload: {} },
      { type: "turn_context", payload: {} }
    )
    assert.deepStrictEqual(told(chat), ["user: yes", "user: yes", "user: yes"])
    assert.deepStrictEqual(chat?.lost, { notice: 1, reasoning: 2, summary: 1, usage: 1 })
  })
})

describe("Langfuse", () => {
  const call = { id: "c", type: "function", function: { name: "weather", arguments: "{}" } }
  const at = (second: number) => ({ startTime: `2026-01-01T00:00:0${second}Z` })

  it("keeps the tool calls of a graph, where a message holds them and where a span answers them", () => {
    const [chat] = parse("langfuse", {
      trace: { id: "t" },
      observations: [
        { type: "SPAN", name: "LangGraph", ...at(0), output: { messages: [] } },
        {
          type: "GENERATION",
          ...at(1),
          input: [{ role: "user", content: "weather?" }],
          output: { role: "assistant", content: "", additional_kwargs: { tool_calls: [call] } },
          usage: { input: 3 }
        },
        {
          type: "SPAN",
          name: "weather",
          ...at(2),
          input: "{}",
          output: { content: "rain", type: "tool", name: "weather", tool_call_id: "c" }
        }
      ]
    })
    assert.deepStrictEqual(told(chat), ["user: weather?", "weather(c)", "c => rain"])
    assert.deepStrictEqual(chat?.lost, { frame: 1, usage: 1 })
  })

  it("keeps them if the trace alone holds the messages of the graph", () => {
    const messages = [
      { type: "human", content: "weather?" },
      { type: "ai", content: "", tool_calls: [{ name: "weather", args: {}, id: "c", type: "tool_call" }] },
      { type: "tool", content: "rain", name: "weather", tool_call_id: "c" },
      { type: "ai", content: "it rains", tool_calls: [] }
    ]
    const trace = { id: "t", input: { messages: messages.slice(0, 1) }, output: { messages } }
    const [chat] = parse("langfuse", { trace, observations: [{ type: "SPAN", name: "agent", ...at(0) }] })
    assert.deepStrictEqual(told(chat), ["user: weather?", "weather(c)", "c => rain", "agent: it rains"])
  })
})

describe("errors", () => {
  const calls = (...answers: ReadonlyArray<object>) => answers

  it.effect("are counted alike in all formats: if the recording flags them, or the answer begins with the word", () =>
    Effect.forEach(
      [
        [
          "openai-chat",
          written({
            traj: [
              { role: "assistant", tool_calls: [{ id: "a", function: { name: "t", arguments: "{}" } }] },
              { role: "tool", tool_call_id: "a", content: "Error: no" }
            ]
          })
        ],
        [
          "claude-code",
          written(
            { type: "assistant", message: { content: [{ type: "tool_use", id: "a", name: "t", input: {} }] } },
            { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "a", content: "Error: no" }] } }
          )
        ],
        [
          "codex",
          written(
            { type: "response_item", payload: { type: "function_call", call_id: "a", name: "t", arguments: "{}" } },
            {
              type: "response_item",
              payload: {
                type: "function_call_output",
                call_id: "a",
                output: JSON.stringify({ output: "no", metadata: { exit_code: 1 } })
              }
            }
          )
        ],
        [
          "pi",
          written(
            { type: "message", message: { role: "assistant", content: [{ type: "toolCall", id: "a", name: "t" }] } },
            { type: "message", message: { role: "toolResult", toolCallId: "a", content: "Error: no" } }
          )
        ],
        [
          "openhands",
          written({ history: calls({ action: "run", args: {} }, { observation: "run", content: "Error: no" }) })
        ],
        [
          "swe-agent",
          written({
            history: [
              { role: "assistant", content: "", tool_calls: [{ id: "a", function: { name: "t", arguments: "{}" } }] },
              { role: "tool", tool_call_ids: ["a"], content: "Error: no" }
            ]
          })
        ],
        [
          "langfuse",
          written({ trace: { id: "t" }, observations: [{ type: "TOOL", name: "t", input: {}, output: "Error: no" }] })
        ],
        ["langsmith", written([{ id: "r", run_type: "tool", name: "t", inputs: {}, error: "no" }])],
        [
          "otel-genai",
          written({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t", output: "Error: no" })
        ]
      ] as const,
      ([name, text]) =>
        inFile(text, (file) =>
          Effect.gen(function* () {
            const { totals } = yield* Import.file({ file, format: Formats.all[name] })
            assert.deepInclude(totals, { runs: 1, toolCalls: 1, failedCalls: 1 }, name)
          })
        ).pipe(Effect.provide(PackLibrary.layer.pipe(Layer.provideMerge(TraceStore.layerMemory)), { local: true }))
    )
  )
})

const folder = process.env["BACKSTITCH_DATA"] ?? fileURLToPath(new URL("../../../../../shared/data", import.meta.url))

describe.skipIf(!existsSync(`${folder}/codemie-sessions/dev`))("real recordings", () => {
  it("are taken over with all lines accounted for", () => {
    const read = (name: keyof typeof Formats.all, file: string) =>
      Result.getOrThrow(Formats.all[name].parse(gunzipSync(readFileSync(`${folder}/${file}`)).toString("utf8")))[0]!
        .lost
    const sessions = "codemie-sessions/dev"
    assert.deepStrictEqual(read("claude-code", `${sessions}/claude-code/session-9eda1058.jsonl.gz`), {
      notice: 2,
      reasoning: 4,
      snapshot: 3,
      summary: 16,
      usage: 5
    })
    assert.deepStrictEqual(read("codex", `${sessions}/codex/turn-2.jsonl.gz`), { notice: 7, reasoning: 2, usage: 4 })
  })
})
