/** Exports of LangSmith: batches of runs (`post` and `patch`), lists of runs, and logs of managed agents' events. */
import * as Result from "effect/Result"
import type * as Chat from "../chat/Chat.ts"
import { messages, toolMessage } from "../chat/chatMessage.ts"
import type { Format } from "../chat/Format.ts"
import {
  args,
  documents,
  type Fields,
  fields,
  flagged,
  isObject,
  list,
  output,
  text,
  time
} from "../text/foreignJson.ts"
import { Transcript } from "./Transcript.ts"

/** Reads an export: one conversation per trace. */
export const parse = (source: string): Result.Result<ReadonlyArray<Chat.Chat>, string> =>
  Result.flatMap(documents(source), (entries) => {
    const chats = entries.every(isEvent) ? events(entries) : runs(entries)
    return chats.length === 0
      ? Result.fail("it holds no run of a model or a tool, and no event of an agent")
      : Result.succeed(chats)
  })

/** The format, for `Import`. */
export const format: Format = {
  name: "langsmith",
  framing: "file",
  parse
}

const isEvent = (entry: unknown): entry is readonly [string, unknown] =>
  Array.isArray(entry) && entry.length === 2 && typeof entry[0] === "string"

/** Joins the entry that was posted at the beginning of a run with the one patched at its end. */
const runs = (entries: ReadonlyArray<unknown>): ReadonlyArray<Chat.Chat> => {
  const known = new Map<string, Fields>()
  const parts = entries.flatMap((entry) => {
    if (Array.isArray(entry)) return entry
    const { patch, post, runs: listed } = fields(entry)
    return post === undefined && patch === undefined && listed === undefined
      ? [entry]
      : [...list(post), ...list(patch), ...list(listed)]
  })
  for (const part of parts) {
    const run = fields(part)
    const id = text(run["id"])
    if (id === undefined) continue
    const filled = Object.entries(run).filter(([, value]) => !(isObject(value) && Object.keys(value).length === 0))
    known.set(id, { ...known.get(id), ...Object.fromEntries(filled) })
  }
  const traces = Map.groupBy(known, ([id, run]) => text(run["trace_id"]) ?? id)
  return [...traces].flatMap(([trace, members]) => {
    const transcript = new Transcript()
    for (const run of members.map(([, each]) => each).sort((left, right) => order(left) - order(right)))
      add(transcript, run)
    return transcript.length === 0 ? [] : [transcript.done(trace.slice(0, 8))]
  })
}

const order = (run: Fields): number => time(run["start_time"]) ?? 0

const add = (transcript: Transcript, run: Fields): void => {
  const at = time(run["start_time"])
  const [inputs, outputs] = [run["inputs"], run["outputs"]]
  const used = fields(outputs)["usage_metadata"] ?? fields(outputs)["usage"] ?? run["total_tokens"]
  if (used !== undefined && used !== null) transcript.lose("usage")
  if (run["run_type"] !== "llm" && run["run_type"] !== "tool") transcript.lose("frame")
  if (run["run_type"] === "llm") {
    const made = fields(outputs)
    transcript.model(
      messages(inputs, "user"),
      messages(made["generations"] ?? made["output"] ?? outputs, "assistant"),
      at
    )
  }
  if (run["run_type"] === "tool") tool(transcript, run)
}

/** A run of a tool that was posted and never patched has no end: nobody knows what the call came to. */
const tool = (transcript: Transcript, run: Fields): void => {
  const { end_time: ended, error, inputs, outputs, status } = run
  const answer = fields(outputs)["output"] ?? outputs ?? undefined
  const failure = (error ?? "") === "" ? undefined : output(error)
  const hasFailed = failure !== undefined || status === "error"
  const isPending = status === "pending" || (answer ?? ended ?? status ?? undefined) === undefined
  transcript.tool({
    tool: text(run["name"]) ?? "tool",
    args: args(fields(inputs)["input"] ?? inputs),
    output: failure ?? (typeof answer === "string" ? answer : output(answer)),
    error: hasFailed ? true : toolMessage(answer)?.error,
    isOpen: isPending && !hasFailed,
    at: time(run["start_time"])
  })
}

const known = new Set([
  ...["user.message", "agent.message", "agent.custom_tool_use", "agent.tool_use"],
  ...["user.custom_tool_result", "agent.tool_result"]
])

/** Reads the stream of a session. The stream repeats the messages that were sent to the session. */
const events = (entries: ReadonlyArray<readonly [string, unknown]>): ReadonlyArray<Chat.Chat> => {
  const transcript = new Transcript()
  let session: string | undefined
  for (const [method, payload] of entries) {
    const event = fields(payload)
    if (method.endsWith("sessions.create")) session = text(event["id"])
    if (!method.endsWith("events.stream")) {
      transcript.lose("notice")
      continue
    }
    const at = time(event["processed_at"])
    const { content, type } = event
    if (!known.has(text(type) ?? "")) transcript.lose(/usage|model_request/.test(text(type) ?? "") ? "usage" : "notice")
    if (type === "user.message") transcript.model(messages([{ role: "user", content }], "user"), [], at)
    if (type === "agent.message") transcript.model([], messages([{ role: "assistant", content }], "assistant"), at)
    if (type === "agent.custom_tool_use" || type === "agent.tool_use") {
      const use = { type: "tool_use", id: event["id"], name: event["name"], input: event["input"] }
      transcript.model([], messages([{ role: "assistant", content: [use] }], "assistant"), at)
    }
    if (type === "user.custom_tool_result" || type === "agent.tool_result") {
      const id = event["custom_tool_use_id"] ?? event["tool_use_id"]
      const result = {
        type: "tool_result",
        tool_use_id: id,
        content,
        is_error: flagged(event)
      }
      transcript.model(messages([{ role: "user", content: [result] }], "user"), [], at)
    }
  }
  return transcript.length === 0 ? [] : [transcript.done(session)]
}
