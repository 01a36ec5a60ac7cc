/**
 * Conversations of several agents: a list of messages with their speakers, as AutoGen and frameworks like it log them.
 *
 * A file holds one conversation: an object with its messages under `history`, `messages` or `chat_history`, a bare
 * list of messages, or one message a line.
 *
 * | of a message | is read as |
 * | --- | --- |
 * | `name`, `source` or `speaker`, or else the role | the agent that speaks |
 * | `Boss (-> Worker)`, or `to`, `recipient`, `target` | the agent that is spoken to |
 * | `human` or `user` without a name, and `system` | a message to the agents |
 * | `tool_calls`, or a list of function calls as its content | calls of its speaker |
 * | the role `tool`, or a list of results as its content | answers to these |
 * | `exitcode: N …` behind a message with a block of code | the answer to a call of `run_code` by who wrote the block |
 *
 * The question, if the object names one, is the first message to the agents.
 *
 * @source AutoGen, messages of group chats
 */
import * as Result from "effect/Result"
import * as Chat from "../chat/Chat.ts"
import type { Format } from "../chat/Format.ts"
import {
  args,
  content,
  type Fields,
  fields,
  flagged,
  isObject,
  json,
  jsonLines,
  list,
  output,
  text,
  time
} from "../text/foreignJson.ts"

/**
 * Reads a conversation. A failure names the value found and the value expected.
 *
 * **Example** (Who speaks to whom)
 *
 * ```ts import.meta.vitest
 * import { GroupChat } from "@backstitch/importers"
 * import { Result } from "effect"
 *
 * const history = [
 *   { role: "Boss (-> Ann)", content: "write chapter 3" },
 *   { role: "Ann", content: "twelve pages" }
 * ]
 * const chat = Result.getOrThrow(GroupChat.parse(JSON.stringify({ question: "a book", history })))
 *
 * chat.steps.flat().map((step) => step._tag) // => ["Received", "Sent", "Sent"]
 * chat.steps[1] // => [{ _tag: "Sent", content: "write chapter 3", agent: "Boss", to: "Ann", message: 1 }]
 * ```
 */
export const parse = (source: string): Result.Result<Chat.Chat, string> => {
  const read = json(source)
  const value = Result.isSuccess(read) || !source.trim().includes("\n") ? read : jsonLines(source)
  if (Result.isFailure(value)) return Result.fail(value.failure)
  const whole = fields(value.success)
  const messages = Array.isArray(value.success)
    ? value.success
    : (whole["history"] ?? whole["messages"] ?? whole["chat_history"])
  if (!Array.isArray(messages)) {
    return Result.fail(
      "it has no messages: a list was expected, or an object with one under `history`, `messages` or `chat_history`"
    )
  }
  const reader = new Reader()
  const question = text(whole["question"]) ?? text(whole["task"])
  const first = messages.find((message) => isObject(message))
  if (question !== undefined && text(fields(first)["content"])?.trim() !== question.trim()) reader.ask(question)
  for (const [index, message] of messages.entries()) {
    const problem = reader.add(message, messages[index + 1])
    if (problem !== undefined) return Result.fail(`message ${index} ${problem}`)
  }
  return reader.speakers.size === 0
    ? Result.fail("none of its messages names a speaker: `name`, `source` or `speaker` was expected")
    : Result.succeed(reader.done(text(whole["id"]) ?? text(whole["question_ID"])))
}

/** The format, for `Import`. */
export const format: Format = {
  name: "group-chat",
  framing: "file",
  parse: (source) => Result.map(parse(source), (chat) => [chat])
}

/** Reads the messages of one conversation in their order. */
class Reader {
  /** Names of agents that were named as such, and not by a role of the chat API. */
  readonly speakers = new Set<string>()
  private readonly builder = new Chat.Builder()
  private runs = 0

  ask(question: string): void {
    this.builder.message().received("user", question)
  }

  done(task: string | undefined): Chat.Chat {
    return this.builder.done({ task })
  }

  /** Adds a message, knowing the next one; fails with its mistake. */
  add(message: unknown, next: unknown): string | undefined {
    if (!isObject(message)) return "is not an object"
    const at = time(message["timestamp"] ?? message["created_at"])
    const { agent, isNamed, role, to } = speakerOf(message)
    if (isObject(message["models_usage"]) || isObject(message["usage"])) this.builder.lose("usage")
    this.builder.message(at)
    const calls = [...list(message["tool_calls"]), ...list(message["content"]).filter(isCall)]
    const results = role === "tool" ? [message] : list(message["content"]).filter(isResult)
    if (results.length > 0) return this.answered(results)
    const said = content(message["content"])
    if (said === undefined) return "has a `content` that is neither text nor a list of parts"
    const code = exitOf(said)
    if (code !== undefined && this.isRunning) return this.ended(said, code)
    if (agent === undefined) {
      this.builder.received(role, said ?? "")
      return undefined
    }
    if (isNamed) this.speakers.add(agent)
    if ((said ?? "") !== "" || calls.length === 0) this.builder.sent(said ?? "", { agent, to })
    for (const call of calls) {
      const read = callOf(fields(call))
      if (read === undefined) return "has a call without an `id` or a `name`"
      this.builder.called(read, { agent })
    }
    const block = blockIn(said)
    if (block !== undefined && exitOf(content(fields(next)["content"]) ?? null) !== undefined) this.run(block, agent)
    return undefined
  }

  private isRunning = false

  private run(code: string, agent: string): void {
    this.isRunning = true
    this.builder.called({ id: `run_code_${++this.runs}`, tool: "run_code", args: { code } }, { agent })
  }

  private ended(said: string | null, code: number): string | undefined {
    this.isRunning = false
    return this.builder.answered(`run_code_${this.runs}`, said, { error: code !== 0 })
  }

  private answered(results: ReadonlyArray<unknown>): string | undefined {
    for (const result of results.map(fields)) {
      const id = text(result["tool_call_id"]) ?? text(result["call_id"])
      if (id === undefined) return "answers a call and names none: `tool_call_id` or `call_id` was expected"
      const problem = this.builder.answered(id, output(result["content"]), { error: flagged(result) })
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

/** The speaker of a message. A role of the chat API names no agent, except the assistant. */
interface Said extends Chat.Speaker {
  readonly role: string
  readonly isNamed: boolean
}

/** Speakers that are no agents of a group: people, and what others call the only agent and its surroundings. */
const people: ReadonlySet<string> = new Set(["agent", "environment", "human", "system", "user"])

const firstOf = (message: Fields, keys: ReadonlyArray<string>): string | undefined =>
  keys.map((key) => text(message[key])).find((each) => (each ?? "") !== "")

const speakerOf = (message: Fields): Said => {
  const role = text(message["role"]) ?? "user"
  const name = firstOf(message, ["name", "source", "speaker"])
  const whole = name ?? role
  const [, before = whole, arrow] = /^(.+?) \((?:->|→) ?(.+)\)$/.exec(whole) ?? []
  const own = before.replace(/ \(.*\)$/, "")
  const to = arrow ?? firstOf(message, ["to", "recipient", "target"])
  if (people.has(own.toLowerCase())) return { role: own, isNamed: false }
  return { role, isNamed: name !== undefined || own !== "assistant", agent: own, ...(to === undefined ? {} : { to }) }
}

const isCall = (part: unknown): boolean => isObject(part) && text(part["name"]) !== undefined && "arguments" in part

const isResult = (part: unknown): boolean => isObject(part) && text(part["call_id"]) !== undefined && "content" in part

const callOf = (call: Fields): Chat.ChatCall | undefined => {
  const own = isObject(call["function"]) ? call["function"] : call
  const [id, tool] = [text(call["id"]), text(own["name"])]
  return id === undefined || tool === undefined ? undefined : { id, tool, args: args(own["arguments"]) }
}

/** The exit code that an executor of code reports; `undefined` for any other text. */
const exitOf = (said: string | null | undefined): number | undefined => {
  const [, code] = /^\s*exitcode: (-?\d{1,6})\b/.exec(said ?? "") ?? []
  return code === undefined ? undefined : Number(code)
}

/** The last block of code in a text. */
const blockIn = (said: string | null): string | undefined =>
  [...(said ?? "").matchAll(/```[\w+-]*\n([\s\S]*?)```/g)].at(-1)?.[1]
