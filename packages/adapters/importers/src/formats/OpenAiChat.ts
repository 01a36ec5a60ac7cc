/**
 * Recorded conversations in the form of OpenAI's chat API, as steps of a run.
 *
 * Each line of a file is one run: an object with its messages under `traj` or `messages`, or a bare list of messages.
 *
 * @source OpenAI, the message format of chat completions
 */
import * as Result from "effect/Result"
import * as Chat from "../chat/Chat.ts"
import type { Format } from "../chat/Format.ts"
import { args, content, flagged, isObject, json, text } from "../text/foreignJson.ts"

/**
 * Reads one line. A failure names the value found and the value expected.
 *
 * **Example** (Pairing a repeated id)
 *
 * ```ts import.meta.vitest
 * import { OpenAiChat } from "@backstitch/importers"
 * import { Result } from "effect"
 *
 * const now = { id: "a", function: { name: "now", arguments: "{}" } }
 * const call = { role: "assistant", content: null, tool_calls: [now] }
 * const answer = { role: "tool", tool_call_id: "a", content: "noon" }
 * const chat = Result.getOrThrow(OpenAiChat.parse(JSON.stringify([call, answer, call])))
 *
 * chat.repeatedToolCallIds // => true
 * chat.steps.flat().map((step) => step._tag) // => ["Called", "Answered", "Called"]
 * ```
 */
export const parse = (line: string): Result.Result<Chat.Chat, string> => {
  const read = json(line)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const value = read.success
  const run = isObject(value) ? value : undefined
  const messages = Array.isArray(value) ? value : (run?.["traj"] ?? run?.["messages"])
  if (!Array.isArray(messages)) {
    return Result.fail("it has no messages: a list was expected, or an object with one under `traj` or `messages`")
  }
  const builder = new Chat.Builder()
  for (const [index, message] of messages.entries()) {
    const problem = add(builder, message)
    if (problem !== undefined) return Result.fail(`message ${index} ${problem}`)
  }
  return Result.succeed(builder.done({ task: nameOf(run?.["task_id"] ?? run?.["id"]), trial: nameOf(run?.["trial"]) }))
}

/** The format, for `Import`. */
export const format: Format = {
  name: "openai-chat",
  framing: "line",
  parse: (line) => Result.map(parse(line), (chat) => [chat])
}

/** Adds one message of the chat API to a conversation; fails with its mistake. */
const add = (builder: Chat.Builder, message: unknown, at?: number | undefined): string | undefined => {
  if (!isObject(message)) return "is not an object"
  if (isObject(message["usage"])) builder.lose("usage")
  if (typeof message["reasoning_content"] === "string" || typeof message["reasoning"] === "string") {
    builder.lose("reasoning")
  }
  const parts = Array.isArray(message["content"]) ? message["content"] : []
  builder.lose("attachment", parts.filter((part) => isObject(part) && text(part["text"]) === undefined).length)
  const said = content(message["content"])
  if (said === undefined) return "has a `content` that is neither text nor a list of text parts"
  switch (message["role"]) {
    case "system":
    case "developer":
    case "user":
      builder.message(at).received(message["role"], said ?? "")
      return undefined
    case "assistant":
      return assistant(builder.message(at), said, message["tool_calls"])
    case "tool": {
      const id = message["tool_call_id"]
      if (typeof id !== "string") return "answers a tool call but has no `tool_call_id`"
      return builder.message(at).answered(id, said, { error: flagged(message) })
    }
    default:
      return `has the role ${JSON.stringify(message["role"])}; system, developer, user, assistant or tool was expected`
  }
}

const assistant = (builder: Chat.Builder, said: string | null, calls: unknown): string | undefined => {
  const entries = calls ?? []
  if (!Array.isArray(entries)) return "has `tool_calls` that are not a list"
  if ((said !== null && said !== "") || entries.length === 0) builder.sent(said ?? "")
  for (const entry of entries) {
    const call = callOf(entry)
    if (call === undefined) return "has a tool call without an `id` or a function's `name` and `arguments`"
    builder.called(call)
  }
  return undefined
}

const callOf = (entry: unknown): Chat.ChatCall | undefined => {
  if (!isObject(entry) || typeof entry["id"] !== "string" || !isObject(entry["function"])) return undefined
  const { arguments: given, name } = entry["function"]
  if (typeof name !== "string" || (typeof given !== "string" && !isObject(given))) return undefined
  return { id: entry["id"], tool: name, args: args(given) }
}

const nameOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined
