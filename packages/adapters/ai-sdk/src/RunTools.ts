/**
 * Tools of a run as tools of the AI SDK.
 *
 * A call takes the commit path of its run: it is on record before it is sent, a call without an answer is asked about,
 * and one that was done before is answered from the record. What became of it is the result of the tool, and is never
 * thrown: the AI SDK and its models try again what throws.
 */
import type { JsonObject, Outcome, Run } from "@backstitch/sdk"
import { approversOf, briefingOf, callIdOf, isBackstitchError } from "@backstitch/sdk/adapter"
import { type FlexibleSchema, type JSONValue, jsonSchema, type StopCondition, type Tool, type ToolSet, tool } from "ai"
import * as Limits from "./Limits.ts"
import * as ToolNames from "./ToolNames.ts"

/** The result of a tool: the outcome of its call, or why there is none. */
export type ToolOutcome = Outcome | { readonly status: "unavailable"; readonly why: string }

/** A tool whose result is what became of its call. Its input is that of the tool that was given. */
export type OutcomeTool<Given> = Tool<InputOf<Given>, ToolOutcome>

type InputOf<Given> = Given extends { readonly inputSchema: FlexibleSchema<infer Input> } ? Input : never

/** Gives a tool of the AI SDK other code. A schema of its output says nothing of an outcome, and is left out. */
export const withOutcome = <Given extends Tool>(
  { outputSchema: _, ...given }: Given,
  execute: OutcomeTool<Given>["execute"]
): OutcomeTool<Given> => ({ ...given, execute, toModelOutput }) as object as OutcomeTool<Given>

/**
 * Gives tools of the AI SDK the code of a run. Their own `execute` is not called, but the functions with which the
 * store was opened. Their names are those of the pack.
 */
export const aiSdkTools = <Tools extends ToolSet>(
  run: Run,
  tools: Tools
): { readonly [Name in keyof Tools]: OutcomeTool<Tools[Name]> } =>
  Object.fromEntries(
    Object.entries(tools).map(([name, each]) => [name, withOutcome(each as Tool, behaviour(run, name).execute)])
  ) as { readonly [Name in keyof Tools]: OutcomeTool<Tools[Name]> }

/** The tools of the pack of a run, with the descriptions and the arguments of their contracts. */
export const toolsOf = async (run: Run): Promise<ToolSet> => {
  const { tools } = await briefingOf(run)
  const names = ToolNames.of(tools.map(({ name }) => name))
  return Object.fromEntries(
    tools.map(({ description = "", input, name }) => [
      names.offered(name),
      tool({ description, inputSchema: jsonSchema<JsonObject>(input), ...behaviour(run, name), toModelOutput })
    ])
  )
}

/**
 * Stops the loop of the AI SDK where nothing can go on: a call waits for a person, or its outcome is unknown. For
 * `stopWhen`, beside a limit of steps.
 */
export const parked: StopCondition<ToolSet> = ({ steps }) =>
  steps.at(-1)?.toolResults.some(({ output }) => isWaiting(output)) === true

const isWaiting = (output: unknown): boolean =>
  typeof output === "object" && output !== null && "status" in output && "run" in output
    ? output.status === "parked" || output.status === "held"
    : false

/**
 * Outcomes of calls that were made while their approval was looked into, by their names; each is handed out once. A
 * loop that was aborted before the tool leaves one behind, so only the latest are kept: the record answers the others.
 */
const made = new WeakMap<Run, Map<string, ToolOutcome>>()

/** A call of the AI SDK. */
export interface ModelToolCall {
  readonly toolCallId: string
  readonly tool: string
  readonly args: JsonObject
  readonly signal?: AbortSignal | undefined
}

/** Makes a call before its tool is executed, which then has its outcome. A call that waits for a person has none. */
export const ahead = async (run: Run, call: ModelToolCall): Promise<ToolOutcome> => {
  const outcome = await carriedOut(run, call)
  if (outcome.status === "parked") return outcome
  const own = made.get(run) ?? new Map<string, ToolOutcome>()
  made.set(run, own)
  own.set(await nameOf(run, call), outcome)
  const [oldest] = own.keys()
  if (oldest !== undefined && own.size > Limits.pacing.aheadOutcomesMax) own.delete(oldest)
  return outcome
}

const nameOf = (run: Run, { args, tool: name, toolCallId }: ModelToolCall): Promise<string> =>
  callIdOf(run, { call: toolCallId, tool: name, args })

const behaviour = (run: Run, name: string) => ({
  execute: async (
    input: unknown,
    { abortSignal, toolCallId }: { readonly abortSignal?: AbortSignal | undefined; readonly toolCallId: string }
  ): Promise<ToolOutcome> => {
    const call = { toolCallId, tool: name, args: input as JsonObject, signal: abortSignal }
    const own = made.get(run)
    if (own === undefined || own.size === 0) return carriedOut(run, call)
    const key = await nameOf(run, call)
    const known = own.get(key)
    own.delete(key)
    return known ?? carriedOut(run, call)
  }
})

/**
 * Carries a call out. Its name in the AI SDK is given only to calls that may need an approval: providers may give two
 * calls one name, and two calls of one name are one.
 */
const carriedOut = async (run: Run, call: ModelToolCall): Promise<ToolOutcome> => {
  const { args, signal, tool: name } = call
  try {
    const needs = await approversOf(run, name)
    const named = needs === undefined ? {} : { callId: await nameOf(run, call) }
    return await run.tool(name, args, { ...named, signal })
  } catch (cause) {
    return unavailable(cause, signal)
  }
}

/** Tells why a call has no outcome, as a value. Throws what is no error of the record, and of no wait that ended. */
export const unavailable = (cause: unknown, signal: AbortSignal | undefined): ToolOutcome => {
  if (isBackstitchError(cause)) return { status: "unavailable", why: cause.message }
  if (signal?.aborted === true) return { status: "unavailable", why: noOutcome }
  throw cause
}

/** The reason that a model is told for a call whose wait was broken off. */
const noOutcome = "No outcome came in time. What was begun stays on record: the same call again asks what became of it"

/** Tells a model what became of a call: the status, the output or the reason, and what may be done next in words. */
export const toModelOutput = ({ output }: { readonly output: unknown }): { type: "json"; value: JSONValue } => {
  const {
    effect,
    error,
    next = [],
    status,
    why
  } = output as Partial<Record<string, JSONValue>> & {
    readonly next?: ReadonlyArray<{ readonly say: string }>
  }
  const result = (output as { readonly output?: JSONValue }).output
  const told = {
    status: status ?? null,
    ...(result === undefined ? {} : { output: result }),
    ...(error === undefined ? {} : { error }),
    ...(effect === undefined ? {} : { effect }),
    ...(why === undefined || why === "" ? {} : { why }),
    ...(next.length === 0 ? {} : { next: next.map(({ say }) => say) })
  }
  return { type: "json", value: told }
}
