/**
 * Receives messages of clients over streamable HTTP, on this machine alone.
 *
 * Each session of a client has a session with the server. The answers to what is posted come as events; messages that
 * belong to no request go to the stream that the client keeps open, or to the latest request.
 *
 * @source MCP, 2025-11-25, "Transports", section "Streamable HTTP"
 */
import { once } from "node:events"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as Limits from "../Limits.ts"
import * as Challenge from "../message/Challenge.ts"
import * as JsonRpc from "../message/JsonRpc.ts"
import * as Events from "../wire/events.ts"
import * as HttpSessions from "./HttpSessions.ts"

/** A listener that was started. */
export interface Listener {
  readonly port: number
  /** Ends all sessions, once the calls that are under way are settled. */
  readonly close: () => Promise<void>
}

/** The place of the endpoint. */
export interface ListenPlace {
  /** A port of this machine; 0 for any. */
  readonly port: number
  /** Origins whose pages may speak to the endpoint, besides its own. */
  readonly origins: ReadonlyArray<string>
  /** The address at which the server describes itself as a protected resource, if clients give it tokens. */
  readonly description?: URL | undefined
  /** The time for which a session may be unused. */
  readonly idleMillis?: number | undefined
}

/** The path of the endpoint. */
export const path = "/mcp"

/** Listens for clients at a place. */
export const listen = async (
  { idleMillis = Limits.pacing.sessionIdleMillis, description, origins, port }: ListenPlace,
  begin: HttpSessions.Begin
): Promise<Listener> => {
  const sessions = HttpSessions.make(begin, deliver, idleMillis)

  const posted = async (request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> => {
    if (!/^application\/json *(;|$)/i.test(request.headers["content-type"] ?? "")) {
      return refuse(response, 415, "The message has to be application/json")
    }
    const text = await bodyOf(request)
    if (text === undefined) return refuse(response, 413, "The message is too large")
    const arrived = JsonRpc.arrived(text)
    const misread = arrived.find((each) => "problem" in each)
    if (misread !== undefined && "problem" in misread) return refuse(response, 400, misread.problem, misread)
    const requests = arrived.flatMap((each) =>
      "message" in each && each.message._tag === "Request" ? [each.message] : []
    )
    const named = request.headers["mcp-session-id"]
    const isFirst = requests.some(({ method }) => method === "initialize")
    if (named === undefined && requests.length === 0) return refuse(response, 400, "The message names no session")
    // A request without a session is answered by a session for itself, as the stateless versions have it.
    const id = named === undefined && isFirst ? crypto.randomUUID() : undefined
    const client = named === undefined ? sessions.begin(id) : sessions.find(String(named))
    if (client === undefined) {
      return named === undefined
        ? refuse(response, 503, "Too many sessions are in use")
        : refuse(response, 404, "There is no such session")
    }
    sessions.use(client, response)
    const conversation = await client.began.catch((cause: unknown) => cause as Error)
    if (conversation instanceof Error) return refuse(response, 502, conversation.message)
    const { authorization } = request.headers
    conversation.authorize?.(authorization)
    await said(client, conversation, { requests, response, text, id })
    // A session that was refused at its beginning is none: the client begins another one with its token.
    if (isFirst && response.statusCode >= 400) await sessions.end(client)
    if (named !== undefined || isFirst) return
    if (!response.writableFinished) await Promise.race([once(response, "finish"), once(response, "close")])
    await sessions.end(client)
  }

  const stood = async (request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> => {
    const client = sessions.find(String(request.headers["mcp-session-id"]))
    if (client === undefined) return refuse(response, 404, "There is no such session")
    sessions.use(client, response)
    client.standing?.end()
    client.standing = response
    response.writeHead(200, streamed).flushHeaders()
    response.once("close", () => {
      if (client.standing === response) client.standing = undefined
    })
    for (const frame of client.waiting.splice(0)) await write(response, frame)
  }

  const deleted = async (request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> => {
    const client = sessions.find(String(request.headers["mcp-session-id"]))
    if (client === undefined) return refuse(response, 404, "There is no such session")
    response.writeHead(204).end()
    await sessions.end(client)
  }

  const handlers: Readonly<Record<string, typeof posted>> = {
    POST: posted,
    GET: stood,
    DELETE: deleted,
    OPTIONS: async (_, response) => void response.writeHead(204, permitted).end()
  }
  const server = Http.createServer((request, response) => {
    if (!isLocal(request)) return refuse(response, 403, "This endpoint is for programs of this machine")
    if (!isOwn(request, origins)) return refuse(response, 403, "Pages of other origins may not speak to this endpoint")
    if (request.headers.origin !== undefined) share(response, request.headers.origin)
    const asked = request.url?.split("?", 1)[0] ?? ""
    if (
      description !== undefined &&
      (asked === Challenge.descriptionPath || asked === `${Challenge.descriptionPath}${path}`)
    ) {
      return void described(description, response).catch(() => response.destroy())
    }
    if (asked !== path) return refuse(response, 404, `The endpoint is ${path}`)
    const handler = handlers[request.method ?? ""]
    if (handler === undefined) return refuse(response, 405, "POST, GET or DELETE is expected")
    handler(request, response).catch(() => response.destroy())
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.close()
      await sessions.close()
      server.closeAllConnections()
    }
  }
}

/** The text of a stream; `undefined` if it is too large to be a description. */
const textOf = async (stream: ReadableStream<Uint8Array>): Promise<string | undefined> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Uint8Array> & ReadableStream<Uint8Array>) {
    bytes += chunk.length
    if (bytes > Limits.refusing.resourceBytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Answers the description of the server as a protected resource, as the server gives it. */
const described = async (description: URL, response: Http.ServerResponse): Promise<void> => {
  const signal = AbortSignal.timeout(Limits.pacing.questionMillis)
  const asked = { headers: { accept: "application/json" }, redirect: "error", signal } as const
  const found = await fetch(description, asked).catch(() => undefined)
  const text = found?.ok === true && found.body !== null ? await textOf(found.body) : undefined
  if (text === undefined) return refuse(response, 404, "The server does not describe itself as a protected resource")
  response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" }).end(text)
}

/** A message, or several, that a client has posted. */
interface Posted {
  readonly requests: ReadonlyArray<JsonRpc.JsonRpcRequest>
  readonly response: Http.ServerResponse
  readonly text: string
  /** The id of the session that it begins. */
  readonly id: string | undefined
}

/** Takes in what a client has posted, and keeps the response open for the answers to its requests. */
const said = async (
  client: HttpSessions.Client,
  { authorize, session }: HttpSessions.Conversation,
  { id, requests, response, text }: Posted
): Promise<void> => {
  const keys = requests.map((each) => JsonRpc.keyOf(each.id))
  const doubled = requests.find((_, at) => client.open.has(keys[at]!) || keys.indexOf(keys[at]!) < at)
  if (doubled !== undefined) {
    const about = { id: doubled.id, code: JsonRpc.codes.invalid }
    return refuse(response, 400, "A request under this id is under way", about)
  }
  if (requests.length === 0) {
    await session.fromClient(text)
    return void response.writeHead(202).end()
  }
  const begin = (): void => {
    if (response.headersSent || response.destroyed) return
    response.writeHead(200, { ...streamed, ...(id === undefined ? {} : { "mcp-session-id": id }) }).flushHeaders()
  }
  const open: HttpSessions.OpenPost = {
    ids: new Set(keys),
    response,
    begin,
    refuse: ({ authenticate, status }, says) => {
      if (response.headersSent) return false
      response.writeHead(status, { "content-type": "application/json", "www-authenticate": authenticate }).end(says)
      return true
    }
  }
  for (const key of open.ids) client.open.set(key, open)
  client.latest = open
  // The stream begins with the first message, or after a while, since a server may refuse the post as a whole.
  if (authorize === undefined) begin()
  else setTimeout(begin, Limits.pacing.challengeMillis).unref()
  await session.fromClient(text)
}

/** Lets a page of an origin that may speak to the endpoint read its answers. */
const share = (response: Http.ServerResponse, origin: string): void => {
  response.setHeader("access-control-allow-origin", origin)
  response.setHeader("access-control-expose-headers", "mcp-session-id, www-authenticate")
  response.setHeader("vary", "origin")
}

const permitted = {
  "access-control-allow-methods": "POST, GET, DELETE",
  "access-control-allow-headers":
    "accept, authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id"
} as const

const streamed = { "content-type": "text/event-stream", "cache-control": "no-store" } as const

/** Gives a message to the stream of the request that it belongs to. */
const deliver = async (
  client: HttpSessions.Client,
  frame: JsonRpc.Frame,
  about: JsonRpc.Id | undefined
): Promise<void> => {
  const key = about === undefined ? undefined : JsonRpc.keyOf(about)
  const own = key === undefined ? undefined : client.open.get(key)
  if (frame.message?._tag !== "Response") {
    const open = own ?? (client.standing === undefined ? client.latest : undefined)
    open?.begin()
    const response = open?.response ?? client.standing
    if (response?.writable === true) return write(response, frame)
    if (client.waiting.length < Limits.refusing.waitingMessagesMax) client.waiting.push(frame)
    return
  }
  if (own === undefined || key === undefined) return
  client.open.delete(key)
  const { challenge } = frame
  if (challenge !== undefined && own.refuse(challenge, frame.text)) {
    for (const each of own.ids) client.open.delete(each)
    if (client.latest === own) client.latest = undefined
    return
  }
  own.begin()
  await write(own.response, frame)
  own.ids.delete(key)
  if (own.ids.size > 0) return
  if (client.latest === own) client.latest = undefined
  own.response.end()
}

const write = async (response: Http.ServerResponse, { text }: JsonRpc.Frame): Promise<void> => {
  if (!response.writable || response.write(Events.write(text))) return
  await Promise.race([once(response, "drain"), once(response, "close")])
}

const refuse = (
  response: Http.ServerResponse,
  status: number,
  says: string,
  about?: Omit<JsonRpc.Misread, "problem">
): void => {
  const { code = JsonRpc.codes.invalid, id = null } = about ?? {}
  const { text } = JsonRpc.failure(id, { code, message: `${says}. Nothing was sent` })
  response.writeHead(status, { "content-type": "application/json" }).end(text)
}

/** Tells whether a request names this machine: a page whose host's name was rebound to it names another one. */
const isLocal = ({ headers: { host = "" } }: Http.IncomingMessage): boolean =>
  URL.canParse(`http://${host}`) && ["127.0.0.1", "[::1]", "localhost"].includes(new URL(`http://${host}`).hostname)

/** Tells whether a request comes from a program, or from a page of this endpoint or of an origin that is allowed. */
const isOwn = ({ headers: { host = "", origin } }: Http.IncomingMessage, origins: ReadonlyArray<string>): boolean =>
  origin === undefined || origin === `http://${host}` || origins.includes(origin)

const bodyOf = async (request: Http.IncomingMessage): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    // The body is read to its end, or the sender would never see the answer.
    if (bytes <= Limits.refusing.messageBytesMax) chunks.push(chunk as Buffer)
  }
  return bytes > Limits.refusing.messageBytesMax ? undefined : Buffer.concat(chunks).toString()
}
