/**
 * Traces exported from Langfuse: a trace with its observations.
 *
 * Generations are model calls, tool observations answer them. What agents,
 * chains and spans around them repeat is told once.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type * as Chat from "./Chat.ts"
import type { Format } from "./Format.ts"
import { messages } from "./internal/message.ts"
import { args, type Fields, fields, json, list, output, text, time } from "./internal/reading.ts"
import { Transcript } from "./Transcript.ts"

/**
 * Reads an export: one conversation a trace.
 *
 * @category conversions
 * @since 0.1.0
 */
export const parse = (source: string): Result.Result<Chat.Chat, string> =>
  Result.flatMap(json(source), (value) => {
    const whole = fields(value)
    const trace = fields(whole["trace"] ?? value)
    const observations = list(whole["observations"] ?? trace["observations"]).map(fields)
    const transcript = new Transcript()
    for (const each of observations.sort((left, right) => order(left) - order(right))) add(transcript, each)
    if (transcript.length === 0) transcript.model(said(trace["input"], "user"), said(trace["output"], "assistant"))
    return transcript.length === 0
      ? Result.fail("it has no observation of a model or a tool, and its trace no input or output")
      : Result.succeed(transcript.done(text(trace["id"])?.slice(0, 8)))
  })

/**
 * The format, for `Import`.
 *
 * @category formats
 * @since 0.1.0
 */
export const format: Format = {
  name: "langfuse",
  says: "a trace exported from Langfuse",
  framing: "file",
  parse: (source) => Result.map(parse(source), (chat) => [chat])
}

const order = (observation: Fields): number => time(observation["startTime"]) ?? 0

const add = (transcript: Transcript, observation: Fields): void => {
  const { input, level, name, type } = observation
  const at = time(observation["startTime"])
  if (type === "GENERATION") {
    transcript.model(said(input, "user"), said(observation["output"], "assistant"), at)
  }
  if (type === "TOOL") {
    const answer = plain(observation["output"])
    transcript.tool({
      tool: text(name) ?? "tool",
      args: args(plain(input)),
      output: typeof answer === "string" ? answer : output(answer),
      error: level === "ERROR",
      at
    })
  }
}

/** Values are stored as text that spells JSON, some of them twice over. */
const plain = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  const read = /^\s*["[{]/.test(value) ? json(value) : undefined
  return read?._tag === "Success" ? plain(read.success) : value
}

const said = (value: unknown, role: string) => {
  const read = plain(value)
  return read === undefined || read === null ? [] : messages(read, role)
}
