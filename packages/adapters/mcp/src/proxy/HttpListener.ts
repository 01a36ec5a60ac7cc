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
import * as JsonRpc from "../message/JsonRpc.ts"
import * as Events from "../wire/events.ts"
import type { Ports, Session } from "./Session.ts"

/** A session with the server, for one client. */
export interface Conversation {
  readonly session: Session
  /** Settles once the server has ended, and with it the session. */
  readonly ended: Promise<unknown>
  readonly close: () => Promise<void>
}

/** Begins a session with the server. What it says for the client is given to `toClient`. */
export type Begin = (toClient: Ports["toClient"]) => Promise<Conversation>

/** A listener that was started. */
export interface Listener {
  readonly port: number
  /** Ends all sessions, once the calls that are under way are settled. */
  readonly close: () => Promise<void>
}

/** An open answer to a post, and the requests that it still has to answer. */
interface Open {
  readonly ids: Set<string>
  readonly response: Http.ServerResponse
}

interface Client extends Conversation {
  readonly open: Map<string, Open>
  readonly waiting: Array<JsonRpc.Frame>
  standing: Http.ServerResponse | undefined
  latest: Open | undefined
}

/** The place of the endpoint. */
export interface Place {
  /** A port of this machine; 0 for any. */
  readonly port: number
  /** Origins whose pages may speak to the endpoint, besides its own. */
  readonly origins: ReadonlyArray<string>
}

/** The path of the endpoint. */
export const path = "/mcp"

/** Listens for clients at a place. */
export const listen = async ({ origins, port }: Place, begin: Begin): Promise<Listener> => {
  const clients = new Map<string, Promise<Client>>()

  const beginning = async (): Promise<Client> => {
    const client: Omit<Client, keyof Conversation> = {
      open: new Map(),
      waiting: [],
      standing: undefined,
      latest: undefined
    }
    const toClient: Ports["toClient"] = (frame, about) => deliver(client as Client, frame, about)
    return Object.assign(client, await begin(toClient))
  }

  /** Ends a session: a client that names it again is told that there is none, and begins another one. */
  const over = async (id: string, client: Client): Promise<void> => {
    if (!clients.delete(id)) return
    client.standing?.end()
    await client.close()
  }

  const posted = async (request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> => {
    if (!/^application\/json *(;|$)/i.test(request.headers["content-type"] ?? "")) {
      return refuse(response, 415, "The message has to be application/json")
    }
    const text = await bodyOf(request)
    if (text === undefined) return refuse(response, 413, "The message is too large")
    const arrived = JsonRpc.arrived(text)
    const misread = arrived.find((each) => "problem" in each)
    if (misread !== undefined && "problem" in misread) return refuse(response, 400, misread.problem, misread)
    const messages = arrived.flatMap((each) => ("message" in each ? [each.message] : []))
    const requests = messages.filter((each) => each._tag === "Request")
    const named = request.headers["mcp-session-id"]
    const isFirst = requests.some(({ method }) => method === "initialize")
    if (typeof named === "string" && !clients.has(named)) return refuse(response, 404, "There is no such session")
    if (clients.size >= Limits.refusing.sessionsMax && isFirst)
      return refuse(response, 503, "Too many sessions are open")
    // A request without a session is answered by a session for itself, as the stateless versions have it.
    const id = typeof named === "string" ? named : crypto.randomUUID()
    const found = clients.get(id) ?? beginning()
    if (isFirst) clients.set(id, found)
    const client = await found.catch((cause: unknown) => cause as Error)
    if (client instanceof Error) {
      clients.delete(id)
      return refuse(response, 502, client.message)
    }
    const keys = requests.map((each) => JsonRpc.keyOf(each.id))
    const doubled = requests.find((_, at) => client.open.has(keys[at]!) || keys.indexOf(keys[at]!) < at)
    if (doubled !== undefined) {
      return refuse(response, 400, "A request under this id is under way", {
        id: doubled.id,
        code: JsonRpc.codes.invalid
      })
    }
    if (isFirst && typeof named !== "string") void client.ended.then(() => over(id, client))
    if (requests.length === 0) {
      await client.session.fromClient(text)
      response.writeHead(202).end()
    } else {
      const open = { ids: new Set(keys), response }
      for (const key of open.ids) client.open.set(key, open)
      client.latest = open
      response.writeHead(200, { ...streamed, ...(isFirst ? { "mcp-session-id": id } : {}) }).flushHeaders()
      await client.session.fromClient(text)
    }
    if (typeof named === "string" || isFirst) return
    if (!response.writableFinished) await Promise.race([once(response, "finish"), once(response, "close")])
    await client.close()
  }

  const stood = async (request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> => {
    const client = await clients.get(String(request.headers["mcp-session-id"]))
    if (client === undefined) return refuse(response, 404, "There is no such session")
    client.standing?.end()
    client.standing = response
    response.writeHead(200, streamed).flushHeaders()
    response.once("close", () => {
      if (client.standing === response) client.standing = undefined
    })
    for (const frame of client.waiting.splice(0)) await write(response, frame)
  }

  const deleted = async (request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> => {
    const id = String(request.headers["mcp-session-id"])
    const client = await clients.get(id)
    if (client === undefined) return refuse(response, 404, "There is no such session")
    response.writeHead(204).end()
    await over(id, client)
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
    if (request.url?.split("?", 1)[0] !== path) return refuse(response, 404, `The endpoint is ${path}`)
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
      for (const client of clients.values()) {
        const found = await client.catch(() => undefined)
        await found?.close()
        found?.standing?.end()
      }
      server.closeAllConnections()
    }
  }
}

/** Lets a page of an origin that may speak to the endpoint read its answers. */
const share = (response: Http.ServerResponse, origin: string): void => {
  response.setHeader("access-control-allow-origin", origin)
  response.setHeader("access-control-expose-headers", "mcp-session-id")
  response.setHeader("vary", "origin")
}

const permitted = {
  "access-control-allow-methods": "POST, GET, DELETE",
  "access-control-allow-headers": "accept, content-type, last-event-id, mcp-protocol-version, mcp-session-id"
} as const

const streamed = { "content-type": "text/event-stream", "cache-control": "no-store" } as const

/** Gives a message to the stream of the request that it belongs to. */
const deliver = async (client: Client, frame: JsonRpc.Frame, about: JsonRpc.Id | undefined): Promise<void> => {
  const key = about === undefined ? undefined : JsonRpc.keyOf(about)
  const own = key === undefined ? undefined : client.open.get(key)
  if (frame.message?._tag !== "Response") {
    const response = own?.response ?? client.standing ?? client.latest?.response
    if (response?.writable === true) return write(response, frame)
    if (client.waiting.length < Limits.refusing.waitingMessagesMax) client.waiting.push(frame)
    return
  }
  if (own === undefined || key === undefined) return
  client.open.delete(key)
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
