/**
 * Rollouts of Codex, as the tool writes them below its sessions folder: one JSON object per line, one session per
 * file.
 *
 * Messages of the model and the tools are lines of the type `response_item`. Some rollouts have the user's messages
 * only as `event_msg`, others as both. An event that repeats an item is read once, and so is an item that repeats an
 * event. Two items are always two messages.
 */
import * as Result from "effect/Result"
import * as Chat from "../chat/Chat.ts"
import type { Format } from "../chat/Format.ts"
import {
  args,
  content,
  type Fields,
  fields,
  isObject,
  json,
  jsonLines,
  output,
  text,
  time
} from "../text/foreignJson.ts"

/** Reads a rollout. */
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

/** The format, for `Import`. */
export const format: Format = {
  name: "codex",
  framing: "file",
  parse: (source) => Result.map(parse(source), (chat) => [chat])
}

class Reader {
  readonly builder = new Chat.Builder()
  session: string | undefined
  messages = 0
  /** Messages that came as an item or as an event, and that the other kind has not repeated yet. */
  private readonly said: Array<{ readonly source: Source; readonly role: string; readonly words: string }> = []

  read({ payload, timestamp, type }: Fields): string | undefined {
    const item = fields(payload)
    const at = time(timestamp)
    if (type === "response_item") return this.item(at, item)
    if (type === "event_msg") this.event(at, item)
    else this.builder.lose(type === "compacted" ? "summary" : "notice")
    if (type === "session_meta") this.session ??= text(item["id"])
    return undefined
  }

  private event(at: number | undefined, item: Fields): void {
    const words = text(item["message"]) ?? ""
    switch (item["type"]) {
      case "user_message":
        this.speak(at, { source: "event", role: "user", words })
        return
      case "agent_message":
        this.speak(at, { source: "event", role: "assistant", words })
        return
      case "token_count":
        this.builder.lose("usage")
        return
      case "agent_reasoning":
      case "agent_reasoning_raw_content":
        this.builder.lose("reasoning")
        return
      default:
        this.builder.lose("notice")
    }
  }

  private item(at: number | undefined, item: Fields): string | undefined {
    switch (item["type"]) {
      case "message": {
        const role = text(item["role"]) ?? "assistant"
        this.speak(at, { source: "item", role, words: content(item["content"]) ?? "" })
        return undefined
      }
      case "function_call":
      case "custom_tool_call": {
        const { call_id: id, name } = item
        if (typeof id !== "string" || typeof name !== "string") return "calls a tool without a `call_id` or a `name`"
        this.next(at).called({ id, tool: name, args: args(item["arguments"] ?? item["input"]) })
        return undefined
      }
      case "function_call_output":
      case "custom_tool_call_output":
        return this.next(at).answered(text(item["call_id"]) ?? "", output(item["output"]), { error: failed(item) })
      default:
        this.builder.lose(item["type"] === "reasoning" ? "reasoning" : "notice")
        return undefined
    }
  }

  private speak(
    at: number | undefined,
    { role, source, words }: { readonly source: Source; readonly role: string; readonly words: string }
  ): void {
    const repeated = this.said.findIndex((each) => each.source !== source && each.role === role && each.words === words)
    if (repeated >= 0) {
      this.said.splice(repeated, 1)
      return
    }
    this.said.push({ source, role, words })
    this.next(at)
    if (role === "assistant") this.builder.sent(words)
    else this.builder.received(role, words)
  }

  private next(at: number | undefined): Chat.Builder {
    this.messages++
    return this.builder.message(at)
  }
}

type Source = "event" | "item"

/** A tool's exit status is beside its text, if it is recorded. */
const failed = ({ output: given }: Fields): boolean | undefined => {
  if (isObject(given)) return typeof given["success"] === "boolean" ? !given["success"] : undefined
  const read = typeof given === "string" && given.startsWith("{") ? json(given) : undefined
  const code = read?._tag === "Success" ? fields(fields(read.success)["metadata"])["exit_code"] : undefined
  return typeof code === "number" ? code !== 0 : undefined
}
