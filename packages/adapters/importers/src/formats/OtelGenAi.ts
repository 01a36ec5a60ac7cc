/**
 * Spans of generative AI, by the semantic conventions of OpenTelemetry or of OpenInference, or as the AI SDK of Vercel
 * writes them.
 *
 * A file holds one span's attributes, a list of them, or an OTLP document
 * (`resourceSpans`). Spans of one trace are one conversation. The AI SDK puts a
 * span around the model calls of an answer: it is read where they are not there.
 *
 * @source OpenTelemetry semantic conventions for generative AI; OpenInference semantic conventions; AI SDK, telemetry
 */
import * as Result from "effect/Result"
import type * as Chat from "../chat/Chat.ts"
import type { Format } from "../chat/Format.ts"
import { args, type Fields, fields, isObject, json, jsonLines, list, output, text } from "../text/reading.ts"
import { type Message, messages } from "./message.ts"
import { Transcript } from "./Transcript.ts"

/** Reads spans: one conversation a trace. */
export const parse = (source: string): Result.Result<ReadonlyArray<Chat.Chat>, string> => {
  const whole = json(source)
  return Result.flatMap(Result.isSuccess(whole) ? Result.succeed([whole.success]) : jsonLines(source), (values) => {
    const traces = new Map<string, Array<Span>>()
    for (const span of values.flatMap(spans)) traces.set(span.trace, [...(traces.get(span.trace) ?? []), span])
    const chats = [...traces].flatMap(([trace, members]) => {
      const transcript = new Transcript()
      const hasCalls = members.some(({ attributes }) => isModelCall(attributes))
      for (const span of members.sort((left, right) => (left.at ?? 0) - (right.at ?? 0))) {
        if (hasCalls && isAround(span.attributes)) transcript.lose("frame")
        else add(transcript, span)
      }
      return transcript.length === 0 ? [] : [transcript.done(trace === "" ? undefined : trace.slice(0, 8))]
    })
    return chats.length === 0 ? Result.fail("it has no span of a model call or of a tool") : Result.succeed(chats)
  })
}

/** The format, for `Import`. */
export const format: Format = {
  name: "otel-genai",
  says: "spans of generative AI (OpenTelemetry or OpenInference)",
  framing: "file",
  parse
}

interface Span {
  readonly trace: string
  readonly at: number | undefined
  readonly failed: boolean
  readonly attributes: Fields
}

const spans = (value: unknown): ReadonlyArray<Span> => {
  if (Array.isArray(value)) return value.flatMap(spans)
  const given = fields(value)
  const nested = given["resourceSpans"] ?? given["scopeSpans"] ?? given["spans"]
  if (nested !== undefined) return list(nested).flatMap(spans)
  const { attributes } = given
  const [seconds, fraction] = list(given["startTime"])
  const nanos = Number(given["startTimeUnixNano"] ?? Number(seconds) * 1e9 + Number(fraction))
  return [
    {
      trace: text(given["traceId"]) ?? text(given["trace_id"]) ?? "",
      at: Number.isFinite(nanos) ? Math.floor(nanos / 1e6) : undefined,
      failed: fields(given["status"])["code"] === 2,
      attributes: Array.isArray(attributes) ? keyed(attributes) : isObject(attributes) ? attributes : given
    }
  ]
}

/** OTLP writes attributes as a list of keys with typed values. */
const keyed = (attributes: ReadonlyArray<unknown>): Fields =>
  Object.fromEntries(attributes.map(fields).map(({ key, value }) => [String(key), plain(value)]))

const plain = (value: unknown): unknown => {
  const [typed] = Object.values(fields(value))
  if (!isObject(typed)) return typed
  if (Array.isArray(typed["values"]) && isObject(fields(value)["kvlistValue"])) return keyed(typed["values"])
  return list(typed["values"]).map(plain)
}

const add = (transcript: Transcript, { at, attributes, failed }: Span): void => {
  const of = (...names: ReadonlyArray<string>): unknown =>
    names.map((name) => attributes[name]).find((value) => value !== undefined)
  if (Object.keys(attributes).some((name) => usage.test(name))) transcript.lose("usage")
  if (of("ai.response.reasoning") !== undefined) transcript.lose("reasoning")
  const isTool = of("gen_ai.operation.name") === "execute_tool" || of("openinference.span.kind") === "TOOL"
  if (isTool || of("ai.operationId") === "ai.toolCall") {
    const answer = of("gen_ai.tool.call.result", "ai.toolCall.result", "output.value", "output")
    transcript.tool({
      id: text(of("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id")),
      tool: text(of("gen_ai.tool.name", "ai.toolCall.name", "tool.name")) ?? "tool",
      args: args(of("gen_ai.tool.call.arguments", "ai.toolCall.args", "ai.toolCall.input", "input.value", "input")),
      output: typeof answer === "string" ? answer : output(answer),
      error: failed ? true : undefined,
      at
    })
    return
  }
  const given = of("gen_ai.input.messages", "gen_ai.prompt", "ai.prompt.messages", "ai.prompt")
  const answered = of("gen_ai.output.messages", "gen_ai.completion") ?? answerOf(attributes)
  const before = transcript.length
  const system = messages(of("gen_ai.system_instructions"), "system")
  transcript.model(
    [...system, ...(given === undefined ? flattened(attributes, "llm.input_messages") : messages(given, "user"))],
    answered === undefined ? flattened(attributes, "llm.output_messages") : messages(answered, "assistant"),
    at
  )
  // A span that neither asked a model anything nor was answered is a step around others.
  if (transcript.length === before && given === undefined && answered === undefined) transcript.lose("frame")
}

const usage = /^(?:gen_ai\.usage|ai\.usage|llm\.token_count)\./

/** The AI SDK spreads an answer over attributes of its own. */
const answerOf = (attributes: Fields): Fields | undefined => {
  const words = text(attributes["ai.response.text"]) ?? text(attributes["ai.response.object"])
  const calls = attributes["ai.response.toolCalls"]
  if (words === undefined && calls === undefined) return undefined
  const read = typeof calls === "string" ? Result.getOrElse(json(calls), () => []) : calls
  const parts = list(read).map((call) => ({ type: "tool-call", ...fields(call) }))
  return { role: "assistant", content: [...(words === undefined ? [] : [{ type: "text", text: words }]), ...parts] }
}

const isModelCall = ({ "ai.operationId": id }: Fields): boolean => /\.do(?:Generate|Stream)$/.test(text(id) ?? "")

const isAround = ({ "ai.operationId": id }: Fields): boolean =>
  /^ai\.(?:generate|stream)[A-Za-z]+$/.test(text(id) ?? "")

/** OpenInference spreads a list over attributes: `llm.input_messages.0.message.role` and so on. */
const flattened = (attributes: Fields, prefix: string): ReadonlyArray<Message> => {
  const spread = Object.entries(attributes).flatMap(
    ([name, value]): ReadonlyArray<Leaf> =>
      name.startsWith(`${prefix}.`) ? [[name.slice(prefix.length + 1).split("."), value]] : []
  )
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

/** Puts together what was spread over paths. */
const nested = (leaves: ReadonlyArray<Leaf>): Fields => {
  const groups = new Map<string, Array<Leaf>>()
  for (const [[first = "", ...rest], value] of leaves) {
    groups.set(first, [...(groups.get(first) ?? []), [rest, value]])
  }
  return Object.fromEntries(
    [...groups].map(([name, group]) => {
      const [[path, value]] = group as [Leaf]
      return [name, path.length === 0 ? value : nested(group)]
    })
  )
}
