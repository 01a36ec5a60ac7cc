/**
 * Sessions of Claude Code, as the tool writes them below its projects folder: one JSON object per line, one session
 * per file.
 *
 * A message of the model is spread over several lines, one per block. The steps of a subagent are in a file of their
 * own, or among the lines of the session as a side chain. Each is a separate conversation. Data that a tool showed in
 * addition to the text for the model, such as the file that an edit found, come with its answer.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Chat from "../chat/Chat.ts"
import type { Format } from "../chat/Format.ts"
import {
  args,
  type Fields,
  fields,
  flagged,
  isObject,
  jsonLines,
  list,
  output,
  text,
  time
} from "../text/foreignJson.ts"

/** Reads a session: first its own conversation, then one for each side chain. */
export const parse = (source: string): Result.Result<ReadonlyArray<Chat.Chat>, string> =>
  Result.flatMap(jsonLines(source), (lines) => {
    const chains = new Map<string, Chain>()
    const rest: Array<Fields> = []
    const roots = new Map<string, string>()
    let session: string | undefined
    for (const line of lines.map(fields)) {
      const { message, sessionId, type } = line
      if ((type !== "user" && type !== "assistant") || !isObject(message)) {
        rest.push(line)
        continue
      }
      session ??= text(sessionId)
      const name = chainOf(line, roots)
      const chain = chains.get(name) ?? new Chain(text(line["agentId"]))
      chains.set(name, chain)
      const problem = chain.add(line, message)
      if (problem !== undefined) return Result.fail(problem)
    }
    const [main, ...sides] = [...chains].sort(([one], [other]) => Number(one !== own) - Number(other !== own))
    if (main === undefined) return Result.fail("it has no line of the type user or assistant with a `message`")
    for (const line of rest) main[1].builder.lose(lossOf(line))
    const task = session?.slice(0, 8)
    return Result.succeed([
      main[1].done(task, main[1].agent),
      ...sides.map(([, chain], index) => chain.done(task, chain.agent ?? `side-${index + 1}`))
    ])
  })

/** The format, for `Import`. */
export const format: Format = {
  name: "claude-code",
  framing: "file",
  parse
}

/** The name of the session's own chain. */
const own = ""

/** The chain of a line: the session's own, or that of a subagent, which is identified by its id or its first line. */
const chainOf = ({ agentId, isSidechain, parentUuid, uuid }: Fields, roots: Map<string, string>): string => {
  if (isSidechain !== true) return own
  const root = roots.get(text(parentUuid) ?? "") ?? text(uuid) ?? "side"
  if (typeof uuid === "string") roots.set(uuid, root)
  return text(agentId) ?? root
}

class Chain {
  readonly builder = new Chat.Builder()
  readonly agent: string | undefined
  private messages = 0
  private readonly metered = new Set<unknown>()

  constructor(agent: string | undefined) {
    this.agent = agent
  }

  add(line: Fields, message: Fields): string | undefined {
    this.messages++
    this.builder.message(time(line["timestamp"]))
    const { id, usage } = message
    // Each line of a message repeats the usage of the whole message.
    if (isObject(usage) && !this.metered.has(id ?? line)) {
      this.metered.add(id ?? line)
      this.builder.lose("usage")
    }
    const problem = line["type"] === "user" ? this.user(line, message) : this.assistant(message)
    return problem === undefined ? undefined : `message ${this.messages - 1} ${problem}`
  }

  done(task: string | undefined, trial: string | undefined): Chat.Chat {
    return this.builder.done({ task, trial })
  }

  private user(line: Fields, message: Fields): string | undefined {
    if (line["isCompactSummary"] === true) this.builder.lose("summary")
    for (const block of blocks(message)) {
      if (block["type"] === "text") this.builder.received("user", text(block["text"]) ?? "")
      else if (block["type"] !== "tool_result") this.builder.lose("attachment")
      if (block["type"] !== "tool_result") continue
      const id = text(block["tool_use_id"]) ?? ""
      const problem = this.builder.answered(id, output(block["content"]), {
        error: flagged(block),
        shown: isObject(line["toolUseResult"]) ? (line["toolUseResult"] as Schema.JsonObject) : undefined
      })
      if (problem !== undefined) return problem
    }
    return undefined
  }

  private assistant(message: Fields): string | undefined {
    for (const block of blocks(message)) {
      const { id, input, name, type } = block
      if (type === "text") this.builder.sent(text(block["text"]) ?? "")
      else if (type === "thinking" || type === "redacted_thinking") this.builder.lose("reasoning")
      else if (type !== "tool_use") this.builder.lose("attachment")
      if (type !== "tool_use") continue
      if (typeof id !== "string" || typeof name !== "string") return "uses a tool without an `id` or a `name`"
      this.builder.called({ id, tool: name, args: args(input) })
    }
    return undefined
  }
}

const lossOf = ({ type }: Fields): keyof Chat.LossCounts =>
  type === "file-history-snapshot" ? "snapshot" : type === "summary" ? "summary" : "notice"

const blocks = (message: Fields): ReadonlyArray<Fields> => {
  const { content } = message
  return typeof content === "string" ? [{ type: "text", text: content }] : list(content).map(fields)
}
