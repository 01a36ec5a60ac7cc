/**
 * Rollouts of Codex, as the tool writes them under its sessions folder: one JSON object a line, one session a file.
 *
 * What the model and the tools said are lines of the type `response_item`. Some
 * rollouts hold what the user said only as an `event_msg`, others as both: a
 * message that is there already is not told twice. Reasoning is encrypted and
 * passed over.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Chat from "./Chat.ts"
import type { Format } from "./Format.ts"
import { args, content, type Fields, fields, jsonLines, output, text, time } from "./internal/reading.ts"

/**
 * Reads a rollout.
 *
 * @category conversions
 * @since 0.1.0
 */
export const parse = (source: string): Result.Result<Chat.Chat, string> =>
  Result.flatMap(jsonLines(source), (lines) => {
    const reader = new Reader()
    for (const [index, line] of lines.entries()) {
      const problem = reader.read(fields(line))
      if (problem !== undefined) return Result.fail(`line ${index + 1} ${problem}`)
    }
    return reader.messages === 0
      ? Result.fail("it has no line of the type response_item or event_msg with a message or a call")
      : Result.succeed(reader.builder.done({ task: reader.session?.slice(0, 13), trial: undefined }))
  })

/**
 * The format, for `Import`.
 *
 * @category formats
 * @since 0.1.0
 */
export const format: Format = {
  name: "codex",
  says: "a rollout of Codex",
  framing: "file",
  parse: (source) => Result.map(parse(source), (chat) => [chat])
}

class Reader {
  readonly builder = new Chat.Builder()
  session: string | undefined
  messages = 0
  /** What was said last by each side, so that an event does not repeat an item, nor an item an event. */
  private readonly said = new Map<string, string>()

  read({ payload, timestamp, type }: Fields): string | undefined {
    const item = fields(payload)
    const at = time(timestamp)
    if (type === "session_meta") this.session ??= text(item["id"])
    if (type === "event_msg" && item["type"] === "user_message") this.speak(at, "user", text(item["message"]) ?? "")
    if (type === "event_msg" && item["type"] === "agent_message") {
      this.speak(at, "assistant", text(item["message"]) ?? "")
    }
    return type === "response_item" ? this.item(at, item) : undefined
  }

  private item(at: number | undefined, item: Fields): string | undefined {
    switch (item["type"]) {
      case "message":
        this.speak(at, text(item["role"]) ?? "assistant", content(item["content"]) ?? "")
        return undefined
      case "function_call":
      case "custom_tool_call": {
        const { call_id: id, name } = item
        if (typeof id !== "string" || typeof name !== "string") return "calls a tool without a `call_id` or a `name`"
        this.next(at).called({ id, tool: name, args: args(item["arguments"] ?? item["input"]) })
        return undefined
      }
      case "function_call_output":
      case "custom_tool_call_output":
        return this.next(at).answered(text(item["call_id"]) ?? "", output(item["output"]))
      default:
        return undefined
    }
  }

  private speak(at: number | undefined, role: string, words: string): void {
    if (this.said.get(role) === words) {
      this.said.delete(role)
      return
    }
    this.said.set(role, words)
    this.next(at)
    if (role === "assistant") this.builder.sent(words)
    else this.builder.received(role, words)
  }

  private next(at: number | undefined): Chat.Builder {
    this.messages++
    return this.builder.message(at)
  }
}
