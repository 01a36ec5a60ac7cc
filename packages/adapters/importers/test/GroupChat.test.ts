/** A small group chat is made up here; real ones are read where they are, as in `Formats.test.ts`. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Diagnosis from "@backstitch/topology/Diagnosis"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type * as Chat from "../src/chat/Chat.ts"
import * as GroupChat from "../src/formats/GroupChat.ts"
import * as ChatRun from "../src/run/ChatRun.ts"

const parse = (value: unknown): Chat.Chat => Result.getOrThrow(GroupChat.parse(JSON.stringify(value)))

const problem = (text: string): string => {
  const parsed = GroupChat.parse(text)
  return Result.isFailure(parsed) ? parsed.failure : "none"
}

const told = (chat: Chat.Chat) =>
  chat.steps.flat().map((step): string => {
    switch (step._tag) {
      case "Received":
        return `${step.role}: ${step.content}`
      case "Sent":
        return `${step.agent}${step.to === undefined ? "" : ` to ${step.to}`}: ${step.content}`
      case "Called":
        return `${step.agent} calls ${step.call.tool}(${JSON.stringify(step.call.args)})`
      default:
        return `${step.call.tool} => ${step.output}${step.error === true ? " (error)" : ""}`
    }
  })

const diagnosed = (chat: Chat.Chat) => {
  const tool = () => ({ class: "critical_mutation", mutating: true })
  const transitions = chat.steps.flat().map((step, index) => {
    const { body } = ChatRun.draftOf({ tool }, step, { asOf: 0, source: "" })
    return { tick: index + 1, body, stamp: { asOf: 0 }, envelope: { ts: 0 } }
  })
  return Diagnosis.of(transitions, { contractOf: ToolContract.unknown, isOver: true })
}

describe("GroupChat", () => {
  it("reads who speaks to whom, the question first, and thoughts as words of their agent", () => {
    const chat = parse({
      question: "How many pages?",
      history: [
        { role: "human", content: "How many pages? " },
        { role: "Boss (thought)", content: "Ann knows" },
        { role: "Boss (-> Ann)", content: "count them" },
        { role: "Ann", content: "twelve" },
        { content: "TERMINATE", name: "Boss", role: "user" }
      ]
    })
    assert.deepStrictEqual(told(chat), [
      "human: How many pages? ",
      "Boss: Ann knows",
      "Boss to Ann: count them",
      "Ann: twelve",
      "Boss: TERMINATE"
    ])
    assert.strictEqual(diagnosed(chat).looksLike, "orchestrator")
    assert.strictEqual(told(parse({ task: "Count", history: [{ name: "Ann", content: "one" }] }))[0], "user: Count")
  })

  it("reads a block of code and the exit code behind it as a call of its author, and any other text as words", () => {
    const code = "Let me count.\n```python\nprint(6 * 2)\n```"
    const chat = parse([
      { name: "Ann", role: "assistant", content: code },
      { name: "Computer_terminal", role: "user", content: "exitcode: 0 (execution succeeded)\nCode output: 12\n" },
      { name: "Bob", role: "user", content: "```sh\nrm x\n```" },
      { name: "Computer_terminal", role: "user", content: "exitcode: 1 (execution failed)\nCode output: no x" },
      { name: "Bob", role: "user", content: "```sh\nls\n```" },
      { name: "Ann", role: "user", content: "exitcode: 0 is what we want" }
    ])
    assert.deepStrictEqual(told(chat).slice(1, 6), [
      'Ann calls run_code({"code":"print(6 * 2)\\n"})',
      "run_code => exitcode: 0 (execution succeeded)\nCode output: 12\n",
      "Bob: ```sh\nrm x\n```",
      'Bob calls run_code({"code":"rm x\\n"})',
      "run_code => exitcode: 1 (execution failed)\nCode output: no x (error)"
    ])
    assert.deepStrictEqual(diagnosed(chat).agents, ["Ann", "Bob"])
  })

  it("reads calls and answers in the form of the chat API, and in that of AgentChat", () => {
    const chat = parse([
      {
        role: "assistant",
        name: "Ann",
        content: null,
        tool_calls: [{ id: "c", function: { name: "look", arguments: '{"q":1}' } }]
      },
      { role: "tool", tool_call_id: "c", content: "found" },
      { source: "Bob", type: "ToolCallRequestEvent", content: [{ id: "d", name: "book", arguments: "{}" }] },
      {
        source: "Bob",
        type: "ToolCallExecutionEvent",
        content: [{ call_id: "d", content: "sold out", is_error: true }]
      },
      { source: "Bob", type: "TextMessage", content: "sold out", models_usage: { prompt_tokens: 4 } }
    ])
    assert.deepStrictEqual(told(chat), [
      'Ann calls look({"q":1})',
      "look => found",
      "Bob calls book({})",
      "book => sold out (error)",
      "Bob: sold out"
    ])
    assert.deepStrictEqual(chat.lost, { usage: 1 })
  })

  it("reads one message a line, and brings handoffs that a doctor can read", () => {
    const lines = [
      { speaker: "Boss", to: "Ann", content: "write chapter 3 about the bridge" },
      { speaker: "Ann", content: "write chapter 3 about the bridge" },
      { speaker: "Boss", to: "Bob", content: "write chapter 4" }
    ]
    const chat = Result.getOrThrow(GroupChat.parse(lines.map((line) => JSON.stringify(line)).join("\n")))
    const { cracks, looksLike } = diagnosed(chat)
    assert.strictEqual(looksLike, "orchestrator")
    assert.deepStrictEqual(
      cracks.map(({ agent, signal }) => [agent, signal]),
      [
        ["Ann", "echoed_brief"],
        ["Bob", "never_reported"]
      ]
    )
  })

  it("says what is wrong with a text that is no group chat", () => {
    assert.match(problem("{"), /it is not JSON/)
    assert.match(problem("{}"), /it has no messages/)
    assert.match(problem("[1]"), /message 0 is not an object/)
    assert.match(problem('[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]'), /names a speaker/)
    assert.match(problem('[{"name":"Ann","content":7}]'), /message 0 has a `content` that is neither text/)
    assert.match(problem('[{"name":"Ann","tool_calls":[{}]}]'), /a call without an `id`/)
    assert.match(problem('[{"role":"tool","content":"x"}]'), /answers a call and names none/)
    assert.match(problem('[{"role":"tool","tool_call_id":"a","content":"x"}]'), /no call of that id is unanswered/)
    assert.match(problem('{"name":"Ann"}\n{'), /line 2: it is not JSON/)
  })
})

const folder = process.env["BACKSTITCH_DATA"] ?? fileURLToPath(new URL("../../../../../shared/data", import.meta.url))
const isAbsent = !existsSync(`${folder}/who-and-when`)
const title = isAbsent ? `skipped: no recordings under ${folder}, set BACKSTITCH_DATA` : "dev"

describe.skipIf(isAbsent)(`GroupChat, recorded (${title})`, () => {
  it("reads each recorded group chat with all its messages, and finds several agents in it", () => {
    const files = globSync(`${folder}/who-and-when/*/*/*.json.gz`)
    assert.strictEqual(files.length, 16)
    for (const file of files) {
      const text = gunzipSync(readFileSync(file)).toString("utf8")
      const chat = Result.getOrThrow(GroupChat.parse(text))
      const { history } = JSON.parse(text) as { readonly history: ReadonlyArray<unknown> }
      assert.isTrue(chat.messages === history.length || chat.messages === history.length + 1, file)
      assert.isAtLeast(diagnosed(chat).agents.length, 1, file)
    }
  })
})
