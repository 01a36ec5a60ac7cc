/**
 * The requests of a client from their arrival to their end: answered, cancelled, or left by the server.
 *
 * An answer, a cancellation and a report of progress find their request here. Nothing is kept of a request that is
 * over, so its id and its token can be given anew. An answer or a report that comes late finds no request, unless
 * another one was given the same id or token meanwhile: nothing else in it says to which request it belongs.
 */
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as JsonRpc from "../message/JsonRpc.ts"

/** A request that waits for its answer. */
export interface OpenRequest {
  readonly id: JsonRpc.Id
  /** The key of the token under which its progress is reported. */
  readonly progress: string | undefined
  /** Its answer comes from the judge, and not as the server gave it. */
  isJudged: boolean
  /** It was handed to the server. */
  isSent: boolean
  /** Its client waits no more. A request that is judged is open until it is decided nevertheless. */
  isCancelled: boolean
}

/** The open requests of one client. */
export interface OpenRequests {
  /** Takes a request in; `undefined` if one under its id is open. */
  readonly open: (request: JsonRpc.JsonRpcRequest) => OpenRequest | undefined
  /** Ends a request; `false` if it was over. */
  readonly close: (request: OpenRequest) => boolean
  /** Notes that the client waits no more, which ends a request that nobody judges. */
  readonly cancel: (request: OpenRequest) => void
  readonly find: (id: JsonRpc.Id) => OpenRequest | undefined
  /** The request whose progress is reported under a token, by the key of that. */
  readonly reportedUnder: (progress: string) => OpenRequest | undefined
  readonly all: () => ReadonlyArray<OpenRequest>
}

/** Makes the list of a client that has no request open. */
export const make = (): OpenRequests => {
  const byId = new Map<string, OpenRequest>()
  const byProgress = new Map<string, OpenRequest>()

  const unreport = (request: OpenRequest): void => {
    const { progress = "" } = request
    if (byProgress.get(progress) === request) byProgress.delete(progress)
  }

  const close: OpenRequests["close"] = (request) => {
    const key = JsonRpc.keyOf(request.id)
    if (byId.get(key) !== request) return false
    byId.delete(key)
    unreport(request)
    return true
  }

  return {
    open: ({ id, params }) => {
      const key = JsonRpc.keyOf(id)
      if (byId.has(key)) return undefined
      const { _meta: meta } = params
      const progress = JsonRpc.isObject(meta) ? progressOf(meta) : undefined
      const request: OpenRequest = { id, progress, isJudged: false, isSent: false, isCancelled: false }
      byId.set(key, request)
      if (progress !== undefined) byProgress.set(progress, request)
      return request
    },
    close,
    cancel: (request) => {
      request.isCancelled = true
      if (request.isJudged) unreport(request)
      else close(request)
    },
    find: (id) => byId.get(JsonRpc.keyOf(id)),
    reportedUnder: (progress) => byProgress.get(progress),
    all: () => [...byId.values()]
  }
}

/** The key of the token for reports of progress: in `_meta` of a request, and in the parameters of a report. */
export const progressOf = ({ progressToken: token }: JsonObject): string | undefined =>
  typeof token === "string" || typeof token === "number" ? JsonRpc.keyOf(token) : undefined
