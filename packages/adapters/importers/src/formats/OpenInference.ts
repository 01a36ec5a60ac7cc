/**
 * Spans by the semantic conventions of OpenInference.
 *
 * @source OpenInference semantic conventions
 */

import { type ChatMessage, messages } from "../chat/chatMessage.ts"
import { type Fields, fields } from "../text/foreignJson.ts"
import type { SpanConvention } from "./SpanConvention.ts"

/**
 * Attributes of OpenInference. Some programs write the values of a tool under their bare names, without the prefix of
 * the convention.
 */
export const convention: SpanConvention = {
  isTool: (attributes) => attributes["openinference.span.kind"] === "TOOL",
  tool: {
    id: ["tool_call.id"],
    name: ["tool.name"],
    args: ["input.value", "input"],
    output: ["output.value", "output"]
  },
  given: (attributes) => flattened(attributes, "llm.input_messages"),
  answered: (attributes) => flattened(attributes, "llm.output_messages"),
  usage: "llm.token_count."
}

/** Reads a list that is spread over attributes: `llm.input_messages.0.message.role` and so on. */
const flattened = (attributes: Fields, prefix: string): ReadonlyArray<ChatMessage> | undefined => {
  const spread = Object.entries(attributes).flatMap(
    ([name, value]): ReadonlyArray<Leaf> =>
      name.startsWith(`${prefix}.`) ? [[name.slice(prefix.length + 1).split("."), value]] : []
  )
  if (spread.length === 0) return undefined
  return ordered(nested(spread)).flatMap((entry) => {
    const { contents, tool_calls: calls, ...message } = fields(entry["message"])
    const parts = ordered(contents).map((part) => fields(part["message_content"]))
    const called = ordered(calls).map((each) => {
      const { function: named, ...rest } = fields(each["tool_call"])
      return { ...rest, type: "function", function: fields(named) }
    })
    return messages([{ ...message, content: message["content"] ?? parts, tool_calls: called }], "user")
  })
}

const ordered = (value: unknown): ReadonlyArray<Fields> =>
  Object.entries(fields(value))
    .sort(([left], [right]) => Number(left) - Number(right))
    .map(([, entry]) => fields(entry))

type Leaf = readonly [path: ReadonlyArray<string>, value: unknown]

/** Builds the nested value from its paths. */
const nested = (leaves: ReadonlyArray<Leaf>): Fields => {
  const groups = Map.groupBy(leaves, ([[first = ""]]) => first)
  return Object.fromEntries(
    [...groups].map(([name, group]) => {
      const inner = group.map(([path, value]): Leaf => [path.slice(1), value])
      const [[path, value]] = inner as [Leaf]
      return [name, path.length === 0 ? value : nested(inner)]
    })
  )
}
