/**
 * Recorded conversations in the form of OpenAI's chat API, as steps of a run.
 *
 * A line of a file is one run: an object with its messages under `traj` or
 * `messages`, or the bare list of messages. Ids of tool calls repeat within a
 * run more often than one would think, so a result belongs to the latest call
 * of its id that has no result yet. A call that was never answered stays open:
 * no result is made up for it.
 *
 * @source the message format of OpenAI's chat completions
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/**
 * One step of a recorded conversation. `message` counts from 0; `action` is unique within the run.
 *
 * @category models
 * @since 0.1.0
 */
export type Step =
  | { readonly _tag: "Received"; readonly message: number; readonly role: string; readonly content: string }
  | { readonly _tag: "Sent"; readonly message: number; readonly content: string }
  | { readonly _tag: "Called"; readonly message: number; readonly action: string; readonly call: Call }
  | {
      readonly _tag: "Answered"
      readonly message: number
      readonly action: string
      readonly call: Call
      readonly output: string | null
    }

/**
 * A tool call. `args` is text where it was not a JSON object.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call {
  readonly id: string
  readonly tool: string
  readonly args: Schema.Json
}

/**
 * A recorded conversation, read. `steps` has one entry a message: what became durable together.
 *
 * @category models
 * @since 0.1.0
 */
export interface Chat {
  /** What the recording calls the task; with `trial` it names the run. */
  readonly task: string | undefined
  readonly trial: string | undefined
  readonly messages: number
  readonly toolCalls: number
  readonly repeatedToolCallIds: boolean
  readonly steps: ReadonlyArray<ReadonlyArray<Step>>
}

/**
 * Reads one line. A failure says what was found and what belongs there.
 *
 * **Example** (Pairing a repeated id)
 *
 * ```ts import.meta.vitest
 * import { OpenAiChat } from "@backstitch/importers"
 * import { Result } from "effect"
 *
 * const now = { id: "a", function: { name: "now", arguments: "{}" } }
 * const call = { role: "assistant", content: null, tool_calls: [now] }
 * const answer = { role: "tool", tool_call_id: "a", content: "noon" }
 * const chat = Result.getOrThrow(OpenAiChat.parse(JSON.stringify([call, answer, call])))
 *
 * chat.repeatedToolCallIds // => true
 * chat.steps.flat().map((step) => step._tag) // => ["Called", "Answered", "Called"]
 * ```
 *
 * @category conversions
 * @since 0.1.0
 */
export const parse = (line: string): Result.Result<Chat, string> => {
  let value: unknown
  try {
    value = JSON.parse(line, loneSurrogate.test(line) ? wellFormed : undefined)
  } catch (cause) {
    return Result.fail(`it is not JSON (${cause instanceof Error ? cause.message : String(cause)})`)
  }
  const run = isObject(value) ? value : undefined
  const messages = Array.isArray(value) ? value : (run?.["traj"] ?? run?.["messages"])
  if (!Array.isArray(messages)) {
    return Result.fail("it has no messages: a list was expected, or an object with one under `traj` or `messages`")
  }
  const reader = new Reader()
  for (const [index, message] of messages.entries()) {
    const problem = reader.read(index, message)
    if (problem !== undefined) return Result.fail(`message ${index} ${problem}`)
  }
  return Result.succeed({
    task: nameOf(run?.["task_id"] ?? run?.["id"]),
    trial: nameOf(run?.["trial"]),
    messages: messages.length,
    toolCalls: reader.toolCalls,
    repeatedToolCallIds: reader.repeated,
    steps: reader.steps
  })
}

/** Collects steps, and remembers which calls have no answer yet. */
class Reader {
  readonly steps: Array<ReadonlyArray<Step>> = []
  toolCalls = 0
  repeated = false
  private readonly seen = new Map<string, number>()
  private readonly unanswered: Array<{ readonly action: string; readonly call: Call }> = []

  /** Answers what is wrong with a message, or nothing. */
  read(index: number, message: unknown): string | undefined {
    if (!isObject(message)) return "is not an object"
    const content = textOf(message["content"])
    if (content === undefined) return "has a `content` that is neither text nor a list of text parts"
    switch (message["role"]) {
      case "system":
      case "developer":
      case "user":
        this.steps.push([{ _tag: "Received", message: index, role: message["role"], content: content ?? "" }])
        return undefined
      case "assistant":
        return this.assistant(index, content, message["tool_calls"])
      case "tool":
        return this.tool(index, content, message["tool_call_id"])
      default:
        return `has the role ${JSON.stringify(message["role"])}; system, developer, user, assistant or tool was expected`
    }
  }

  private assistant(index: number, content: string | null, calls: unknown): string | undefined {
    const steps: Array<Step> = []
    const list = calls ?? []
    if (!Array.isArray(list)) return "has `tool_calls` that are not a list"
    if ((content !== null && content !== "") || list.length === 0) {
      steps.push({ _tag: "Sent", message: index, content: content ?? "" })
    }
    for (const entry of list) {
      const call = callOf(entry)
      if (call === undefined) return "has a tool call without an `id` or a function's `name` and `arguments`"
      const times = (this.seen.get(call.id) ?? 0) + 1
      this.seen.set(call.id, times)
      if (times > 1) this.repeated = true
      const action = times === 1 ? call.id : `${call.id}#${times}`
      this.toolCalls++
      this.unanswered.push({ action, call })
      steps.push({ _tag: "Called", message: index, action, call })
    }
    this.steps.push(steps)
    return undefined
  }

  private tool(index: number, output: string | null, id: unknown): string | undefined {
    if (typeof id !== "string") return "answers a tool call but has no `tool_call_id`"
    const at = this.unanswered.findLastIndex(({ call }) => call.id === id)
    const open = this.unanswered[at]
    if (open === undefined) return `answers the tool call ${JSON.stringify(id)}, and no call of that id is unanswered`
    this.unanswered.splice(at, 1)
    this.steps.push([{ _tag: "Answered", message: index, ...open, output }])
    return undefined
  }
}

/** A model may be cut off inside a character. Half of one has no bytes: U+FFFD is committed in its place. */
const loneSurrogate = /\\ud[89a-f]/i

const wellFormed = (_: string, value: unknown): unknown => (typeof value === "string" ? value.toWellFormed() : value)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Content is text, absent, or a list of parts of which the text counts. `undefined` means: none of these. */
const textOf = (content: unknown): string | null | undefined => {
  if (content === undefined || content === null) return null
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return undefined
  return content.map((part) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : "")).join("")
}

const callOf = (entry: unknown): Call | undefined => {
  if (!isObject(entry) || typeof entry["id"] !== "string" || !isObject(entry["function"])) return undefined
  const { arguments: text, name } = entry["function"]
  if (typeof name !== "string") return undefined
  if (isObject(text)) return { id: entry["id"], tool: name, args: text as Schema.JsonObject }
  return typeof text === "string" ? { id: entry["id"], tool: name, args: argsOf(text) } : undefined
}

const argsOf = (text: string): Schema.Json => {
  if (text.trim() === "") return {}
  try {
    const value: Schema.Json = JSON.parse(text)
    return isObject(value) ? value : text
  } catch {
    return text
  }
}

const nameOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined
