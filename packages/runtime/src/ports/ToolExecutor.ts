/**
 * Carries a decided request to a tool and brings back evidence.
 *
 * The kernel decides, this service only asks: call the tool, ask what became
 * of a key, read the system of record. What comes back is a value, whatever
 * happened: a refusal by the tool and a lost answer are different answers, not
 * different exceptions.
 */
import * as Readback from "@backstitch/contracts/Readback"
import type { Evidence } from "@backstitch/kernel/Evidence"
import * as Finding from "@backstitch/kernel/Finding"
import * as Branded from "@backstitch/trace/Branded"
import type { Json } from "@backstitch/trace/Canonical"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { detailWithinSize, shortened, withinSize } from "./evidenceSize.ts"
import { toTraceJson, Unrecordable } from "./traceJson.ts"

/** A request to a tool. `deadline` is how long an answer is awaited; a sender that is later drops its request. */
export interface Request {
  readonly tool: string
  readonly action: string
  readonly params: Json
  readonly key: string | undefined
  readonly deadlineMillis: number
  /** The tool's own answer, where one was given: a readback needs what it names. */
  readonly observed?: Json | undefined
  /** Which further source of the contract is read, where it is not the first. */
  readonly source?: string | undefined
  /** True where the action is asked about once more, before it is undone. */
  readonly again?: boolean | undefined
  /** True where the request was sent before: a refusal to send it now says nothing of that. */
  readonly resent?: boolean | undefined
}

/**
 * The answer of a tool.
 *
 * - `Ok`: the tool answered; evidence, not yet belief.
 * - `Accepted`: the tool took the request, and it is not done.
 * - `Error`: the tool refused for good, and attests that nothing happened.
 * - `NotFound`: to a question, there is nothing under that key or name.
 * - `Pending`: to a question, it is under way.
 * - `Unknown`: nobody answered in time, or the answer was lost, unreadable or too large to keep.
 */
export type Answer = Evidence

/** Facts that a tool is given as it runs. */
export interface ToolContext {
  /** Send this with the request: the system of record recognises a repetition by it. */
  readonly key: string | undefined
  readonly action: string
  readonly deadlineMillis: number
  readonly signal: AbortSignal
  /** The tool's own answer, for `readback`. */
  readonly observed: Json | undefined
}

/** Error that a tool throws to refuse for good: nothing happened and nothing will. */
export class ToolRefused extends Error {
  readonly _tag = "ToolRefused"
  readonly detail: Json

  constructor(detail: Json) {
    super(typeof detail === "string" ? detail : JSON.stringify(detail))
    this.detail = detail
  }
}

/** A reading with its origin, for a reader that knows it: one from a replica or a cache is taken as a hint. */
export class Reading {
  readonly _tag = "Reading"
  readonly output: Json
  readonly from: Readback.Origin

  constructor(output: Json, from: Readback.Origin) {
    this.output = output
    this.from = from
  }
}

/** Answer of a tool that recognised the key of a request and did nothing a second time: the answer of the first. */
export class Replayed {
  readonly _tag = "Replayed"
  readonly output: Json

  constructor(output: Json) {
    this.output = output
  }
}

/**
 * Answer of a tool that took a request and has not done it: a job that is queued, a 202 of HTTP. It is verified by the
 * contract's schedule, and is no success before.
 */
export class Accepted {
  readonly _tag = "Accepted"
  readonly output: Json

  constructor(output: Json) {
    this.output = output
  }
}

/** Reads a system of record. `undefined` means "not found", `"pending"` means "under way". */
export type Read = (context: ToolContext, params: never) => Promise<Json | Reading | undefined>

/**
 * A local transaction that is open: what was done in it, and how it is read, committed and aborted. What `read` shows
 * is what a readback would show once it is committed, and nobody else sees it before. A `commit` that throws may have
 * committed or not: the record is asked.
 */
export interface LocalTransaction {
  readonly output: Json
  readonly read: () => Promise<Json | Reading | undefined> | Json | Reading | undefined
  readonly commit: () => unknown
  readonly rollback: () => unknown
}

/**
 * A tool in code: how to call it, and how to ask about it. `undefined` from `status` or `readback` means "not found",
 * `"pending"` means "under way". `sources` reads the further sources that the contract names.
 *
 * **Details**
 *
 * `open` acts in a transaction and leaves it open, for tools whose contract says `transaction: local`. What it throws
 * has to be rolled back by it. It is never called without a verdict to follow, and never twice for one action.
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
  readonly readback?: Read | undefined
  readonly sources?: { readonly [source: string]: Read } | undefined
}

/** Tools by name. */
export interface Tools {
  readonly [name: string]: Tool
}

/** Answer of a tool that acted in a local transaction, with the transaction; without one nothing is open. */
export interface Opened {
  readonly answer: Answer
  readonly transaction:
    | {
        readonly read: Effect.Effect<Answer>
        /** `Ok` where the store said so. */
        readonly conclude: (how: "commit" | "roll_back") => Effect.Effect<Answer>
      }
    | undefined
}

/** Service that carries requests to tools. */
export class ToolExecutor extends Context.Service<
  ToolExecutor,
  {
    readonly mode: "live" | "recorded"
    /** Answers from a record, or from a world made up of one, in which everything is sealed: nothing is opened. */
    readonly isSealed?: boolean
    /** Calls the tool. */
    readonly call: (request: Request) => Effect.Effect<Answer>
    /** Asks what became of the request's key. */
    readonly status: (request: Request) => Effect.Effect<Answer>
    /** Reads the system of record. */
    readonly readback: (request: Request) => Effect.Effect<Answer>
    /** Calls the tool in a local transaction, and leaves that open. */
    readonly open?: (request: Request) => Effect.Effect<Opened>
  }
>()("@backstitch/runtime/ToolExecutor") {}

/** Makes an executor that touches the world. */
export const fromTools = (tools: Tools): ToolExecutor["Service"] => {
  const ask: Asks = (request, run, missing, kind = "question") =>
    run === undefined
      ? Effect.succeed({ _tag: "Unknown", reason: missing })
      : Effect.suspend(() => {
          const { action, deadlineMillis, key, observed } = request
          const controller = new AbortController()
          try {
            const output = run({ key, action, deadlineMillis, signal: controller.signal, observed })
            // What is there already is not waited for.
            return isPromise(output)
              ? answerInTime(output, { controller, deadlineMillis, kind })
              : Effect.succeed(answerOf(output, kind))
          } catch (cause) {
            return Effect.succeed(failureOf(cause))
          }
        })
  return {
    mode: "live",
    call: (request) => {
      const tool = tools[request.tool]
      if (tool === undefined) return Effect.succeed(unbound(request))
      return ask(request, (context) => tool.execute(request.params as never, context), never, "call")
    },
    status: (request) => {
      const status = tools[request.tool]?.status
      return ask(
        request,
        status && ((context) => status(context, request.params as never)),
        Finding.make("answer.no_question", {})
      )
    },
    readback: (request) => {
      const { params, source, tool } = request
      const read = source === undefined ? tools[tool]?.readback : tools[tool]?.sources?.[source]
      const missing = Finding.make("answer.no_readback", source === undefined ? {} : { source })
      return ask(request, read && ((context) => read(context, params as never)), missing)
    },
    open: (request) => opening(request, tools[request.tool]?.open, ask)
  }
}

/** Makes a tool of one that acts in a local transaction. Where a contract does not hold it open, it commits at once. */
export const transactional = (tool: Omit<Tool, "execute"> & { readonly open: NonNullable<Tool["open"]> }): Tool => ({
  ...tool,
  execute: async (params, context) => {
    const { commit, output } = await tool.open(params, context)
    await commit()
    return output
  }
})

/** Layer that calls tools given as code. */
export const layerFrom = (tools: Tools): Layer.Layer<ToolExecutor> => Layer.succeed(ToolExecutor, fromTools(tools))

/** Reason of an answer that a record does not hold. */
export const notRecorded: Answer & { readonly _tag: "Unknown" } = {
  _tag: "Unknown",
  reason: Finding.make("answer.not_recorded", {})
}

/** Tells whether an answer says that the record holds none. */
export const isNotRecorded = (answer: Answer): boolean =>
  answer._tag === "Unknown" && Finding.isFinding(answer.reason) && answer.reason.code === "answer.not_recorded"

/** Runs code of a tool in its time; `missing` is why there is no answer where there is no such code. */
type Asks = (
  request: Request,
  run: ((context: ToolContext) => Promise<Given> | Given) | undefined,
  missing: Finding.Any,
  kind?: "call" | "question"
) => Effect.Effect<Answer>

/** Why a tool that opens transactions does not answer: it is always there. */
const never = Finding.make("answer.not_asked", {})

/** Nothing is sent where there is no code to send it. What was sent before is not known by that. */
const unbound = ({ resent, tool }: Request): Answer =>
  resent === true
    ? { _tag: "Unknown", reason: Finding.make("answer.unbound", { tool }) }
    : { _tag: "Error", error: { code: "unbound", tool } }

/** A tool that opens nothing has done nothing. What opens too late is aborted when it does. */
const opening = (request: Request, open: Tool["open"], ask: Asks): Effect.Effect<Opened> => {
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
      Effect.onExit(ask(request, run, never, "call"), () =>
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
            never
          )
        return { answer, transaction: { read: ask(request, transaction.read, never), conclude } }
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
    readonly controller: AbortController
    readonly deadlineMillis: number
    readonly kind: "call" | "question"
  }
): Effect.Effect<Answer> => {
  const { controller, deadlineMillis, kind } = about
  return Effect.callback<Answer>((resume) => {
    output
      .then((value) => answerOf(value, kind))
      .then(
        (answer) => resume(Effect.succeed(answer)),
        (cause) => resume(Effect.succeed(failureOf(cause)))
      )
    return Effect.sync(() => controller.abort())
  }).pipe(
    Effect.timeoutOrElse({
      duration: Duration.millis(deadlineMillis),
      orElse: () =>
        Effect.succeed<Answer>({
          _tag: "Unknown",
          reason: Finding.make("answer.late", { withinMillis: deadlineMillis })
        })
    })
  )
}

const answerOf = (output: Given, kind: "call" | "question"): Answer => {
  // The words of a question mean nothing in the answer of a call.
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

/** Turns a reading into an answer. One whose origin no contract knows may come from a replica, and proves nothing. */
const readingOf = ({ from, output }: Reading): Answer =>
  Readback.origins.includes(from)
    ? { _tag: "Ok", output: withinSize(toTraceJson(output)), from }
    : {
        _tag: "Unknown",
        reason: Finding.make("answer.no_origin", { origin: shortened(String(from)) })
      }

/** Turns a thrown value into an answer; code of others may throw a value that cannot even be read. */
const failureOf = (cause: unknown): Answer => {
  try {
    if (Branded.isError(cause, Unrecordable)) return { _tag: "Unknown", reason: cause.finding }
    return isRefusal(cause)
      ? { _tag: "Error", error: detailOf(cause) }
      : { _tag: "Unknown", reason: shortened(cause instanceof Error ? describe(cause) : String(cause)) }
  } catch {
    return { _tag: "Unknown", reason: Finding.make("answer.unreadable", {}) }
  }
}

/** A refusal stays one, although its reason cannot be kept. */
const detailOf = (cause: ToolRefused): Json => {
  try {
    return detailWithinSize(toTraceJson(cause.detail))
  } catch {
    return Finding.make("refusal.unreadable", {})
  }
}

/** By its tag: where code is bundled, an agent's class and ours are two. */
const isRefusal = (cause: unknown): cause is ToolRefused =>
  cause instanceof Error && "_tag" in cause && cause._tag === "ToolRefused" && "detail" in cause

/** By its tag, as well; what is plain data is nothing but data, whatever it is called. */
const isTagged = <A extends Accepted | Reading | Replayed>(output: unknown, tag: A["_tag"]): output is A =>
  typeof output === "object" &&
  output !== null &&
  Object.getPrototypeOf(output) !== Object.prototype &&
  "_tag" in output &&
  output._tag === tag

const describe = (cause: Error): string =>
  cause.cause instanceof Error ? `${wordsOf(cause)}: ${wordsOf(cause.cause)}` : wordsOf(cause)

/** A message is what somebody wrote into it, and not always text. */
const wordsOf = ({ message }: { readonly message: unknown }): string =>
  typeof message === "string" ? message : JSON.stringify(toTraceJson(message))
