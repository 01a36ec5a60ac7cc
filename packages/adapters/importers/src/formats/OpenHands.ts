/**
 * Event histories of OpenHands, one run per line.
 *
 * An event is an action or an observation. An observation names the action that caused it; in older histories without
 * ids, it answers the previous action. An observation without an open action, such as a change of the agent's state
 * or a second observation of the same action, becomes a message of the environment.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Chat from "../chat/Chat.ts"
import type { Format } from "../chat/Format.ts"
import { type Fields, fields, isObject, json, output, text, time } from "../text/foreignJson.ts"

/** Reads the history of one run. */
export const parse = (line: string): Result.Result<Chat.Chat, string> =>
  Result.flatMap(json(line), (value) => {
    const run = fields(value)
    const { history } = run
    if (!Array.isArray(history)) return Result.fail("it has no list of events under `history`")
    const builder = new Chat.Builder()
    for (const [index, event] of history.entries()) {
      if (!isObject(event)) return Result.fail(`event ${index} is not an object`)
      const problem = add(builder.message(time(event["timestamp"])), event, index)
      if (problem !== undefined) return Result.fail(`event ${index} ${problem}`)
    }
    const number = fields(run["issue"])["number"]
    const issue = typeof number === "number" ? `issue-${number}` : undefined
    return Result.succeed(builder.done({ task: text(run["instance_id"]) ?? issue }))
  })

/** The format, for `Import`. */
export const format: Format = {
  name: "openhands",
  framing: "line",
  parse: (line) => Result.map(parse(line), (chat) => [chat])
}

const add = (builder: Chat.Builder, event: Fields, index: number): string | undefined => {
  const { action, cause, observation, source } = event
  if (isObject(event["llm_metrics"])) builder.lose("usage")
  if (isObject(event["tool_call_metadata"])) builder.lose("notice")
  if (typeof observation === "string") {
    const open = builder.unanswered
    const caused = typeof cause === "number" ? open.find(({ id }) => id === String(cause)) : open.at(-1)
    if (caused === undefined) {
      builder.received("environment", output(event["content"]) ?? "")
      return undefined
    }
    const { exit_code: bare, success } = event
    const code = fields(fields(event["extras"])["metadata"])["exit_code"] ?? bare
    const told = typeof success === "boolean" || typeof code === "number"
    const hasFailed = observation === "error" || success === false || (typeof code === "number" && code > 0)
    return builder.answered(caused.id, output(event["content"]), { error: hasFailed || (told ? false : undefined) })
  }
  if (typeof action !== "string") return "is neither an action nor an observation"
  const given = isObject(event["args"]) ? event["args"] : rest(event)
  const words = text(given["content"]) ?? ""
  switch (action) {
    case "system":
      builder.received("system", words)
      return undefined
    case "message":
      // The first message of a history without sources is the task.
      if (source === "agent" || (source === undefined && index > 0)) builder.sent(words)
      else builder.received("user", words)
      return undefined
    case "finish":
      builder.sent(text(given["final_thought"]) ?? text(given["thought"]) ?? "")
      return undefined
    default: {
      const { thought, ...params } = given
      if (typeof thought === "string" && thought !== "" && action !== "think") builder.sent(thought)
      const id = typeof event["id"] === "number" ? String(event["id"]) : `event-${index}`
      builder.called({ id, tool: action, args: (action === "think" ? { thought } : params) as Schema.JsonObject })
      return undefined
    }
  }
}

const rest = ({ action: _, ...more }: Fields): Fields => more
