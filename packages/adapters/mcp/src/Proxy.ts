/**
 * Stands between an MCP client and an MCP server, and takes every call that may change something down the commit path.
 *
 * Neither side knows of it. The client's call waits until its key and its request are durable, is sent, is read back
 * by another tool of the same server, and is answered. A call that was done before is answered from the record.
 *
 * @source docs/decisions/0061; MCP, 2025-11-25
 */

import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Lexicon from "@backstitch/runtime/Lexicon"
import * as ProcessLease from "@backstitch/runtime/ProcessLease"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Contracts } from "./contract/ContractFile.ts"
import * as DraftPack from "./contract/DraftPack.ts"
import { misfits } from "./contract/toolFit.ts"
import * as Limits from "./Limits.ts"
import * as ClientCalls from "./proxy/ClientCalls.ts"
import * as HttpListener from "./proxy/HttpListener.ts"
import type * as NextSteps from "./proxy/nextSteps.ts"
import * as Relay from "./proxy/Relay.ts"
import type * as ServerTools from "./proxy/ServerTools.ts"
import * as Connection from "./wire/Connection.ts"
import type * as Link from "./wire/Link.ts"
import type * as StdioServer from "./wire/StdioServer.ts"
import type * as Wire from "./wire/Wire.ts"

/** Settings of a proxy. */
export interface Settings {
  readonly contracts: Contracts
  readonly run: Run.Run
  /** `true` if people chose the run. Otherwise another run is taken if a second process works on this one. */
  readonly isNamed: boolean
  readonly goal: string
  /** The person at the client. Without one, no call is approved there. */
  readonly approver: ClientCalls.Approver | undefined
  /** Spells a next step of a person as a command; `undefined` if there is none. */
  readonly spell: NextSteps.Spell
  /** Says something to the operator. */
  readonly note: (says: string) => void
}

/** Connections to the server: those of clients, and one of our own where there is none. */
export interface Connections {
  readonly connect: ServerTools.Connect
  readonly add: (session: Relay.Relay) => void
  readonly remove: (session: Relay.Relay) => void
  readonly close: () => Promise<void>
}

/** Makes the connections. `start` begins a session of our own. */
export const connections = (start: Wire.Start): Connections => {
  const sessions: Array<Relay.Relay> = []
  let own: Promise<Connection.Connection> | undefined
  const opened = async () => Connection.open(await start())
  const reopened = () => {
    own = opened()
    return own
  }
  return {
    connect: async () => {
      const open = sessions.findLast(({ link }) => link.isOpen())
      if (open !== undefined) return open.link
      const connection = await (own ?? reopened())
      return connection.isOpen() ? connection : await reopened()
    },
    add: (session) => {
      sessions.push(session)
    },
    remove: (session) => {
      const at = sessions.indexOf(session)
      if (at >= 0) sessions.splice(at, 1)
    },
    close: async () => {
      await (await own?.catch(() => undefined))?.close()
    }
  }
}

/** The run of a pack, unless people name one: another version of the pack begins another run, of the same goal. */
export const runName = ({ digest, id }: TaskPack.TaskPack): string =>
  `${id.replace(/[^A-Za-z0-9._-]/g, "-").replace(/^[^A-Za-z0-9]+/, "")}.${digest.slice(0, 8)}`

/** The end of a conversation: the side that ended it, and the reason in words. */
export interface ConversationEnd {
  readonly run: string
  readonly by: "client" | "server"
  readonly why: string
}

/** The sides of a conversation: a client, and the server with which a session is begun for it. */
export interface Sides {
  readonly client: Wire.Wire
  readonly start: Wire.Start
  readonly connections: Connections
}

/** Carries one conversation until one side ends, and settles the calls that are under way then. */
export const converse = Effect.fn("Proxy.converse")(function* (
  settings: Settings,
  { client, connections, start }: Sides
) {
  const unfit = Promise.withResolvers<MappingUnfit>()
  const { begin, flush, run } = yield* open(settings, connections, unfit.resolve)
  const server = yield* begun(start)
  const session = begin({
    toClient: ({ text }) => client.send(text),
    toServer: ({ text }) => server.send(text)
  })
  const pumps = pump(session, { client, server })
  const ended = yield* Effect.promise(() => Promise.race([...pumps, unfit.promise]))
  const isUnfit = "_tag" in ended
  if (!isUnfit && ended.by === "server") settings.note(`${ended.why}. Calls under way are asked about before this ends`)
  yield* Effect.promise(async () => {
    await closing(session, server)
    // A client that has said all may still read the answers to it.
    await pumps[1]
    client.end()
    await connections.close()
  })
  yield* flush
  if (isUnfit) return yield* ended
  const all: ConversationEnd = { ...ended, run: run.id }
  return all
}, Effect.scoped)

/** Settings of a proxy that listens. `stopped` settles once it is to end, and `listening` is told the port. */
export interface Listening extends HttpListener.ListenPlace {
  readonly start: Wire.Start
  readonly connections: Connections
  readonly listening: (port: number) => void
  readonly stopped: Promise<void>
}

/** Carries the conversations of clients over HTTP until it is stopped. All calls are recorded in one run. */
export const listen = Effect.fn("Proxy.listen")(function* (
  settings: Settings,
  { connections, listening, start, stopped, ...place }: Listening
) {
  const { begin, flush, run } = yield* open(settings, connections, ({ message }) => settings.note(message))
  const listener = yield* Effect.tryPromise({
    try: () =>
      HttpListener.listen(place, async (toClient) => {
        const server = await start()
        const session = begin({ toClient, toServer: ({ text }) => server.send(text) })
        const { authorize } = server
        return {
          session,
          ...(authorize === undefined ? {} : { authorize }),
          ended: fromServer(session, server),
          close: async () => {
            await closing(session, server)
            connections.remove(session)
          }
        }
      }),
    catch: (cause) =>
      new PortTaken({ port: place.port, problem: cause instanceof Error ? cause.message : String(cause) })
  })
  listening(listener.port)
  yield* Effect.promise(() => stopped)
  yield* Effect.promise(async () => {
    await listener.close()
    await connections.close()
  })
  yield* flush
  const all: ConversationEnd = { by: "client", run: run.id, why: "the proxy was stopped" }
  return all
}, Effect.scoped)

/** Error for a port on which nobody can listen. */
export class PortTaken extends Schema.TaggedError<PortTaken>("@backstitch/mcp/PortTaken")("PortTaken", {
  port: Schema.Number,
  problem: Schema.String
}) {
  override get message(): string {
    return `Port ${this.port} cannot be listened on: ${this.problem}. Name another one`
  }
}

/** Error for a mapping that names what the server does not have. */
export class MappingUnfit extends Schema.TaggedError<MappingUnfit>("@backstitch/mcp/MappingUnfit")("MappingUnfit", {
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The mapping does not fit the server. Correct it\n${this.problems.map((each) => `  ${each}`).join("\n")}`
  }
}

const begun = (start: Wire.Start) =>
  Effect.tryPromise({ try: start, catch: (cause) => cause as StdioServer.ServerUnstarted })

/** Begins a session with a server, drafts contracts for the tools that it lists, and ends it. */
export const draft = Effect.fn("Proxy.draft")(function* (start: Wire.Start) {
  const server = yield* begun(start)
  return yield* Effect.tryPromise({
    try: async () => {
      const connection = await Connection.open(server)
      return DraftPack.make(connection.server, (await connection.tools()).values())
    },
    catch: (cause) => cause as Link.Unanswered
  }).pipe(Effect.ensuring(Effect.promise(server.stop)))
})

/** Opens the run of a proxy, which is this process's while the scope is open. `begin` begins a session on it. */
const open = Effect.fnUntraced(function* (
  settings: Settings,
  connections: Connections,
  refuse: (unfit: MappingUnfit) => void
) {
  const { contracts, goal, note } = settings
  const coordinator = yield* Coordinator.Coordinator
  const words = yield* Lexicon.Lexicon
  const run = yield* held(settings)
  const handle = yield* coordinator.open(run, { pack: contracts.pack, goal })
  const gate = yield* ClientCalls.make({ ...settings, handle, voice: { run: run.id, words, spell: settings.spell } })
  const promised = Effect.runPromiseWith(yield* Effect.context<never>())
  const judge: Relay.Judge = {
    isContracted: gate.isContracted,
    stops: gate.stops,
    decide: (call) => promised(gate.decide(call)),
    ready: (session) => {
      connections.add(session)
      void fitted(contracts, session).then((unfit) => unfit && refuse(unfit))
      void promised(gate.recover)
    },
    note
  }
  return { begin: (ports: Relay.Ports) => Relay.make(ports, judge), flush: gate.flush, run }
})

/** Checks the mapping against the tools of a session's server. Of a server that lists none, nothing is known yet. */
const fitted = async ({ mapping }: Contracts, { link }: Relay.Relay): Promise<MappingUnfit | undefined> => {
  if (Object.keys(mapping.tools).length === 0) return undefined
  const listed = await link.tools().catch(() => undefined)
  const problems = listed === undefined ? [] : misfits(mapping, listed)
  return problems.length === 0 ? undefined : new MappingUnfit({ problems })
}

/** Ends a session with the server once its calls are settled, or their time is over. */
const closing = async (session: Relay.Relay, server: Wire.Served): Promise<void> => {
  await Promise.race([session.idle(), later(Limits.pacing.drainMillis)])
  await server.stop()
}

/** Takes the lease of a run. A second window of an editor, whose run nobody chose, gets a run of its own. */
const held = Effect.fnUntraced(function* ({ isNamed, run }: Settings) {
  for (let count = 1; !isNamed && count <= Limits.refusing.runsMax; count++) {
    const name = count === 1 ? run : Run.make(`${run.id}-${count}`, run.tenant)
    const taken = yield* Effect.as(ProcessLease.take(name), name).pipe(
      Effect.catchTag("RunLeased", () => Effect.succeed(undefined))
    )
    if (taken !== undefined) return taken
  }
  yield* ProcessLease.take(run)
  return run
})

/** Passes messages of the client until it ends, and those of the server until it ends. */
const pump = (
  session: Relay.Relay,
  { client, server }: { readonly client: Wire.Wire; readonly server: Wire.Served }
): readonly [Promise<Side>, Promise<Side>] => [fromClient(session, client), fromServer(session, server)]

const fromClient = async (session: Relay.Relay, client: Wire.Wire): Promise<Side> => {
  for await (const text of client.arriving) await session.fromClient(text.toString())
  return { by: "client", why: await client.ended }
}

const fromServer = async (session: Relay.Relay, server: Wire.Served): Promise<Side> => {
  let why: string
  try {
    for await (const arrived of server.arriving) await session.fromServer(arrived)
    why = await server.ended
  } catch (cause) {
    why = `the server was given up: ${cause instanceof Error ? cause.message : String(cause)}`
  }
  await session.serverEnded(why)
  return { by: "server", why }
}

type Side = Pick<ConversationEnd, "by" | "why">

const later = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis).unref())
