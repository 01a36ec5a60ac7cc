/**
 * Spans as the AI SDK of Vercel writes them.
 *
 * The SDK writes a span for each model call (`ai.generateText.doGenerate`), a span around the calls of an answer
 * (`ai.generateText`), and a span for each tool.
 *
 * @source AI SDK, telemetry
 */
import * as Result from "effect/Result"
import { type ChatMessage, messages } from "../chat/chatMessage.ts"
import { type Fields, fields, json, list, text } from "../text/foreignJson.ts"
import { messagesOf, type SpanConvention } from "./SpanConvention.ts"

/** Tells whether a span is that of one model call. */
export const isModelCall = ({ "ai.operationId": id }: Fields): boolean =>
  /\.do(?:Generate|Stream)$/.test(text(id) ?? "")

/** Tells whether a span encloses the model calls of an answer. */
export const isAround = ({ "ai.operationId": id }: Fields): boolean =>
  /^ai\.(?:generate|stream)[A-Za-z]+$/.test(text(id) ?? "")

/** Tells whether a span holds the reasoning of a model. */
export const hasReasoning = (attributes: Fields): boolean => attributes["ai.response.reasoning"] !== undefined

/** Reads an answer, whose text or object and whose calls are separate attributes. */
const answered = (attributes: Fields): ReadonlyArray<ChatMessage> | undefined => {
  const words = text(attributes["ai.response.text"]) ?? text(attributes["ai.response.object"])
  const calls = attributes["ai.response.toolCalls"]
  if (words === undefined && calls === undefined) return undefined
  const read = typeof calls === "string" ? Result.getOrElse(json(calls), () => []) : calls
  const parts = list(read).map((call) => ({ type: "tool-call", ...fields(call) }))
  const content = [...(words === undefined ? [] : [{ type: "text", text: words }]), ...parts]
  return messages({ role: "assistant", content }, "assistant")
}

/** Attributes of the AI SDK. */
export const convention: SpanConvention = {
  isTool: (attributes) => attributes["ai.operationId"] === "ai.toolCall",
  tool: {
    id: ["ai.toolCall.id"],
    name: ["ai.toolCall.name"],
    args: ["ai.toolCall.args", "ai.toolCall.input"],
    output: ["ai.toolCall.result"]
  },
  given: messagesOf(["ai.prompt.messages", "ai.prompt"], "user"),
  answered,
  usage: "ai.usage."
}
