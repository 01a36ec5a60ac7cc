/**
 * The history of a run as messages of the AI SDK, and the results that are missing in messages kept elsewhere.
 *
 * The AI SDK refuses messages with a call that has no result. A crash in mid-call leaves such messages behind.
 */
import type { JsonObject, Run } from "@backstitch/sdk"
import { type BriefedAction, briefingOf, requestDigestOf } from "@backstitch/sdk/adapter"
import type { JSONValue, ModelMessage, ToolModelMessage } from "ai"
import * as RunMessages from "./RunMessages.ts"
import * as ToolNames from "./ToolNames.ts"

/** The messages of a run, made from its record: no call without a result, and no act that was undone. */
export const messagesOf = async (run: Run): Promise<Array<ModelMessage>> => {
  const briefing = await briefingOf(run)
  return RunMessages.of(briefing, ToolNames.of(briefing.tools.map(({ name }) => name)))
}

type Result = ToolModelMessage["content"][number]
interface Call {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/**
 * Adds a result to each call that lacks one: the outcome of the latest act of its tool with its arguments or, without
 * such an act, that it was never begun. Calls that wait for an approval stay as they are, with their signatures.
 */
export const resumableMessages = async (
  run: Run,
  messages: ReadonlyArray<ModelMessage>
): Promise<Array<ModelMessage>> => {
  const settled = new Set(messages.flatMap(settledIn))
  const acts = (await briefingOf(run)).actions
  const whole: Array<ModelMessage> = []
  let results: ReadonlyArray<Result> = []
  for (const message of messages) {
    if (message.role === "tool") whole.push({ ...message, content: [...results, ...message.content] })
    else whole.push(...toolMessage(results), message)
    const open = callsIn(message).filter(({ toolCallId }) => !settled.has(toolCallId))
    results = await Promise.all(open.map((call) => resultOf(run, acts, call)))
  }
  return [...whole, ...toolMessage(results)]
}

const toolMessage = (content: ReadonlyArray<Result>): ReadonlyArray<ModelMessage> =>
  content.length === 0 ? [] : [{ role: "tool", content: [...content] }]

/** The calls that have a result, or wait for an approval. */
const settledIn = ({ content, role }: ModelMessage): ReadonlyArray<string> => {
  if (typeof content === "string") return []
  const parts = content as ReadonlyArray<{ readonly type: string; readonly toolCallId?: string }>
  const settling = role === "tool" ? "tool-result" : "tool-approval-request"
  return parts.flatMap(({ toolCallId, type }) =>
    toolCallId !== undefined && (type === settling || type === "tool-result") ? [toolCallId] : []
  )
}

const callsIn = ({ content, role }: ModelMessage): ReadonlyArray<Call> =>
  role !== "assistant" || typeof content === "string"
    ? []
    : content.flatMap((part) => (part.type === "tool-call" && part.providerExecuted !== true ? [part] : []))

const resultOf = async (run: Run, acts: ReadonlyArray<BriefedAction>, call: Call): Promise<Result> => {
  const { input, toolCallId, toolName } = call
  const wanted = await requestDigestOf(run, { tool: toolName, args: input as JsonObject })
  const isSame = async ({ params, tool }: BriefedAction): Promise<boolean> =>
    wanted !== undefined &&
    tool === toolName &&
    (await requestDigestOf(run, { tool, args: params as JsonObject })) === wanted
  const same = await Promise.all(acts.map(async (act) => ((await isSame(act)) ? [act] : [])))
  const act = same.flat().at(-1)
  const value =
    act === undefined
      ? { status: "never begun", why: "The agent stopped before it was sent: call it again if it is still wanted" }
      : { status: act.success ? "done" : act.status, says: act.says, output: act.output }
  return { type: "tool-result", toolCallId, toolName, output: { type: "json", value: value as JSONValue } }
}
