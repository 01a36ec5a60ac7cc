/** Sessions of the coding agent pi: one JSON object per line, one session per file. */
import * as Result from "effect/Result"
import * as Chat from "../chat/Chat.ts"
import type { Format } from "../chat/Format.ts"
import {
  args,
  type Fields,
  fields,
  flagged,
  isObject,
  jsonLines,
  list,
  output,
  text,
  time
} from "../text/foreignJson.ts"

/** Reads a session. */
export const parse = (source: string): Result.Result<Chat.Chat, string> =>
  Result.flatMap(jsonLines(source), (lines) => {
    const builder = new Chat.Builder()
    let session: string | undefined
    let messages = 0
    for (const [index, line] of lines.entries()) {
      const { id, message, timestamp, type } = fields(line)
      if (type === "session") session ??= text(id)
      if (type !== "message" || !isObject(message)) {
        builder.lose(type === "compaction" || type === "branch_summary" ? "summary" : "notice")
        continue
      }
      if (isObject(message["usage"])) builder.lose("usage")
      messages++
      const problem = add(builder.message(time(timestamp)), message)
      if (problem !== undefined) return Result.fail(`line ${index + 1} ${problem}`)
    }
    if (messages === 0) return Result.fail("it has no line of the type message")
    return Result.succeed(builder.done({ task: session?.slice(0, 8) }))
  })

/** The format, for `Import`. */
export const format: Format = {
  name: "pi",
  framing: "file",
  parse: (source) => Result.map(parse(source), (chat) => [chat])
}

const add = (builder: Chat.Builder, message: Fields): string | undefined => {
  const { content, role } = message
  if (role === "toolResult") {
    return builder.answered(text(message["toolCallId"]) ?? "", output(content), { error: flagged(message) })
  }
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : list(content).map(fields)
  for (const part of parts) {
    if (part["type"] === "text") {
      const words = text(part["text"]) ?? ""
      if (role === "assistant") builder.sent(words)
      else builder.received(text(role) ?? "user", words)
    }
    if (part["type"] === "thinking") builder.lose("reasoning")
    else if (part["type"] !== "text" && part["type"] !== "toolCall") builder.lose("attachment")
    if (part["type"] !== "toolCall") continue
    const { arguments: given, id, name } = part
    if (typeof id !== "string" || typeof name !== "string") return "calls a tool without an `id` or a `name`"
    builder.called({ id, tool: name, args: args(given) })
  }
  return undefined
}
