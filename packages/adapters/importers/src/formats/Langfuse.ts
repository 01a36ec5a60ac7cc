/**
 * Traces exported from Langfuse: a trace with its observations.
 *
 * Generations are model calls. Tool observations answer them, and so do spans that a graph made from a tool's
 * message. Repetitions in the agents, chains and spans around them are read once, and counted as frames.
 */
import * as Result from "effect/Result"
import type * as Chat from "../chat/Chat.ts"
import { messages, toolMessage } from "../chat/chatMessage.ts"
import type { Format } from "../chat/Format.ts"
import { args, type Fields, fields, json, list, output, text, time } from "../text/foreignJson.ts"
import { Transcript } from "./Transcript.ts"

/** Reads an export: one conversation per trace. */
export const parse = (source: string): Result.Result<Chat.Chat, string> =>
  Result.flatMap(json(source), (value) => {
    const whole = fields(value)
    const trace = fields(whole["trace"] ?? value)
    const observations = list(whole["observations"] ?? trace["observations"]).map(fields)
    const transcript = new Transcript()
    for (const each of observations.sort((left, right) => order(left) - order(right))) add(transcript, each)
    // The answer of a graph repeats its input.
    if (transcript.length === 0) {
      transcript.model(said(trace["input"], "user"), []).model([], said(trace["output"], "assistant"))
    }
    return transcript.length === 0
      ? Result.fail("it has no observation of a model or a tool, and its trace no input or output")
      : Result.succeed(transcript.done(text(trace["id"])?.slice(0, 8)))
  })

/** The format, for `Import`. */
export const format: Format = {
  name: "langfuse",
  framing: "file",
  parse: (source) => Result.map(parse(source), (chat) => [chat])
}

const order = (observation: Fields): number => time(observation["startTime"]) ?? 0

const add = (transcript: Transcript, observation: Fields): void => {
  const { endTime: ended, input, level, name, statusMessage, type } = observation
  const at = time(observation["startTime"])
  const used = [observation["usage"], observation["usageDetails"]].some((each) => Object.keys(fields(each)).length > 0)
  if (used) transcript.lose("usage")
  if (type === "GENERATION") {
    transcript.model(said(input, "user"), said(observation["output"], "assistant"), at)
  }
  const answer = plain(observation["output"]) ?? undefined
  const error = level === "ERROR" ? true : toolMessage(answer)?.error
  if (type === "TOOL") {
    transcript.tool({
      tool: text(name) ?? "tool",
      args: args(plain(input)),
      output: typeof answer === "string" ? answer : output(answer ?? statusMessage),
      error,
      // An observation without an end was recorded while the tool worked.
      isOpen: error !== true && (answer ?? ended ?? undefined) === undefined,
      at
    })
  }
  if (type === "GENERATION" || type === "TOOL") return
  // The span of a LangGraph tool holds one message of the tool.
  const told = toolMessage(answer)
  if (told === undefined) transcript.lose("frame")
  else transcript.tool({ ...told, tool: told.tool ?? text(name) ?? "tool", args: args(plain(input)), error, at })
}

/** Values are stored as JSON text, some of them encoded twice. */
const plain = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  const read = /^\s*["[{]/.test(value) ? json(value) : undefined
  return read?._tag === "Success" ? plain(read.success) : value
}

const said = (value: unknown, role: string) => {
  const read = plain(value)
  return read === undefined || read === null ? [] : messages(read, role)
}
