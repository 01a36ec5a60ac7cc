/**
 * Carries decided requests to the tools of a server, and asks about them with other tools of it.
 *
 * The argument or the field of `_meta` that a mapping names for the key is this module's own: whatever a model wrote
 * there is replaced by the key of the ledger.
 */
import * as Expression from "@backstitch/expressions/Expression"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Contracts } from "../contract/ContractFile.ts"
import * as ToolMapping from "../contract/ToolMapping.ts"
import { changes } from "../contract/toolChange.ts"
import { misfitsOf } from "../contract/toolFit.ts"
import * as JsonRpc from "../message/JsonRpc.ts"
import * as ToolResult from "../message/ToolResult.ts"
import * as Link from "../wire/Link.ts"
import { withoutAnswers } from "./elicitation.ts"
import type { ClientCall } from "./Relay.ts"

/** Finds a connection to the server, for a question or a call that no client waits for. */
export type Connect = () => Promise<Link.Link>

/** The call of a client that the current fiber carries out; none while open actions are recovered. */
export const CurrentCall = Context.Reference<ClientCall | undefined>("@backstitch/mcp/CurrentCall", {
  defaultValue: () => undefined
})

/** An answer of a tool that came after its time, and the action that it is about. */
export interface LateAnswer {
  readonly action: string
  readonly tool: string
  readonly evidence: Effect.Effect<ToolExecutor.ToolAnswer>
  readonly askedAt: number
}

/** Takes in answers of tools that come after their time. By default they are dropped. */
export const LateAnswers = Context.Reference<(late: LateAnswer) => void>("@backstitch/mcp/LateAnswers", {
  defaultValue: () => () => {}
})

/** Layer that calls the tools of a server. */
export const layer = (contracts: Contracts, connect: Connect): Layer.Layer<ToolExecutor.ToolExecutor> =>
  Layer.succeed(ToolExecutor.ToolExecutor, make(contracts, connect))

/** Makes an executor that calls the tools of a server. */
export const make = (contracts: Contracts, connect: Connect): ToolExecutor.ToolExecutor["Service"] => {
  const { mapping } = contracts
  /** Questions about a call are asked in the session of its client, with that client's rights, while it is open. */
  const asked = Effect.fnUntraced(function* (kind: "readback" | "status", request: ToolExecutor.ToolRequest) {
    const link = (yield* CurrentCall)?.session.link
    const own = link?.isOpen() === true ? async () => link : connect
    // A server that has to be started again is waited for first: its start is no part of the time of a question.
    if (own === connect) yield* Effect.promise(() => connect().catch(() => undefined))
    const { tool } = request
    return yield* ToolExecutor.fromTools({
      [tool]: toolOf(tool, ToolMapping.of(mapping, tool), mapping, own)
    })[kind](request)
  })
  return {
    mode: "live",
    call: Effect.fnUntraced(function* (request) {
      const call = yield* CurrentCall
      const hear = yield* LateAnswers
      const askedAt = yield* Clock.currentTimeMillis
      const { action, tool } = request
      const called = (execute: ToolExecutor.Tool["execute"]) =>
        ToolExecutor.fromTools({ [tool]: { execute } }).call(request)
      const wasSent = request.resent === true
      const late = (frame: JsonRpc.Frame) => {
        const evidence = called(() => answerOf(frame, ToolMapping.of(mapping, tool), wasSent))
        hear({ action, askedAt, evidence, tool })
      }
      return yield* called((params: JsonObject, context) =>
        carry(tool, params, { ...context, call, connect, late, mapping, wasSent })
      )
    }),
    status: (request) => asked("status", request),
    readback: (request) => asked("readback", request)
  }
}

/** A tool of the server as a program calls it, with the questions of its mapping. */
export const toolOf = (
  name: string,
  own: ToolMapping.ToolMapping,
  mapping: ToolMapping.Mapping,
  connect: Connect
): ToolExecutor.Tool => {
  const question = (asked: ToolMapping.MappedQuestion): ToolExecutor.SourceReader => {
    return (context, params: JsonObject) => ask(asked, mapping, connect, { ...context, params })
  }
  const { readback, sources, status } = own
  return {
    execute: (params: JsonObject, context) =>
      carry(name, params, { ...context, call: undefined, connect, mapping, wasSent: false }),
    ...(readback === undefined ? {} : { readback: question(readback) }),
    ...(status === undefined ? {} : { status: question(status) as ToolExecutor.Tool["status"] }),
    sources: Object.fromEntries(Object.entries(sources).map(([source, asked]) => [source, question(asked)]))
  }
}

/** Removes from arguments the one that carries the key: what a model wrote there is not its own. */
export const ownArguments = ({ key }: ToolMapping.ToolMapping, args: JsonObject): JsonObject => {
  if (key === undefined || !("argument" in key)) return args
  const { [key.argument]: _, ...rest } = args
  return rest
}

/** Tells how a tool has changed since its review, or does not fit its mapping; `undefined` if it has not and does. */
export const changed = async (
  tool: string,
  mapping: ToolMapping.Mapping,
  link: Link.Link
): Promise<string | undefined> => {
  if (!Object.hasOwn(mapping.tools, tool)) return undefined
  const own = ToolMapping.of(mapping, tool)
  const tools = await link.tools()
  const listed = tools.get(tool)
  if (listed === undefined) return `${tool} is no longer listed by its server`
  const [misfit] = misfitsOf(tool, own, tools)
  if (misfit !== undefined) return misfit
  const { reviewed } = own
  if (reviewed === undefined) return undefined
  const found = changes(reviewed, listed)
  return found.length === 0 ? undefined : `${tool} has changed since its contract was reviewed: ${found.join("; ")}`
}

interface Carrying {
  readonly call: ClientCall | undefined
  readonly connect: Connect
  readonly key: string | undefined
  readonly late?: Link.Asking["late"]
  readonly mapping: ToolMapping.Mapping
  readonly signal: AbortSignal
  /** `true` if the request was sent before: that it cannot be sent now says nothing about the earlier sending. */
  readonly wasSent: boolean
}

const carry = async (
  tool: string,
  params: JsonObject,
  { call, connect, key, late, mapping, signal, wasSent }: Carrying
): Promise<Json | ToolExecutor.Accepted> => {
  const own = ToolMapping.of(mapping, tool)
  const isFirst = call !== undefined && !call.isSent()
  if (isFirst && call.isCancelled()) {
    throw new ToolExecutor.ToolRefused("the client cancelled the call before it was sent")
  }
  const sent = withKey(params, own, key, isFirst ? call.params : {})
  const whole = { ...(isFirst ? withoutAnswers(call.params) : {}), ...sent, name: tool }
  try {
    const frame = isFirst
      ? await call.send(whole, { signal, late })
      : await (await connect()).ask("tools/call", whole, { signal, late })
    return answerOf(frame, own, wasSent)
  } catch (cause) {
    if (wasSent || !Link.isUnsent(cause)) throw cause
    throw new ToolExecutor.ToolRefused(`nothing was sent: ${cause.message}`)
  }
}

/** Puts the key where the server expects it. */
const withKey = (
  params: JsonObject,
  { key: place }: ToolMapping.ToolMapping,
  key: string | undefined,
  given: JsonObject
): JsonObject => {
  if (place === undefined || key === undefined) return { arguments: params }
  if ("argument" in place) return { arguments: { ...params, [place.argument]: key } }
  const meta = JsonRpc.isObject(given["_meta"]) ? given["_meta"] : {}
  return { arguments: params, _meta: { ...meta, [place.meta]: key } }
}

/** The type of a result that asks the user instead of answering, in versions without sessions. */
export const inputRequired = "input_required"

/**
 * Converts an answer of the server. An error proves that nothing happened only if nothing was ever handed to the
 * server, or people vouch for it; otherwise nobody knows, whatever its code says.
 */
const answerOf = (
  { isUnsent = false, message }: JsonRpc.Frame,
  { errors }: ToolMapping.ToolMapping,
  wasSent: boolean
): JsonObject | ToolExecutor.Accepted => {
  const { error, result = {} } = message?._tag === "Response" ? message : { error: undefined }
  if (error !== undefined) {
    if (errors === "refused" || (isUnsent && !wasSent)) throw new ToolExecutor.ToolRefused({ ...error })
    throw new Error(`the server answered an error, and whether anything happened is not known: ${error.message}`)
  }
  // The server has asked the user first, and is called again with the answer.
  if (result["resultType"] === inputRequired) throw new ToolExecutor.ToolRefused({ ...result })
  const evidence = ToolResult.toEvidence(result)
  if (result["isError"] === true) {
    if (errors === "refused") throw new ToolExecutor.ToolRefused(evidence)
    const said = ToolResult.textOf(result)
    throw new Error(`the tool answered an error, and whether anything happened is not known: ${said}`)
  }
  // A task is only accepted: its result comes later, to whoever asks for it.
  return JsonRpc.isObject(result["task"]) ? new ToolExecutor.Accepted(evidence) : evidence
}

interface AskedAbout extends ToolExecutor.ToolContext {
  readonly params: JsonObject
}

/** Asks a read tool of the server about a call. */
const ask = async (
  { absent, args, pick, tool }: ToolMapping.MappedQuestion,
  mapping: ToolMapping.Mapping,
  connect: Connect,
  about: AskedAbout
): Promise<Json | undefined> => {
  const { key = "", observed = null, params, signal } = about
  const link = await connect()
  const problem = await changed(tool, mapping, link)
  if (problem !== undefined) throw new Error(problem)
  const names = { args: params, key, observed }
  const given = Object.entries(args).flatMap(([name, expression]) => {
    const value = valued(expression, names)
    return value === null ? [] : [[name, value] as const]
  })
  const { message } = await link.ask("tools/call", { name: tool, arguments: Object.fromEntries(given) }, { signal })
  const { error, result = {} } = message?._tag === "Response" ? message : { error: undefined }
  if (error !== undefined) throw new Error(`${tool} could not be asked: ${error.message}`)
  const isError = result["isError"] === true
  const text = ToolResult.textOf(result)
  const value = ToolResult.valueOf(result)
  const answered = { ...names, isError, text, value: value ?? null }
  if (absent !== undefined && valued(absent, answered) === true) return undefined
  if (isError) throw new Error(`${tool} answered an error: ${text}`)
  return oneOf(pick === undefined ? (value ?? text) : valued(pick, answered), tool)
}

/** The only record of an answer; none for `null` and an empty list. */
const oneOf = (found: Json, tool: string): Json | undefined => {
  if (found === null) return undefined
  if (!Array.isArray(found)) return found
  const [first, second] = found as ReadonlyArray<Json>
  if (second !== undefined) throw new Error(`${tool} shows ${found.length} records, where there has to be one`)
  return first
}

const valued = (expression: Expression.Expression, names: Expression.Bindings): Json => {
  const value = Expression.evaluate(expression, names)
  if (Result.isSuccess(value)) return value.success
  throw new Error(value.failure.message)
}
