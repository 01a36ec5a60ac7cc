/**
 * Sessions of clients over HTTP, by their ids: each has a session with the server, and ends with it, by its client's
 * word, or once nobody has used it for a while.
 *
 * A client that names a session which has ended is told that there is none, and begins another one. A session is in
 * use while an answer or a stream to its client is open.
 *
 * @source MCP, 2025-11-25, "Transports", section "Session Management"
 */
import type * as Http from "node:http"
import * as Limits from "../Limits.ts"
import type { Challenge } from "../message/Challenge.ts"
import type * as JsonRpc from "../message/JsonRpc.ts"
import type * as Wire from "../wire/Wire.ts"
import type { Ports, Relay } from "./Relay.ts"

/** A session with the server, for one client. */
export interface Conversation {
  readonly session: Relay
  readonly authorize?: Wire.Served["authorize"]
  /** Settles once the server has ended, and with it the session. */
  readonly ended: Promise<unknown>
  readonly close: () => Promise<void>
}

/** Begins a session with the server. What it says for the client is given to `toClient`. */
export type Begin = (toClient: Ports["toClient"]) => Promise<Conversation>

/** An open answer to a post, and the requests that it still has to answer. */
export interface OpenPost {
  readonly ids: Set<string>
  readonly response: Http.ServerResponse
  /** Begins the stream of answers, unless it has begun. */
  readonly begin: () => void
  /** Refuses the whole post; `false` if the stream has begun. */
  readonly refuse: (challenge: Challenge, text: JsonRpc.Frame["text"]) => boolean
}

/** A session of a client. It may still be about to begin. */
export interface Client {
  /** The id by which the client names it; none for that of a single request. */
  readonly id: string | undefined
  readonly began: Promise<Conversation>
  /** Requests that are not answered yet, by their keys. */
  readonly open: Map<string, OpenPost>
  /** Messages that wait until the client listens. */
  readonly waiting: Array<JsonRpc.Frame>
  /** The stream that the client keeps open for messages that belong to no request. */
  standing: Http.ServerResponse | undefined
  latest: OpenPost | undefined
}

/** The sessions of a listener. */
export interface HttpSessions {
  /** The session that a client names; `undefined` if it has ended, or never began. */
  readonly find: (id: string) => Client | undefined
  /** Begins a session, without an id for a single request; `undefined` if too many are in use. */
  readonly begin: (id: string | undefined) => Client | undefined
  /** Says that a session is in use until a response to its client is closed. */
  readonly use: (client: Client, response: Http.ServerResponse) => void
  /** Ends a session, once the calls that are under way are settled. */
  readonly end: (client: Client) => Promise<void>
  /** Ends all sessions. */
  readonly close: () => Promise<void>
}

/** The use of a session by its client. */
interface Use {
  /** Responses to its client that are not closed. */
  users: number
  /** The time since which nobody does, in milliseconds of this process. */
  since: number
  timer: NodeJS.Timeout | undefined
  /** `true` from the moment on from which it is being ended. */
  isOver: boolean
}

/** Makes the sessions of a listener. `idleMillis` is how long one may be unused. */
export const make = (
  begin: Begin,
  deliver: (client: Client, ...message: Parameters<Ports["toClient"]>) => Promise<void>,
  idleMillis: number
): HttpSessions => {
  /** Sessions whose server is not known to have ended. */
  const all = new Map<Client, Use>()
  const byId = new Map<string, Client>()

  const end = async (client: Client): Promise<void> => {
    const use = all.get(client)
    if (use === undefined || use.isOver) return
    use.isOver = true
    if (client.id !== undefined) byId.delete(client.id)
    clearTimeout(use.timer)
    client.standing?.end()
    const conversation = await client.began.catch(() => undefined)
    await conversation?.close()
    all.delete(client)
  }

  /** Lets a session that nobody uses wait for its next user, for as long as it may. */
  const rest = (client: Client, use: Use): void => {
    clearTimeout(use.timer)
    use.since = performance.now()
    use.timer = setTimeout(() => void end(client), idleMillis)
    use.timer.unref()
  }

  /** Makes room for one more, at the cost of the session that was unused for longest. */
  const hasRoom = (): boolean => {
    if (all.size < Limits.refusing.sessionsMax) return true
    const [oldest] = [...all]
      .filter(([{ id }, { isOver, users }]) => id !== undefined && users === 0 && !isOver)
      .sort(([, one], [, other]) => one.since - other.since)
    if (oldest === undefined) return false
    void end(oldest[0])
    return true
  }

  return {
    find: (id) => byId.get(id),
    begin: (id) => {
      if (!hasRoom()) return undefined
      const { promise: began, resolve, reject } = Promise.withResolvers<Conversation>()
      const client: Client = { id, began, open: new Map(), waiting: [], standing: undefined, latest: undefined }
      all.set(client, { users: 0, since: 0, timer: undefined, isOver: false })
      if (id !== undefined) byId.set(id, client)
      begin((...message) => deliver(client, ...message)).then(resolve, reject)
      began.then(
        ({ ended }) => ended.then(() => end(client)),
        () => end(client)
      )
      return client
    },
    use: (client, response) => {
      const use = all.get(client)
      if (use === undefined) return
      // A client that has gone meanwhile leaves a session that nobody uses.
      if (response.closed) return void (use.users === 0 && rest(client, use))
      clearTimeout(use.timer)
      use.users++
      response.once("close", () => {
        use.users--
        if (use.users === 0 && client.id !== undefined && !use.isOver) rest(client, use)
      })
    },
    end,
    close: async () => {
      await Promise.all([...all.keys()].map(end))
    }
  }
}
