/**
 * Sends a decided request to a tool and brings back evidence.
 *
 * The kernel decides; this service only asks. It calls the tool, asks for the status of a key, or reads the system of
 * record. The result is always a value: a refusal by the tool and a lost answer are different answers, not different
 * exceptions.
 */
import * as Readback from "@backstitch/contracts/Readback"
import type { Evidence } from "@backstitch/kernel/Evidence"
import * as Finding from "@backstitch/kernel/Finding"
import * as Branded from "@backstitch/trace/Branded"
import type { Json } from "@backstitch/trace/Canonical"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { detailWithinSize, shortened, withinSize } from "./evidenceSize.ts"
import * as SendingTime from "./sendingTime.ts"
import { toTraceJson, Unrecordable } from "./traceJson.ts"

/**
 * A request to a tool. Its answer is awaited for `deadlineMillis` from the moment at which the tool is called; the
 * `deadlineMillis` that the tool is given ends earlier if `sendBefore` does.
 */
export interface ToolRequest {
  readonly tool: string
  readonly action: string
  readonly params: Json
  readonly key: string | undefined
  readonly deadlineMillis: number
  /**
   * Epoch milliseconds, by the clock of this process, after which a call is dropped instead of sent (decision 0036).
   * A question may be put at any time. By default a call may be sent for as long as its answer is awaited.
   */
  readonly sendBefore?: number | undefined
  /** The tool's own answer, if it gave one. A readback needs the names in it. */
  readonly observed?: Json | undefined
  /** The further source of the contract to read, if it is not the first one. */
  readonly source?: string | undefined
  /** `true` if the action is asked about once more, before it is undone. */
  readonly again?: boolean | undefined
  /** `true` if the request was sent before. A refusal to send it now says nothing about the earlier sending. */
  readonly resent?: boolean | undefined
}

/**
 * The answer of a tool.
 *
 * - `Ok`: the tool answered. This is evidence, not yet belief.
 * - `Accepted`: the tool accepted the request, and it is not done.
 * - `Error`: the tool refused for good, and states that nothing happened.
 * - `NotFound`: answer to a question; nothing exists under that key or name.
 * - `Pending`: answer to a question; the action is under way.
 * - `Unknown`: no answer came in time, or it was lost, unreadable or too large to keep.
 */
export type ToolAnswer = Evidence

/** Facts that a tool receives when it runs. */
export interface ToolContext {
  /** Send this key with the request. The system of record recognises a repetition by it. */
  readonly key: string | undefined
  readonly action: string
  /** The time until `sendBefore`, counted from the moment at which the tool is called. */
  readonly deadlineMillis: number
  /** Epoch milliseconds after which the request must not be sent any more. A tool that is later throws instead. */
  readonly sendBefore: number
  /**
   * Aborted once `sendBefore` is over, and when no answer is awaited any more. Pass it on to whatever sends. It looks
   * at the clock when it is asked, so it is right in a process that stood still.
   */
  readonly signal: AbortSignal
  /** The tool's own answer, for `readback`. */
  readonly observed: Json | undefined
}

/** Writes the detail of a refusal as its message. A refusal is one whatever its detail is. */
export const refusalText = (detail: Json): string => {
  try {
    return typeof detail === "string" ? detail : (JSON.stringify(detail) ?? "")
  } catch {
    return "refused, and JSON does not carry the reason"
  }
}

/** Error that a tool throws to refuse for good: nothing happened and nothing will happen. */
export class ToolRefused extends Error {
  readonly _tag = "ToolRefused"
  readonly detail: Json

  constructor(detail: Json) {
    super(refusalText(detail))
    this.detail = detail
  }
}

/**
 * A reading with its origin, for a tool that knows the origin. A reading from a replica or a cache counts only as a
 * hint.
 */
export class Reading {
  readonly _tag = "Reading"
  readonly output: Json
  readonly from: Readback.ReadOrigin

  constructor(output: Json, from: Readback.ReadOrigin) {
    this.output = output
    this.from = from
  }
}

/**
 * Answer of a tool that recognised the key of a request and did nothing a second time. It contains the first answer.
 */
export class Replayed {
  readonly _tag = "Replayed"
  readonly output: Json

  constructor(output: Json) {
    this.output = output
  }
}

/**
 * Answer of a tool that accepted a request and has not done it yet, such as a queued job or an HTTP 202. It is
 * verified by the contract's schedule, and is no success before that.
 */
export class Accepted {
  readonly _tag = "Accepted"
  readonly output: Json

  constructor(output: Json) {
    this.output = output
  }
}

/** Reads a system of record. `undefined` means "not found", `"pending"` means "under way". */
export type SourceReader = (context: ToolContext, params: never) => Promise<Json | Reading | undefined>

/**
 * An open local transaction: the tool's output, and functions to read, commit and abort. `read` shows what a readback
 * would show after the commit, and nobody else sees that before. A `commit` that throws may have committed or not, so
 * the record is read.
 */
export interface LocalTransaction {
  readonly output: Json
  readonly read: () => Promise<Json | Reading | undefined> | Json | Reading | undefined
  readonly commit: () => unknown
  readonly rollback: () => unknown
}

/**
 * A tool in code: how to call it, and how to ask about it. `undefined` from `status` or `readback` means "not found",
 * and `"pending"` means "under way". `sources` reads the further sources that the contract names.
 *
 * **Details**
 *
 * `open` acts in a transaction and leaves it open, for tools whose contract says `transaction: local`. If it throws,
 * it has to roll back first. Each call is followed by a verdict, and there is at most one call per action.
 *
 * @see {@link transactional}
 */
export interface Tool {
  readonly open?: ((params: never, context: ToolContext) => Promise<LocalTransaction> | LocalTransaction) | undefined
  readonly execute: (
    params: never,
    context: ToolContext
  ) => Promise<Json | Accepted | Replayed> | Json | Accepted | Replayed
  readonly status?: ((context: ToolContext, params: never) => Promise<Json | undefined>) | undefined
  readonly readback?: SourceReader | undefined
  readonly sources?: { readonly [source: string]: SourceReader } | undefined
}

/** Tools by name. */
export interface Tools {
  readonly [name: string]: Tool
}

/** Answer of a tool that acted in a local transaction, with the transaction. Without a transaction, nothing is open. */
export interface Opened {
  readonly answer: ToolAnswer
  readonly transaction:
    | {
        readonly read: Effect.Effect<ToolAnswer>
        /** `Ok` if the store confirmed it. */
        readonly conclude: (how: "commit" | "roll_back") => Effect.Effect<ToolAnswer>
      }
    | undefined
}

/** Service that carries requests to tools. */
export class ToolExecutor extends Context.Service<
  ToolExecutor,
  {
    readonly mode: "live" | "recorded"
    /**
     * `true` if answers come from a record, or from a simulated world made from one. All values are sealed there, and
     * none is opened.
     */
    readonly isSealed?: boolean
    /** Tells whether the code of a tool is here; an executor without this function has the code of every tool. */
    readonly has?: (tool: string) => boolean
    /** Calls the tool. */
    readonly call: (request: ToolRequest) => Effect.Effect<ToolAnswer>
    /** Asks for the status of the request's key. */
    readonly status: (request: ToolRequest) => Effect.Effect<ToolAnswer>
    /** Reads the system of record. */
    readonly readback: (request: ToolRequest) => Effect.Effect<ToolAnswer>
    /** Calls the tool in a local transaction, and leaves the transaction open. */
    readonly open?: (request: ToolRequest) => Effect.Effect<Opened>
  }
>()("@backstitch/runtime/ToolExecutor") {}

/** Error for calls of tools whose code is not here. Nothing was committed. */
export class ToolsMissing extends Schema.TaggedError<ToolsMissing>("@backstitch/runtime/ToolsMissing")("ToolsMissing", {
  tools: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `This calls ${this.tools.join(", ")}, whose code is not here: name a module that has it`
  }
}

/** Fails unless the code of each of these tools is here, so that nothing begins that cannot be carried out. */
export const demand = Effect.fnUntraced(function* (tools: Iterable<string>) {
  const { has = () => true } = yield* ToolExecutor
  const missing = [...new Set(tools)].filter((tool) => !has(tool))
  if (missing.length > 0) return yield* new ToolsMissing({ tools: missing })
})

/** Makes an executor that calls the world. */
export const fromTools = (tools: Tools): ToolExecutor["Service"] => {
  const ask: Asks = (request, run, missing, kind = "question") =>
    run === undefined
      ? Effect.succeed({ _tag: "Unknown", reason: missing })
      : Clock.Clock.use((clock) => {
          const { action, deadlineMillis: awaitedMillis, key, observed } = request
          const sending = SendingTime.begin(clock, {
            until: kind === "call" ? request.sendBefore : undefined,
            awaitedMillis
          })
          const { deadlineMillis, sendBefore } = sending
          try {
            const output = run({
              key,
              action,
              deadlineMillis,
              sendBefore,
              get signal() {
                return sending.signal
              },
              observed
            })
            // A value that is no promise is not awaited.
            return isPromise(output)
              ? answerInTime(output, { sending, awaitedMillis, kind })
              : Effect.succeed(answerOf(output, kind))
          } catch (cause) {
            return Effect.succeed(failureOf(cause))
          }
        })
  return {
    mode: "live",
    has: (tool) => own(tools, tool) !== undefined,
    call: (request) => {
      const tool = own(tools, request.tool)
      if (tool === undefined) return Effect.succeed(unbound(request))
      return ask(request, (context) => tool.execute(request.params as never, context), notAsked, "call")
    },
    status: (request) => {
      const status = own(tools, request.tool)?.status
      return ask(
        request,
        status && ((context) => status(context, request.params as never)),
        Finding.make("answer.no_question", {})
      )
    },
    readback: (request) => {
      const { params, source } = request
      const tool = own(tools, request.tool)
      const read = source === undefined ? tool?.readback : own(tool?.sources ?? {}, source)
      const missing = Finding.make("answer.no_readback", source === undefined ? {} : { source })
      return ask(request, read && ((context) => read(context, params as never)), missing)
    },
    open: (request) => opening(request, own(tools, request.tool)?.open, ask)
  }
}

/** Reads what has a name. A tool may be named as what every object inherits, such as `constructor`. */
const own = <A>(named: { readonly [name: string]: A }, name: string): A | undefined =>
  Object.hasOwn(named, name) ? named[name] : undefined

/**
 * Makes a tool from one that acts in a local transaction. If the contract does not say `transaction: local`, it
 * commits at once.
 */
export const transactional = (tool: Omit<Tool, "execute"> & { readonly open: NonNullable<Tool["open"]> }): Tool => ({
  ...tool,
  execute: async (params, context) => {
    const { commit, output, rollback } = await tool.open(params, context)
    if (context.signal.aborted) {
      await rollback()
      throw new Error("the transaction was open too late to be committed, and is rolled back")
    }
    await commit()
    return output
  }
})

/** Layer that calls tools given as code. */
export const layerFrom = (tools: Tools): Layer.Layer<ToolExecutor> => Layer.succeed(ToolExecutor, fromTools(tools))

/** The reason for an answer that a record does not contain. */
export const notRecorded: ToolAnswer & { readonly _tag: "Unknown" } = {
  _tag: "Unknown",
  reason: Finding.make("answer.not_recorded", {})
}

/** Tells whether an answer says that the record contains none. */
export const isNotRecorded = (answer: ToolAnswer): boolean =>
  answer._tag === "Unknown" && Finding.isFinding(answer.reason) && answer.reason.code === "answer.not_recorded"

/** Runs code of a tool within its time. `missing` is the answer if there is no such code. */
type Asks = (
  request: ToolRequest,
  run: ((context: ToolContext) => Promise<Given> | Given) | undefined,
  missing: Finding.Any,
  kind?: "call" | "question"
) => Effect.Effect<ToolAnswer>

/** Stands for the answer of no code where there always is code, and never occurs. */
const notAsked = Finding.make("answer.not_asked", {})

/** Without code, nothing is sent. Whether the request was sent before stays unknown. */
const unbound = ({ resent, tool }: ToolRequest): ToolAnswer =>
  resent === true
    ? { _tag: "Unknown", reason: Finding.make("answer.unbound", { tool }) }
    : { _tag: "Error", error: { code: "unbound", tool } }

/**
 * A tool that opened no transaction has done nothing. A transaction that opens too late is aborted as soon as it
 * does.
 */
const opening = (request: ToolRequest, open: Tool["open"], ask: Asks): Effect.Effect<Opened> => {
  if (open === undefined) return Effect.succeed({ answer: unbound(request), transaction: undefined })
  return Effect.suspend(() => {
    let opened: LocalTransaction | undefined
    let isOver = false
    const run = async (context: ToolContext): Promise<Json> => {
      const transaction = await open(request.params as never, context)
      if (isOver) await transaction.rollback()
      else opened = transaction
      return transaction.output
    }
    return Effect.map(
      Effect.onExit(ask(request, run, notAsked, "call"), () =>
        Effect.sync(() => {
          isOver = true
        })
      ),
      (answer): Opened => {
        const transaction = opened
        if (transaction === undefined) return { answer, transaction }
        const conclude = (how: "commit" | "roll_back") =>
          ask(
            request,
            async () => {
              await (how === "commit" ? transaction.commit() : transaction.rollback())
              return null
            },
            notAsked
          )
        return { answer, transaction: { read: ask(request, transaction.read, notAsked), conclude } }
      }
    )
  })
}

/** Values that user code may return. */
type Given = Json | Accepted | Reading | Replayed | undefined

const isPromise = (output: unknown): output is Promise<Given> =>
  typeof output === "object" && output !== null && "then" in output && typeof output.then === "function"

const answerInTime = (
  output: Promise<Given>,
  about: {
    readonly sending: SendingTime.SendingTime
    readonly awaitedMillis: number
    readonly kind: "call" | "question"
  }
): Effect.Effect<ToolAnswer> => {
  const { awaitedMillis, kind, sending } = about
  const late: ToolAnswer = { _tag: "Unknown", reason: Finding.make("answer.late", { withinMillis: awaitedMillis }) }
  const answer = Effect.callback<ToolAnswer>((resume) => {
    // A query of a library may have a `then` alone, which may throw, or answer no promise.
    Promise.resolve(output)
      .then((value) => answerOf(value, kind))
      .then(
        (answer) => resume(Effect.succeed(answer)),
        (cause) => resume(Effect.succeed(sending.isOver() && !isRefusal(cause) ? late : failureOf(cause)))
      )
    return Effect.sync(sending.end)
  })
  return Effect.raceFirst(answer, Effect.as(sending.wait(awaitedMillis), late))
}

const answerOf = (output: Given, kind: "call" | "question"): ToolAnswer => {
  // The special values of a status answer have no meaning in the answer of a call.
  if (kind === "call") {
    if (isTagged<Accepted>(output, "Accepted"))
      return { _tag: "Accepted", output: withinSize(toTraceJson(output.output)) }
    return isTagged<Replayed>(output, "Replayed")
      ? { _tag: "Ok", output: withinSize(toTraceJson(output.output)), replayed: true }
      : { _tag: "Ok", output: withinSize(toTraceJson(output)) }
  }
  if (output === undefined) return { _tag: "NotFound" }
  if (isTagged<Accepted>(output, "Accepted")) return { _tag: "Pending" }
  if (isTagged<Reading>(output, "Reading")) return readingOf(output)
  return output === "pending" ? { _tag: "Pending" } : { _tag: "Ok", output: withinSize(toTraceJson(output)) }
}

/** Turns a reading into an answer. A reading with an unknown origin may come from a replica, and proves nothing. */
const readingOf = ({ from, output }: Reading): ToolAnswer =>
  Readback.origins.includes(from)
    ? { _tag: "Ok", output: withinSize(toTraceJson(output)), from }
    : {
        _tag: "Unknown",
        reason: Finding.make("answer.no_origin", { origin: shortened(String(from)) })
      }

/** Turns a thrown value into an answer. The value may even throw when it is read. */
const failureOf = (cause: unknown): ToolAnswer => {
  try {
    if (Branded.isError(cause, Unrecordable)) return { _tag: "Unknown", reason: cause.finding }
    return isRefusal(cause)
      ? { _tag: "Error", error: detailOf(cause) }
      : { _tag: "Unknown", reason: shortened(cause instanceof Error ? describe(cause) : String(cause)) }
  } catch {
    return { _tag: "Unknown", reason: Finding.make("answer.unreadable", {}) }
  }
}

/** A refusal stays a refusal even if its reason cannot be kept. */
const detailOf = (cause: ToolRefused): Json => {
  try {
    return detailWithinSize(toTraceJson(cause.detail))
  } catch {
    return Finding.make("refusal.unreadable", {})
  }
}

/** Recognises it by its tag: in bundled code, the agent's class and the class of this package may be two. */
const isRefusal = (cause: unknown): cause is ToolRefused =>
  cause instanceof Error && "_tag" in cause && cause._tag === "ToolRefused" && "detail" in cause

/** Recognises it by its tag, too. Plain data are never taken for an answer of another kind, whatever their fields. */
const isTagged = <A extends Accepted | Reading | Replayed>(output: unknown, tag: A["_tag"]): output is A =>
  typeof output === "object" &&
  output !== null &&
  Object.getPrototypeOf(output) !== Object.prototype &&
  "_tag" in output &&
  output._tag === tag

const describe = (cause: Error): string =>
  cause.cause instanceof Error ? `${wordsOf(cause)}: ${wordsOf(cause.cause)}` : wordsOf(cause)

/** An error's message may be any value, not only text. */
const wordsOf = ({ message }: { readonly message: unknown }): string =>
  typeof message === "string" ? message : JSON.stringify(toTraceJson(message))
