/**
 * A server at an address, as MCP has it for streamable HTTP: each message is posted, and answers come as JSON or as
 * events.
 *
 * @source MCP, 2025-11-25, "Transports", section "Streamable HTTP"
 */
import * as JsonRpc from "../message/JsonRpc.ts"
import * as Channel from "./Channel.ts"
import * as Events from "./events.ts"
import type * as Wire from "./Wire.ts"

/** The address of a server, and headers for each request to it. */
export interface Address {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

const protocolField = "io.modelcontextprotocol/protocolVersion"

/** Makes the function that begins a session with a server. */
export const starting =
  (address: Address): Wire.Start =>
  async () =>
    open(address)

/** Begins a session. Nothing is sent before the first message. */
export const open = ({ headers, url }: Address): Wire.Served => {
  const arriving = Channel.make<Buffer>()
  const over = new AbortController()
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  let session: string | undefined
  let version: string | undefined

  const headersFor = (message: JsonRpc.Message | undefined): Record<string, string> => {
    const own = message !== undefined && message._tag !== "Response" ? routing(message) : {}
    return {
      ...headers,
      accept: "application/json, text/event-stream",
      ...(session === undefined ? {} : { "mcp-session-id": session }),
      ...(version === undefined ? {} : { "mcp-protocol-version": version }),
      ...own
    }
  }

  const take = async (text: Buffer): Promise<JsonRpc.Message | undefined> => {
    const { message } = JsonRpc.frameOf(text)
    const negotiated = message?._tag === "Response" ? message.result?.["protocolVersion"] : undefined
    if (typeof negotiated === "string") version = negotiated
    await arriving.put(text)
    return message
  }

  const post = async (text: string, message: JsonRpc.Message | undefined): Promise<void> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headersFor(message), "content-type": "application/json" },
      body: text,
      signal: over.signal
    })
    session = response.headers.get("mcp-session-id") ?? session
    if (!response.ok)
      throw new Error(`the server answered HTTP ${response.status} ${(await response.text()).slice(0, 500)}`)
    const type = response.headers.get("content-type") ?? ""
    if (type.startsWith("application/json")) {
      await take(Buffer.from(await response.arrayBuffer()))
    } else if (type.startsWith("text/event-stream") && response.body !== null) {
      let isAnswered = false
      for await (const event of Events.read(response.body)) {
        const told = await take(event)
        if (told?._tag === "Response" && message?._tag === "Request" && told.id === message.id) isAnswered = true
      }
      if (message?._tag === "Request" && !isAnswered) throw new Error("its events ended before the answer")
    }
    if (message?._tag === "Notification" && message.method === "notifications/initialized") void stand()
  }

  /** Listens for messages that belong to no request, if the server has any. */
  const stand = async (): Promise<void> => {
    try {
      const response = await fetch(url, { headers: headersFor(undefined), signal: over.signal })
      const isStream = response.ok && (response.headers.get("content-type") ?? "").startsWith("text/event-stream")
      if (!isStream || response.body === null) return void (await response.body?.cancel())
      for await (const event of Events.read(response.body)) await take(event)
    } catch {
      // Without it, only messages are missed that no request waits for.
    }
  }

  const send: Wire.Wire["send"] = async (given) => {
    const text = given.toString()
    const { message } = JsonRpc.frameOf(text)
    const posted = post(text, message).catch(async (cause: unknown) => {
      if (over.signal.aborted || message?._tag !== "Request") return
      const error = {
        code: JsonRpc.codes.internal,
        message: problemOf(cause),
        ...(isUnsent(cause) ? { data: JsonRpc.unsent } : {})
      }
      await arriving.put(Buffer.from(JsonRpc.failure(message.id, error).text))
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
  return { arriving, send, end, ended, stop: async () => end() }
}

/** Fields of a message that a server of a stateless version routes by. */
const routing = ({ method, params }: JsonRpc.Request | JsonRpc.Notification): Record<string, string> => {
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
