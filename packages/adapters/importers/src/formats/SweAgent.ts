/**
 * Trajectories of SWE-agent and mini-swe-agent.
 *
 * The history of a run is a list of messages. Function calls of the model are calls. A command that it wrote into its
 * text is a call of the tool `shell`, and the next message is its answer. Demonstrations before the task are part of
 * the prompt, not of the run.
 */
import * as Result from "effect/Result"
import * as Chat from "../chat/Chat.ts"
import type { Format } from "../chat/Format.ts"
import { args, type Fields, fields, flagged, isObject, json, list, output, text } from "../text/foreignJson.ts"

/** Reads a trajectory. */
export const parse = (source: string): Result.Result<Chat.Chat, string> =>
  Result.flatMap(json(source), (value) => {
    const history = isObject(value) ? (value["history"] ?? value["messages"]) : value
    if (!Array.isArray(history) || history.length === 0) {
      return Result.fail("it has no messages: a list was expected, or an object with one under `history` or `messages`")
    }
    const builder = new Chat.Builder()
    for (const [index, entry] of history.entries()) {
      const message = fields(entry)
      if (text(message["role"]) === undefined) return Result.fail(`message ${index} has no role`)
      const problem = add(builder.message(), message, index)
      if (isObject(fields(message["extra"])["response"])) builder.lose("usage")
      if (problem !== undefined) return Result.fail(`message ${index} ${problem}`)
    }
    return Result.succeed(builder.done({ task: isObject(value) ? text(value["instance_id"]) : undefined }))
  })

/** The format, for `Import`. */
export const format: Format = {
  name: "swe-agent",
  framing: "file",
  parse: (source) => Result.map(parse(source), (chat) => [chat])
}

const add = (builder: Chat.Builder, message: Fields, index: number): string | undefined => {
  const words = output(message["content"]) ?? ""
  const open = builder.unanswered.at(-1)
  switch (message["role"]) {
    case "assistant":
      return assistant(builder, message, { words, index })
    case "tool": {
      const [id = text(message["tool_call_id"])] = list(message["tool_call_ids"]).flatMap((each) => text(each) ?? [])
      return builder.answered(id ?? "", words, { error: flagged(message) })
    }
    default:
      if (open === undefined || message["is_demo"] === true) {
        builder.received(text(message["role"])!, words)
        return undefined
      }
      return builder.answered(open.id, words)
  }
}

const assistant = (
  builder: Chat.Builder,
  message: Fields,
  { index, words }: { readonly words: string; readonly index: number }
): string | undefined => {
  const thought = text(message["thought"])
  const calls = list(message["tool_calls"])
  const command = calls.length > 0 ? undefined : (text(message["action"]) ?? fenced(words))
  const said = thought ?? words
  if (said !== "") builder.sent(said)
  for (const entry of calls) {
    const { function: named, id } = fields(entry)
    const { arguments: given, name } = fields(named)
    if (typeof id !== "string" || typeof name !== "string") return "has a tool call without an `id` or a `name`"
    builder.called({ id, tool: name, args: args(given) })
  }
  if (command !== undefined) builder.called({ id: `message-${index}`, tool: "shell", args: { command } })
  return undefined
}

/** The one command between fences in a text of mini-swe-agent. */
const fenced = (words: string): string | undefined =>
  /```(?:mswea_)?bash(?:_command|_action)?\s*\n([\s\S]*?)\n```/.exec(words)?.[1]
