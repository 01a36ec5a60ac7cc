/**
 * Recordings of other frameworks. Small ones are made up here; the real ones are read from `BACKSTITCH_DATA` or from
 * `shared/data` beside the checkout, and their tests are skipped where they are absent.
 */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type * as Chat from "../src/chat/Chat.ts"
import type { Format } from "../src/chat/Format.ts"
import * as Formats from "../src/Formats.ts"

const folder = process.env["BACKSTITCH_DATA"] ?? fileURLToPath(new URL("../../../../../shared/data", import.meta.url))
const isAbsent = !existsSync(`${folder}/codemie-sessions/dev`)
const title = isAbsent ? `skipped: no recordings under ${folder}, set BACKSTITCH_DATA` : "dev"

const read = (format: Format, file: string): ReadonlyArray<Chat.Chat> => {
  const bytes = readFileSync(`${folder}/${file}`)
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString("utf8")
  const texts = format.framing === "line" ? text.split("\n").filter((line) => line.trim() !== "") : [text]
  return texts.flatMap((each) => Result.getOrThrow(format.parse(each)))
}

const answersOf = (chat: Chat.Chat) => chat.steps.flat().flatMap((step) => (step._tag === "Answered" ? [step] : []))

const counts = (chat: Chat.Chat) => ({
  messages: chat.messages,
  calls: chat.toolCalls,
  results: answersOf(chat).length,
  errors: answersOf(chat).filter(({ error }) => error === true).length
})

/** Lists the steps of a conversation, one word each. */
const told = (chat: Chat.Chat) =>
  chat.steps.flat().map((step) => {
    if (step._tag === "Received") return `${step.role}: ${step.content}`
    if (step._tag === "Sent") return `agent: ${step.content}`
    return step._tag === "Called"
      ? `${step.call.tool}(${JSON.stringify(step.call.args)})`
      : `${step.call.tool} => ${step.output}`
  })

const parse = (format: Format, ...lines: ReadonlyArray<unknown>): ReadonlyArray<Chat.Chat> =>
  Result.getOrThrow(format.parse(lines.map((line) => JSON.stringify(line)).join("\n")))

const problem = (format: Format, text: string) => {
  const parsed = format.parse(text)
  return Result.isFailure(parsed) ? parsed.failure : "none"
}

/** Messages, calls, results and errors, by file. */
const recorded: ReadonlyArray<readonly [keyof typeof Formats.all, string, ...ReadonlyArray<string>]> = [
  ["claude-code", "codemie-sessions/dev/claude-code/session-3fe1b6bc.jsonl.gz", "261 76 76 5"],
  ["claude-code", "codemie-sessions/dev/claude-code/session-9eda1058.jsonl.gz", "19 3 3 1"],
  [
    "claude-code",
    "codemie-sessions/dev/claude-code/tmp-private/4c2ddfdc-b619-4525-8d03-1950fb1b0257.jsonl.gz",
    "19 6 6 0"
  ],
  ["claude-code", "codemie-sessions/dev/claude-code/tmp-private/agent-36541525.jsonl.gz", "2 0 0 0"],
  ["claude-code", "codemie-sessions/dev/claude-code/tmp-private/agent-50243ee8.jsonl.gz", "2 0 0 0"],
  ["codex", "codemie-sessions/dev/codex/rollout-2026-05-11T13-28-45.jsonl.gz", "82 38 38 0"],
  ["codex", "codemie-sessions/dev/codex/turn-2.jsonl.gz", "8 0 0 0"],
  ["codex", "codemie-sessions/dev/codex/turn-spawn-skill.jsonl.gz", "5 3 1 0"],
  ["pi", "pi-sessions/dev/large-session.jsonl.gz", "914 391 373 19"],
  ["swe-agent", "swe-agent/dev/function_calling_simple.traj.gz", "12 5 5 0"],
  ["swe-agent", "swe-agent/dev/pydicom__pydicom-1458.traj.gz", "26 12 11 0"],
  ["swe-agent", "mini-swe-agent/dev/github_issue.traj.json", "22 10 10 0"],
  ["swe-agent", "mini-swe-agent/dev/local.traj.json", "6 2 2 0"],
  ["openhands", "openhands/dev/multi_swe_bench-1.jsonl.gz", "49 23 23 5"],
  ["openhands", "openhands/dev/resolver-output.jsonl.gz", "8 3 3 0", "44 21 21 0"],
  ["langsmith", "langsmith-runs/dev/anthropic_managed_custom_tools.jsonl", "4 1 1 0"],
  ["langsmith", "langsmith-runs/dev/langsmith_py_wrap_openai_.json", "2 0 0 0"],
  ["langfuse", "langfuse-framework-traces/dev/claude-agent-2025-12-22.trace.json.gz", "8 2 2 0"],
  ["langfuse", "langfuse-framework-traces/dev/google-adk-2025-08-28.trace.json.gz", "5 1 1 0"],
  ["langfuse", "langfuse-framework-traces/dev/langgraph-js-2025-10-30.trace.json.gz", "4 1 1 0"],
  ["langfuse", "langfuse-framework-traces/dev/microsoft-agent-2025-12-17.trace.json.gz", "4 1 1 0"],
  ["langfuse", "langfuse-framework-traces/dev/openai-agents-2025-09-30.trace.json.gz", "4 1 1 0"],
  ["langfuse", "langfuse-framework-traces/dev/pydantic-ai-tools-2025-12-04.trace.json.gz", "12 4 3 0"],
  ["langfuse", "langfuse-framework-traces/dev/vercel-aisdk-2025-11-17.trace.json.gz", "3 1 1 0"],
  ["otel-genai", "otel-genai/dev/openinference_client_span_tool_calls.json", "4 1 1 0"],
  ["otel-genai", "otel-genai/dev/otel_genai_client_span_tool_calls.json", "4 1 1 0"],
  ["otel-genai", "otel-genai/dev/otel_genai_deprecated_client_span_tool_calls.json", "4 1 1 0"],
  ["otel-genai", "otel-genai/dev/otel_genai_tool_execution_span.json", "1 1 1 0"]
]

describe.skipIf(isAbsent)(`recordings of other frameworks (${title})`, () => {
  for (const [name, file, ...expected] of recorded) {
    it(`${name} gives every message, call and result of ${file.replace(/^.*\//, "")}`, () => {
      const found = read(Formats.all[name], file).map((chat) => Object.values(counts(chat)).join(" "))
      assert.deepStrictEqual(found, expected)
    })
  }

  it("langfuse gives the expected chat form beside each trace for its generations", () => {
    let compared = 0
    for (const [name, file] of recorded) {
      if (name !== "langfuse") continue
      const words = told(read(Formats.all.langfuse, file)[0]!).join("\n")
      const raw = gunzipSync(readFileSync(`${folder}/${file.replace(".trace.", ".chatml.")}`)).toString("utf8")
      const expected: Readonly<Record<string, { output?: { success: boolean; data?: ReadonlyArray<unknown> } }>> =
        JSON.parse(raw)
      for (const { output } of Object.values(expected)) {
        for (const message of output?.success === true ? (output.data ?? []) : []) {
          const { content, role, tool_calls } = message as {
            readonly role?: string
            readonly content?: unknown
            readonly tool_calls?: ReadonlyArray<{ readonly name: string }>
          }
          if (role !== "assistant" && role !== "model") continue
          if (typeof content === "string") {
            assert.include(words, content)
            compared++
          }
          for (const call of tool_calls ?? []) {
            assert.include(words, `${call.name}(`)
            compared++
          }
        }
      }
    }
    assert.isAbove(compared, 10)
  })
})

describe("ClaudeCode", () => {
  const line = (type: string, content: unknown, more: object = {}) => ({
    type,
    sessionId: "0123456789",
    timestamp: "2026-01-02T03:04:05.678Z",
    message: { role: type, content },
    ...more
  })

  it("reads a session: blocks as steps, errors as errors, and no thinking", () => {
    const [chat] = parse(
      Formats.all["claude-code"],
      { type: "summary", summary: "nothing" },
      line("user", "hello"),
      line("assistant", [{ type: "thinking", thinking: "hm" }]),
      line("assistant", [{ type: "tool_use", id: "a", name: "Read", input: { file_path: "x" } }]),
      line("user", [{ type: "tool_result", tool_use_id: "a", content: "gone", is_error: true }])
    )
    assert.deepStrictEqual(told(chat!), ["user: hello", 'Read({"file_path":"x"})', "Read => gone"])
    assert.strictEqual(chat!.task, "01234567")
    assert.deepStrictEqual(counts(chat!), { messages: 4, calls: 1, results: 1, errors: 1 })
    assert.strictEqual(chat!.steps[0]?.[0]?.at, 1_767_323_045_678)
  })

  it("refuses a file that is no session, and an answer without a call", () => {
    assert.include(problem(Formats.all["claude-code"], "{}"), "no line of the type user or assistant")
    const stray = JSON.stringify(line("user", [{ type: "tool_result", tool_use_id: "z", content: "?" }]))
    assert.include(problem(Formats.all["claude-code"], stray), 'message 0 answers the tool call "z"')
    assert.include(problem(Formats.all["claude-code"], "{}\n{"), "line 2: it is not JSON")
  })
})

describe("Codex", () => {
  const item = (payload: object) => ({ type: "response_item", payload })
  const event = (type: string, message: string) => ({ type: "event_msg", payload: { type, message } })

  it("reports once a part that is both an item and an event, and leaves a call without an answer open", () => {
    const [chat] = parse(
      Formats.all.codex,
      { type: "session_meta", payload: { id: "s" } },
      event("user_message", "do it"),
      item({ type: "message", role: "user", content: [{ type: "input_text", text: "do it" }] }),
      item({ type: "function_call", name: "shell", call_id: "1", arguments: '{"cmd":"ls"}' }),
      item({ type: "function_call_output", call_id: "1", output: "a b" }),
      item({ type: "function_call", name: "shell", call_id: "2", arguments: "not json" }),
      event("agent_message", "done"),
      item({ type: "message", role: "assistant", content: [{ type: "output_text", text: "done" }] })
    )
    assert.deepStrictEqual(told(chat!), [
      "user: do it",
      'shell({"cmd":"ls"})',
      "shell => a b",
      'shell("not json")',
      "agent: done"
    ])
  })

  it("refuses a file that is no rollout", () => {
    assert.include(problem(Formats.all.codex, "{}"), "no line of the type response_item")
  })
})

describe("Pi", () => {
  it("reads messages, calls and results, and refuses a file that is no session", () => {
    const [chat] = parse(
      Formats.all.pi,
      { type: "session", id: "abcdefghij" },
      { type: "message", message: { role: "user", content: [{ type: "text", text: "go" }] } },
      {
        type: "message",
        message: { role: "assistant", content: [{ type: "toolCall", id: "1", name: "ls", arguments: {} }] }
      },
      {
        type: "message",
        message: { role: "toolResult", toolCallId: "1", content: [{ type: "text", text: "a" }], isError: false }
      }
    )
    assert.deepStrictEqual(told(chat!), ["user: go", "ls({})", "ls => a"])
    assert.include(problem(Formats.all.pi, "{}"), "no line of the type message")
  })
})

describe("SweAgent", () => {
  it("reads function calls, and commands in text as calls of the shell", () => {
    const called = parse(Formats.all["swe-agent"], {
      history: [
        { role: "user", content: "demo", is_demo: true },
        { role: "user", content: "task" },
        {
          role: "assistant",
          content: "x",
          thought: "look",
          tool_calls: [{ id: "1", function: { name: "find", arguments: "{}" } }]
        },
        { role: "tool", content: "found", tool_call_ids: ["1"] }
      ]
    })
    assert.deepStrictEqual(told(called[0]!), ["user: demo", "user: task", "agent: look", "find({})", "find => found"])
    const written = parse(Formats.all["swe-agent"], [
      { role: "user", content: "task" },
      { role: "assistant", content: "try\n```bash\nls\n```" },
      { role: "user", content: "a b" }
    ])
    assert.deepStrictEqual(told(written[0]!).slice(2), ['shell({"command":"ls"})', "shell => a b"])
  })

  it("refuses a file without messages", () => {
    assert.include(problem(Formats.all["swe-agent"], "[]"), "no messages")
    assert.include(problem(Formats.all["swe-agent"], "[{}]"), "message 0 has no role")
  })
})

describe("OpenHands", () => {
  it("pairs an observation with the action that caused it, or with the one before if there are no ids", () => {
    const caused = parse(Formats.all.openhands, {
      instance_id: "i",
      history: [
        { id: 1, source: "user", action: "message", args: { content: "fix" } },
        { id: 2, source: "agent", action: "run", args: { command: "ls", thought: "look" } },
        { id: 3, source: "agent", action: "run", args: { command: "pwd" } },
        { id: 4, cause: 2, observation: "run", content: "a", extras: { metadata: { exit_code: 2 } } },
        { id: 5, cause: 3, observation: "run", content: "/" }
      ]
    })
    assert.deepStrictEqual(told(caused[0]!).slice(-2), ["run => a", "run => /"])
    assert.strictEqual(counts(caused[0]!).errors, 1)
    const bare = parse(Formats.all.openhands, {
      history: [
        { action: "message", content: "fix" },
        { action: "run", command: "ls" },
        { observation: "run", content: "a" }
      ]
    })
    assert.deepStrictEqual(told(bare[0]!), ["user: fix", 'run({"command":"ls"})', "run => a"])
  })

  it("reports an observation that no open action caused as a message of the environment", () => {
    const event = (more: object) => ({ timestamp: "2026-01-02T03:04:05", ...more })
    const history = [
      event({ id: 1, action: "run", args: { command: "ls" } }),
      event({ observation: "run", content: "a", cause: 1, extras: { metadata: { exit_code: 0 } } }),
      event({ observation: "agent_state_changed", content: "again", cause: 1 }),
      event({ action: "run", args: { command: "pwd" } }),
      event({ observation: "run", content: "Error: gone" }),
      event({ observation: "run", content: "late" })
    ]
    const [chat] = parse(Formats.all.openhands, { history })
    assert.deepStrictEqual(told(chat!), [
      'run({"command":"ls"})',
      "run => a",
      "environment: again",
      'run({"command":"pwd"})',
      "run => Error: gone",
      "environment: late"
    ])
  })
})

describe("LangSmith, Langfuse and OtelGenAi", () => {
  const ask = { role: "user", content: "weather?" }
  const call = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c", type: "function", function: { name: "weather", arguments: "{}" } }]
  }
  const answer = { role: "tool", tool_call_id: "c", content: "rain" }
  const done = { role: "assistant", content: "it rains" }
  const expected = ["user: weather?", "weather({})", "weather => rain", "agent: it rains"]

  it("report a message once, however many model calls repeat it", () => {
    const runs = [
      {
        id: "1",
        trace_id: "t",
        run_type: "llm",
        start_time: "2026-01-01T00:00:00Z",
        inputs: { messages: [ask] },
        outputs: { choices: [{ message: call }] }
      },
      {
        id: "2",
        trace_id: "t",
        run_type: "llm",
        start_time: "2026-01-01T00:00:02Z",
        inputs: { messages: [ask, call, answer] },
        outputs: { choices: [{ message: done }] }
      }
    ]
    assert.deepStrictEqual(told(parse(Formats.all.langsmith, { post: runs, patch: [] })[0]!), expected)

    const generations = runs.map(({ inputs, outputs, start_time: startTime }) => ({
      type: "GENERATION",
      startTime,
      input: JSON.stringify(inputs.messages),
      output: JSON.stringify(outputs.choices[0]!.message)
    }))
    const tool = {
      type: "TOOL",
      name: "execute_tool weather",
      startTime: "2026-01-01T00:00:01Z",
      input: "{}",
      output: '"rain"'
    }
    const trace = { trace: { id: "t" }, observations: [generations[1], tool, generations[0]] }
    assert.deepStrictEqual(told(parse(Formats.all.langfuse, trace)[0]!), expected)

    const attributes = (entries: Readonly<Record<string, string>>) =>
      Object.entries(entries).map(([key, stringValue]) => ({ key, value: { stringValue } }))
    const span = (at: string, entries: Readonly<Record<string, string>>) => ({
      traceId: "t",
      startTimeUnixNano: at,
      attributes: attributes(entries)
    })
    const otlp = {
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: [
                span("2000000", {
                  "gen_ai.operation.name": "execute_tool",
                  "gen_ai.tool.name": "weather",
                  "gen_ai.tool.call.id": "c",
                  output: "rain"
                }),
                span("3000000", {
                  "gen_ai.input.messages": JSON.stringify([ask, call, answer]),
                  "gen_ai.output.messages": JSON.stringify([done])
                }),
                span("1000000", {
                  "gen_ai.input.messages": JSON.stringify([ask]),
                  "gen_ai.output.messages": JSON.stringify([call])
                })
              ]
            }
          ]
        }
      ]
    }
    const [chat] = parse(Formats.all["otel-genai"], otlp)
    assert.deepStrictEqual(told(chat!), expected)
    assert.deepStrictEqual(
      chat!.steps.map(([step]) => step?.at),
      [1, 1, 2, 3]
    )
  })

  it("name the missing part if there is nothing to report", () => {
    assert.include(problem(Formats.all.langsmith, "{}"), "no run of a model or a tool")
    assert.include(problem(Formats.all.langfuse, "{}"), "no observation")
    assert.include(problem(Formats.all["otel-genai"], "{}"), "no span of a model call")
  })
})
