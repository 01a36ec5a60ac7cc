/**
 * Sessions of Claude Code, as the tool writes them under its projects folder: one JSON object a line, one session a
 * file.
 *
 * A message of the model is spread over several lines, one a block. Thinking,
 * snapshots of files, summaries and queue operations are no messages: they are
 * passed over. What a subagent did stands in a file of its own.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Chat from "./Chat.ts"
import type { Format } from "./Format.ts"
import { args, type Fields, fields, isObject, jsonLines, list, output, text, time } from "./internal/reading.ts"

/**
 * Reads a session.
 *
 * @category conversions
 * @since 0.1.0
 */
export const parse = (source: string): Result.Result<Chat.Chat, string> =>
  Result.flatMap(jsonLines(source), (lines) => {
    const builder = new Chat.Builder()
    let session: string | undefined
    let agent: string | undefined
    let messages = 0
    for (const line of lines) {
      const { agentId, message, sessionId, timestamp, type } = fields(line)
      if ((type !== "user" && type !== "assistant") || !isObject(message)) continue
      session ??= text(sessionId)
      agent ??= text(agentId)
      messages++
      builder.message(time(timestamp))
      const problem = type === "user" ? user(builder, message) : assistant(builder, message)
      if (problem !== undefined) return Result.fail(`message ${messages - 1} ${problem}`)
    }
    if (messages === 0) return Result.fail("it has no line of the type user or assistant with a `message`")
    const task = session?.slice(0, 8)
    return Result.succeed(builder.done({ task, trial: agent }))
  })

/**
 * The format, for `Import`.
 *
 * @category formats
 * @since 0.1.0
 */
export const format: Format = {
  name: "claude-code",
  says: "a session of Claude Code",
  framing: "file",
  parse: (source) => Result.map(parse(source), (chat) => [chat])
}

const blocks = (message: Fields): ReadonlyArray<Fields> => {
  const { content } = message
  return typeof content === "string" ? [{ type: "text", text: content }] : list(content).map(fields)
}

const user = (builder: Chat.Builder, message: Fields): string | undefined => {
  for (const block of blocks(message)) {
    if (block["type"] === "text") builder.received("user", text(block["text"]) ?? "")
    if (block["type"] !== "tool_result") continue
    const problem = builder.answered(
      text(block["tool_use_id"]) ?? "",
      output(block["content"]),
      block["is_error"] === true
    )
    if (problem !== undefined) return problem
  }
  return undefined
}

const assistant = (builder: Chat.Builder, message: Fields): string | undefined => {
  for (const block of blocks(message)) {
    if (block["type"] === "text") builder.sent(text(block["text"]) ?? "")
    if (block["type"] !== "tool_use") continue
    const { id, input, name } = block
    if (typeof id !== "string" || typeof name !== "string") return "uses a tool without an `id` or a `name`"
    builder.called({ id, tool: name, args: args(input) })
  }
  return undefined
}
