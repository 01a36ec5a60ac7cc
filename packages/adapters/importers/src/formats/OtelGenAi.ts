/**
 * Spans of generative AI, by the semantic conventions of OpenTelemetry, of OpenInference, or of the AI SDK.
 *
 * The spans of one trace are one conversation. The spans of a trace, and the attributes of one span, may be of several
 * conventions. Each attribute is read by the first convention that has it. The AI SDK writes a span around the model
 * calls of an answer. That span is read only if the calls are not in the trace.
 *
 * @source OpenTelemetry semantic conventions for generative AI
 */
import * as Result from "effect/Result"
import type * as Chat from "../chat/Chat.ts"
import { messages } from "../chat/chatMessage.ts"
import type { Format } from "../chat/Format.ts"
import { args, type Fields, output, text } from "../text/foreignJson.ts"
import * as AiSdk from "./AiSdk.ts"
import * as OpenInference from "./OpenInference.ts"
import { messagesOf, type SpanConvention, valueOf } from "./SpanConvention.ts"
import * as Spans from "./Spans.ts"
import { Transcript } from "./Transcript.ts"

/** Attributes of the semantic conventions of OpenTelemetry, including the deprecated ones. */
export const convention: SpanConvention = {
  isTool: (attributes) => attributes["gen_ai.operation.name"] === "execute_tool",
  tool: {
    id: ["gen_ai.tool.call.id"],
    name: ["gen_ai.tool.name"],
    args: ["gen_ai.tool.call.arguments"],
    output: ["gen_ai.tool.call.result"]
  },
  given: messagesOf(["gen_ai.input.messages", "gen_ai.prompt"], "user"),
  answered: messagesOf(["gen_ai.output.messages", "gen_ai.completion"], "assistant"),
  usage: "gen_ai.usage."
}

const conventions = [convention, AiSdk.convention, OpenInference.convention]

/** Reads spans: one conversation per trace. */
export const parse = (source: string): Result.Result<ReadonlyArray<Chat.Chat>, string> =>
  Result.flatMap(Spans.read(source), (all) => {
    const traces = Map.groupBy(all, ({ trace }) => trace)
    const chats = [...traces].flatMap(([trace, members]) => {
      const transcript = new Transcript()
      const hasCalls = members.some(({ attributes }) => AiSdk.isModelCall(attributes))
      for (const span of members.sort((left, right) => (left.at ?? 0) - (right.at ?? 0))) {
        if (hasCalls && AiSdk.isAround(span.attributes)) transcript.lose("frame")
        else add(transcript, span)
      }
      return transcript.length === 0 ? [] : [transcript.done(trace === "" ? undefined : trace.slice(0, 8))]
    })
    return chats.length === 0 ? Result.fail("it has no span of a model call or of a tool") : Result.succeed(chats)
  })

/** The format, for `Import`. */
export const format: Format = { name: "otel-genai", framing: "file", parse }

/** The kind of a span: that of a tool, that of a model call, or one around others, which tells nothing by itself. */
export const kindOf = ({ attributes }: Spans.Span): "tool" | "model" | "around" | "other" => {
  if (conventions.some(({ isTool }) => isTool(attributes))) return "tool"
  if (AiSdk.isAround(attributes)) return "around"
  const told = conventions.some((each) => (each.given(attributes) ?? each.answered(attributes)) !== undefined)
  return told ? "model" : "other"
}

/** Adds a span of a tool or a model call to a conversation. */
export const add = (transcript: Transcript, { at, attributes, failed, failure }: Spans.Span): void => {
  const names = Object.keys(attributes)
  if (conventions.some(({ usage }) => names.some((name) => name.startsWith(usage)))) transcript.lose("usage")
  if (AiSdk.hasReasoning(attributes)) transcript.lose("reasoning")
  if (conventions.some(({ isTool }) => isTool(attributes))) {
    const answer = toolField(attributes, "output")
    transcript.tool({
      id: text(toolField(attributes, "id")),
      tool: text(toolField(attributes, "name")) ?? "tool",
      args: args(toolField(attributes, "args")),
      output: answer === undefined ? (failure ?? null) : typeof answer === "string" ? answer : output(answer),
      error: failed ? true : undefined,
      at
    })
    return
  }
  const given = first(conventions.map((each) => each.given(attributes)))
  const answered = first(conventions.map((each) => each.answered(attributes)))
  const system = messages(attributes["gen_ai.system_instructions"], "system")
  const before = transcript.length
  transcript.model([...system, ...(given ?? [])], answered ?? [], at)
  // A span without a question to a model or an answer is a step around others.
  if (transcript.length === before && given === undefined && answered === undefined) transcript.lose("frame")
}

/** A field of a tool's span, under the first of its possible names that the span has. */
const toolField = (attributes: Fields, field: keyof SpanConvention["tool"]): unknown =>
  valueOf(
    attributes,
    conventions.flatMap(({ tool }) => tool[field])
  )

const first = <A>(values: ReadonlyArray<A | undefined>): A | undefined => values.find((value) => value !== undefined)
