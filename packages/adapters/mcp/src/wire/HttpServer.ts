/**
 * A server at an address, as MCP has it for streamable HTTP: each message is posted, and answers come as JSON or as
 * events. A stream of events that breaks is resumed after the last event that had an id.
 *
 * @source MCP, 2025-11-25, "Transports", section "Streamable HTTP"
 */
import * as Limits from "../Limits.ts"
import * as Challenge from "../message/Challenge.ts"
import * as JsonRpc from "../message/JsonRpc.ts"
import * as Channel from "./Channel.ts"
import * as Events from "./events.ts"
import type * as Wire from "./Wire.ts"

/** The address of a server, and headers for each request to it. */
export interface ServerEndpoint {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

const protocolField = "io.modelcontextprotocol/protocolVersion"

/** Makes the function that begins a session with a server. */
export const starting =
  (address: ServerEndpoint): Wire.Start =>
  async () =>
    open(address)

/** Begins a session. Nothing is sent before the first message. */
export const open = ({ headers, url }: ServerEndpoint): Wire.Served => {
  const arriving = Channel.make<Buffer | JsonRpc.Frame>()
  const over = new AbortController()
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  // A token of the operator is the only one: that of a client is for somebody else.
  const isOwn = Object.keys(headers).some((name) => name.toLowerCase() === "authorization")
  let authorization: string | undefined
  /** Secrets that a server may repeat in what is recorded: those of the operator, or the client's latest two. */
  let secrets = Object.entries(headers).flatMap(([name, value]) => (isSecret.test(name) ? secretsOf(value) : []))
  let session: string | undefined
  let version: string | undefined

  const headersFor = (message: JsonRpc.JsonRpcMessage | undefined): Record<string, string> => {
    const own = message !== undefined && message._tag !== "Response" ? routing(message) : {}
    return {
      ...(authorization === undefined ? {} : { authorization }),
      ...headers,
      accept: "application/json, text/event-stream",
      ...(session === undefined ? {} : { "mcp-session-id": session }),
      ...(version === undefined ? {} : { "mcp-protocol-version": version }),
      ...own
    }
  }

  const take = async (told: Buffer): Promise<JsonRpc.JsonRpcMessage | undefined> => {
    const text = secrets.some((secret) => told.includes(secret)) ? Buffer.from(hidden(told.toString())) : told
    const { message } = JsonRpc.frameOf(text)
    const negotiated = message?._tag === "Response" ? message.result?.["protocolVersion"] : undefined
    if (typeof negotiated === "string") version = negotiated
    await arriving.put(text)
    return message
  }

  const hidden = (text: string): string => secrets.reduce((left, secret) => left.replaceAll(secret, "[hidden]"), text)

  const post = async (text: string, message: JsonRpc.JsonRpcMessage | undefined): Promise<void> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headersFor(message), "content-type": "application/json" },
      body: text,
      signal: over.signal
    })
    session = response.headers.get("mcp-session-id") ?? session
    const challenge = Challenge.of(response)
    if (challenge !== undefined) {
      await response.body?.cancel()
      throw new Challenged(challenge)
    }
    if (!response.ok) {
      const problem = `the server answered HTTP ${response.status} ${hidden(await response.text()).slice(0, 500)}`
      throw response.status === 404 && session !== undefined ? new Expired(problem) : new Error(problem)
    }
    const type = response.headers.get("content-type") ?? ""
    if (type.startsWith("application/json")) {
      await take(Buffer.from(await response.arrayBuffer()))
    } else if (type.startsWith("text/event-stream") && response.body !== null) {
      const isAnswer = (told: JsonRpc.JsonRpcMessage | undefined) =>
        told?._tag === "Response" && message?._tag === "Request" && told.id === message.id
      const isAnswered = await follow(response.body, isAnswer)
      if (message?._tag === "Request" && !isAnswered) throw new Error("its events ended before the answer")
    }
    if (message?._tag === "Notification" && message.method === "notifications/initialized") void stand()
  }

  /** Takes the events of a stream in, and of those that continue it; `true` once one of them is the awaited answer. */
  const follow = async (
    first: ReadableStream<Uint8Array>,
    isAnswer: (told: JsonRpc.JsonRpcMessage | undefined) => boolean
  ): Promise<boolean> => {
    let stream = first
    let last: string | undefined
    let asked = 0
    let tries = 0
    for (;;) {
      try {
        for await (const { id, message, retryMillis } of Events.read(stream)) {
          last = id ?? last
          asked = retryMillis ?? asked
          if (message === undefined) continue
          tries = 0
          if (isAnswer(await take(message))) return true
        }
      } catch (cause) {
        if (last === undefined || over.signal.aborted) throw cause
      }
      if (last === undefined || last === "") return false
      const found = await resumed(last, () => Math.max(asked, Limits.pacing.resumeMillis * 2 ** tries++))
      if (found === undefined) return false
      stream = found
    }
  }

  /** Opens the stream that goes on after an event, later; `undefined` if there is none, or nobody answers. */
  const resumed = async (last: string, millis: () => number): Promise<ReadableStream<Uint8Array> | undefined> => {
    for (let tries = 0; tries < Limits.pacing.resumesMax; tries++) {
      await later(Math.min(millis(), Limits.pacing.resumeMillisMax))
      if (over.signal.aborted) return undefined
      const found = await listen({ "last-event-id": last }).catch(() => undefined)
      if (found !== undefined) return found === "none" ? undefined : found
    }
    return undefined
  }

  /** Opens a stream for messages that belong to no post; `"none"` if the server has none there. */
  const listen = async (more: Record<string, string>): Promise<ReadableStream<Uint8Array> | "none"> => {
    const response = await fetch(url, { headers: { ...headersFor(undefined), ...more }, signal: over.signal })
    const isStream = response.ok && (response.headers.get("content-type") ?? "").startsWith("text/event-stream")
    if (isStream && response.body !== null) return response.body
    await response.body?.cancel()
    if (response.status >= 500) throw new Error(`the server answered HTTP ${response.status}`)
    return "none"
  }

  /** Listens for messages that belong to no request, if the server has any. */
  const stand = async (): Promise<void> => {
    try {
      const stream = await listen({})
      if (stream !== "none") await follow(stream, () => false)
    } catch {
      // Without it, only messages are missed that no request waits for.
    }
  }

  const send: Wire.Wire["send"] = async (given) => {
    const text = given.toString()
    const { message } = JsonRpc.frameOf(text)
    const posted = post(text, message).catch(async (cause: unknown) => {
      if (over.signal.aborted) return
      if (message?._tag === "Request") {
        const error = { code: JsonRpc.codes.internal, message: problemOf(cause) }
        const challenge = cause instanceof Challenged && !isOwn ? cause.challenge : undefined
        await arriving.put({ ...JsonRpc.failure(message.id, error), isUnsent: isUnsent(cause), challenge })
      }
      if (!(cause instanceof Expired)) return
      session = undefined
      end()
    })
    // The answer to a request is not waited for, or one slow call would hold up all others.
    if (message?._tag !== "Request") await posted
  }

  const end = (): void => {
    if (over.signal.aborted) return
    if (session !== undefined) {
      void fetch(url, { method: "DELETE", headers: headersFor(undefined) }).then(
        (response) => response.body?.cancel(),
        () => {}
      )
    }
    over.abort()
    arriving.end()
    resolve("the session with the server has ended")
  }
  const authorize = (given: string | undefined): void => {
    if (given === authorization) return
    secrets = [given, authorization].flatMap((each) => (each === undefined ? [] : secretsOf(each)))
    authorization = given
  }
  return { arriving, send, end, ended, stop: async () => end(), ...(isOwn ? {} : { authorize }) }
}

/** Error for a request that a challenge answers. A gateway may give it after the server has acted. */
class Challenged extends Error {
  readonly challenge: Challenge.Challenge

  constructor(challenge: Challenge.Challenge) {
    super(`it answered HTTP ${challenge.status}, and asks for another token`)
    this.challenge = challenge
  }
}

/** Error for a session that the server does not know any more. The client is answered 404, and begins another one. */
class Expired extends Error {}

/** Names of headers whose values are kept out of the record. */
const isSecret = /auth|cookie|key|secret|token/i

/** The secrets in the value of a header, without the name of a scheme. What is shorter may be a part of any word. */
const secretsOf = (value: string): ReadonlyArray<string> => value.match(/[^\s,;]{8,}/g) ?? []

/** Fields of a message that a server of a stateless version routes by. */
const routing = ({ method, params }: JsonRpc.JsonRpcRequest | JsonRpc.Notification): Record<string, string> => {
  const meta = params["_meta"]
  const version = JsonRpc.isObject(meta) ? meta[protocolField] : undefined
  if (typeof version !== "string") return {}
  const name = params["name"] ?? params["uri"]
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof name === "string" && /^[\x21-\x7e]+$/.test(name) ? { "mcp-name": name } : {})
  }
}

const later = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis).unref())

const problemOf = (cause: unknown): string => {
  const error = cause instanceof Error ? cause : new Error(String(cause))
  const inner = error.cause instanceof Error ? `: ${error.cause.message}` : ""
  return `the server could not be asked: ${error.message}${inner}`
}

/** Tells whether no connection was made, so that nothing can have been carried out. */
const isUnsent = (cause: unknown): boolean => {
  const inner = cause instanceof Error ? cause.cause : undefined
  const code = typeof inner === "object" && inner !== null && "code" in inner ? inner.code : undefined
  return code === "ECONNREFUSED" || code === "ENOTFOUND"
}
