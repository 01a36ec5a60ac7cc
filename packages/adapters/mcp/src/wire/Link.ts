/**
 * Questions of this package to a server, among the messages that others exchange with it, and the list of its tools.
 *
 * The ids of questions begin with a mark that no client uses. A question is given up after its time; its answer is
 * then recognised as late, and is given to whoever has said that it still counts.
 */
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Limits from "../Limits.ts"
import type { Challenge } from "../message/Challenge.ts"
import * as JsonRpc from "../message/JsonRpc.ts"

/** Error for a question that was not answered, so that nothing follows from it. */
export class Unanswered extends Error {
  readonly _tag = "Unanswered"
  /** The challenge because of which it was not: with another token it may be. */
  readonly challenge: Challenge | undefined

  constructor(message: string, challenge?: Challenge) {
    super(message)
    this.challenge = challenge
  }
}

/** The challenge because of which a question was not answered; `undefined` for any other error. */
export const challengeOf = (cause: unknown): Challenge | undefined =>
  cause instanceof Error && "challenge" in cause ? (cause as Unanswered).challenge : undefined

/** Error for a request that never left, because the server had ended before. */
class Unsent extends Error {}

/** Tells whether an error says that a request never left. */
export const isUnsent = (cause: unknown): cause is Error => cause instanceof Unsent

/** Options of a question. */
export interface Asking {
  readonly signal?: AbortSignal | undefined
  /** The id of the question, if a client gave it. */
  readonly id?: JsonRpc.Id | undefined
  readonly timeoutMillis?: number | undefined
  /** Takes in an answer that comes after its time. */
  readonly late?: ((frame: JsonRpc.Frame) => void) | undefined
}

/** A connection to a server on which questions are asked. */
export interface Link {
  /** Sends a request and answers the response to it. */
  readonly ask: (method: string, params: JsonObject, asking?: Asking) => Promise<JsonRpc.Frame>
  /** The tools that the server lists, by name. */
  readonly tools: () => Promise<ReadonlyMap<string, JsonObject>>
  readonly isOpen: () => boolean
}

/** A link, and what its owner tells it. */
export interface OwnedLink extends Link {
  /** Takes an answer in; `false` if it answers no question of this link. */
  readonly answered: (frame: JsonRpc.Frame) => boolean
  /** Tells whether an answer to a question under this id was given up, and may still come. */
  readonly isAbandoned: (id: JsonRpc.Id) => boolean
  /** Says that the list of tools has changed. */
  readonly listChanged: () => void
  /** Says that no answer will come any more. */
  readonly closed: (why: string) => void
}

interface Waiting {
  readonly answer: (frame: JsonRpc.Frame) => void
  readonly fail: (error: Error) => void
}

/**
 * Makes a link that sends by a function. `meta` are the fields that the protocol of the session wants in `_meta` of
 * each request.
 */
export const make = (
  send: (frame: JsonRpc.Frame) => Promise<void>,
  meta: () => JsonObject,
  late: (id: JsonRpc.Id) => void
): OwnedLink => {
  const waiting = new Map<string, Waiting>()
  const abandoned = new Map<string, Asking["late"]>()
  const mark = `backstitch-${crypto.randomUUID()}`
  let count = 0
  let gone: string | undefined
  let listing: Promise<ReadonlyMap<string, JsonObject>> | undefined

  const giveUp = (key: string, hear: Asking["late"]): void => {
    waiting.delete(key)
    abandoned.set(key, hear)
    if (abandoned.size > Limits.pacing.abandonedMax) abandoned.delete(abandoned.keys().next().value as string)
  }

  const ask: Link["ask"] = (method, params, asking = {}) => {
    const { id = `${mark}-${++count}`, signal, timeoutMillis } = asking
    if (gone !== undefined) return Promise.reject(new Unsent(gone))
    if (signal?.aborted === true) return Promise.reject(new Unsent("nobody waits for the answer any more"))
    const key = JsonRpc.keyOf(id)
    return new Promise<JsonRpc.Frame>((resolve, reject) => {
      const timer =
        timeoutMillis === undefined
          ? undefined
          : setTimeout(() => stop(`no answer to ${method} came within ${timeoutMillis} ms`), timeoutMillis)
      const onAbort = () => stop("its time is over")
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener("abort", onAbort)
        waiting.delete(key)
      }
      const stop = (why: string) => {
        settle()
        giveUp(key, asking.late)
        reject(new Unanswered(why))
      }
      signal?.addEventListener("abort", onAbort)
      waiting.set(key, {
        answer: (frame) => {
          settle()
          resolve(frame)
        },
        fail: (error) => {
          settle()
          reject(error)
        }
      })
      const whole = withMeta(params, meta())
      send(JsonRpc.request(id, method, whole)).catch((cause: unknown) => {
        settle()
        reject(new Unanswered(cause instanceof Error ? cause.message : String(cause)))
      })
    })
  }

  const list = async (): Promise<ReadonlyMap<string, JsonObject>> => {
    const tools = new Map<string, JsonObject>()
    let cursor: JsonObject = {}
    for (let page = 0; page < Limits.refusing.toolPagesMax; page++) {
      const asking = { timeoutMillis: Limits.pacing.questionMillis }
      const { challenge, message } = await ask("tools/list", cursor, asking)
      const { error, result } = message?._tag === "Response" ? message : { error: undefined, result: undefined }
      if (result === undefined)
        throw new Unanswered(`the server does not list its tools: ${error?.message ?? ""}`, challenge)
      const { nextCursor, tools: listed } = result
      for (const tool of Array.isArray(listed) ? listed : []) {
        if (JsonRpc.isObject(tool) && typeof tool["name"] === "string") tools.set(tool["name"], tool)
      }
      if (typeof nextCursor !== "string") return tools
      cursor = { cursor: nextCursor }
    }
    throw new Unanswered(`the server lists its tools on more than ${Limits.refusing.toolPagesMax} pages`)
  }

  return {
    ask,
    tools: () => {
      const own = listing ?? list()
      listing = own
      // A list that could not be read is asked for again.
      own.catch(() => {
        if (listing === own) listing = undefined
      })
      return own
    },
    isOpen: () => gone === undefined,
    isAbandoned: (id) => abandoned.has(JsonRpc.keyOf(id)),
    answered: (frame) => {
      const { message } = frame
      if (message?._tag !== "Response") return false
      const key = JsonRpc.keyOf(message.id)
      const asked = waiting.get(key)
      if (asked !== undefined) {
        asked.answer(frame)
        return true
      }
      if (!abandoned.has(key)) return false
      const hear = abandoned.get(key)
      abandoned.delete(key)
      late(message.id)
      hear?.(frame)
      return true
    },
    listChanged: () => {
      listing = undefined
    },
    closed: (why) => {
      gone ??= why
      for (const { fail } of [...waiting.values()]) fail(new Unanswered(why))
    }
  }
}

const withMeta = (params: JsonObject, meta: JsonObject): JsonObject =>
  Object.keys(meta).length === 0
    ? params
    : { ...params, _meta: { ...meta, ...(JsonRpc.isObject(params["_meta"]) ? params["_meta"] : {}) } }
