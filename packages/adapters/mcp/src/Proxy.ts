/**
 * Stands between an MCP client and an MCP server, and takes every call that may change something down the commit path.
 *
 * Neither side knows of it. The client's call waits until its key and its request are durable, is sent, is read back
 * by another tool of the same server, and is answered. A call that was done before is answered from the record.
 *
 * @source docs/decisions/0059; MCP, 2025-11-25
 */

import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Lexicon from "@backstitch/runtime/Lexicon"
import * as ProcessLease from "@backstitch/runtime/ProcessLease"
import * as Run from "@backstitch/trace/Run"
import type { Next } from "@backstitch/wording/Next"
import * as Effect from "effect/Effect"
import type { Contracts } from "./contract/ContractFile.ts"
import * as DraftPack from "./contract/DraftPack.ts"
import * as Limits from "./Limits.ts"
import * as Gate from "./proxy/Gate.ts"
import type * as ServerTools from "./proxy/ServerTools.ts"
import * as Session from "./proxy/Session.ts"
import * as Connection from "./wire/Connection.ts"
import type * as Link from "./wire/Link.ts"
import * as StdioServer from "./wire/StdioServer.ts"
import type * as Wire from "./wire/Wire.ts"

/** Settings of a proxy. */
export interface Settings {
  readonly contracts: Contracts
  readonly run: Run.Run
  /** `true` if people chose the run. Otherwise another run is taken if a second process works on this one. */
  readonly isNamed: boolean
  readonly goal: string
  /** The person at the client. Without one, no call is approved there. */
  readonly approver: Gate.Approver | undefined
  /** Spells a next step for the client, for example as a command. */
  readonly spell: (step: Next) => string
  /** Says something to the operator. */
  readonly note: (says: string) => void
}

/** Connections to the server: those of clients, and one of our own where there is none. */
export interface Connections {
  readonly connect: ServerTools.Connect
  readonly add: (session: Session.Session) => void
  readonly close: () => Promise<void>
}

/** Makes the connections. `start` starts the server for a connection of our own. */
export const connections = (start: () => Promise<StdioServer.StdioServer>): Connections => {
  const sessions: Array<Session.Session> = []
  let own: Promise<{ readonly server: StdioServer.StdioServer; readonly connection: Connection.Connection }> | undefined
  const opened = async () => {
    const server = await start()
    return { server, connection: await Connection.open(server) }
  }
  const reopened = () => {
    own = opened()
    return own
  }
  return {
    connect: async () => {
      const open = sessions.findLast(({ link }) => link.isOpen())
      if (open !== undefined) return open.link
      const { connection } = await (own ?? reopened())
      return connection.isOpen() ? connection : (await reopened()).connection
    },
    add: (session) => {
      sessions.push(session)
    },
    close: async () => {
      const found = await own?.catch(() => undefined)
      if (found !== undefined) await StdioServer.stop(found.server, Limits.pacing.stopMillis)
    }
  }
}

/** The run of a pack, unless people name one: another version of the pack begins another run, of the same goal. */
export const runName = ({ digest, id }: TaskPack.TaskPack): string =>
  `${id.replace(/[^A-Za-z0-9._-]/g, "-").replace(/^[^A-Za-z0-9]+/, "")}.${digest.slice(0, 8)}`

/** The end of a conversation: the side that ended it, and the reason in words. */
export interface Ended {
  readonly run: string
  readonly by: "client" | "server"
  readonly why: string
}

/** The two sides of a conversation: a client, and the command that starts its server. */
export interface Sides {
  readonly client: Wire.Wire
  readonly command: StdioServer.Command
  readonly connections: Connections
}

/** Carries one conversation until one side ends, and settles the calls that are under way then. */
export const converse = Effect.fn("Proxy.converse")(function* (
  settings: Settings,
  { client, command, connections }: Sides
) {
  const { gate, run: opened } = yield* open(settings)
  const server = yield* Effect.tryPromise({
    try: () => StdioServer.start(command),
    catch: (cause) => cause as StdioServer.ServerUnstarted
  })
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const session = Session.make(
    { toClient: ({ text }) => client.send(text), toServer: ({ text }) => server.send(text) },
    {
      isContracted: gate.isContracted,
      stops: gate.stops,
      decide: (call) => run(gate.decide(call)),
      ready: (ready) => {
        connections.add(ready)
        void run(gate.recover)
      },
      note: settings.note
    }
  )
  const pumps = pump(session, { client, server })
  const ended = yield* Effect.promise(() => Promise.race(pumps))
  if (ended.by === "server") settings.note(`${ended.why}. Calls under way are asked about before this ends`)
  yield* Effect.promise(async () => {
    await Promise.race([session.idle(), later(Limits.pacing.drainMillis)])
    await StdioServer.stop(server, Limits.pacing.stopMillis)
    // A client that has said all may still read the answers to it.
    await pumps[1]
    client.end()
    await connections.close()
  })
  const all: Ended = { ...ended, run: opened.id }
  return all
}, Effect.scoped)

/** Starts a server, drafts contracts for the tools that it lists, and ends it. */
export const draft = Effect.fn("Proxy.draft")(function* (command: StdioServer.Command) {
  return yield* Effect.tryPromise({
    try: async () => {
      const server = await StdioServer.start(command)
      try {
        const connection = await Connection.open(server)
        return DraftPack.make(connection.server, (await connection.tools()).values())
      } finally {
        await StdioServer.stop(server, Limits.pacing.stopMillis)
      }
    },
    catch: (cause) => cause as Link.Unanswered | StdioServer.ServerUnstarted
  })
})

/** Opens the run of a proxy, which is this process's while the scope is open, and makes its gate. */
export const open = Effect.fn("Proxy.open")(function* (settings: Settings) {
  const { contracts, goal } = settings
  const coordinator = yield* Coordinator.Coordinator
  const words = yield* Lexicon.Lexicon
  const run = yield* held(settings)
  const handle = yield* coordinator.open(run, { pack: contracts.pack, goal })
  const voice = { run: run.id, words, spell: settings.spell }
  return { gate: yield* Gate.make({ ...settings, handle, voice }), run }
})

/** Takes the lease of a run. A second window of an editor, whose run nobody chose, gets a run of its own. */
const held = Effect.fnUntraced(function* ({ isNamed, run }: Settings) {
  for (let count = 1; !isNamed && count <= Limits.refusing.runsMax; count++) {
    const name = count === 1 ? run : Run.make(`${run.id}-${count}`, run.tenant)
    const taken = yield* Effect.as(ProcessLease.hold(name), name).pipe(
      Effect.catchTag("RunLeased", () => Effect.succeed(undefined))
    )
    if (taken !== undefined) return taken
  }
  yield* ProcessLease.hold(run)
  return run
})

/** Passes messages of the client until it ends, and those of the server until it ends. */
const pump = (
  session: Session.Session,
  { client, server }: { readonly client: Wire.Wire; readonly server: Wire.Wire }
): readonly [Promise<Side>, Promise<Side>] => {
  const fromClient = async (): Promise<Side> => {
    for await (const text of client.arriving) await session.fromClient(text.toString())
    return { by: "client", why: await client.ended }
  }
  const fromServer = async (): Promise<Side> => {
    let why: string
    try {
      for await (const text of server.arriving) await session.fromServer(text)
      why = await server.ended
    } catch (cause) {
      why = `the server was given up: ${cause instanceof Error ? cause.message : String(cause)}`
    }
    session.serverEnded(why)
    return { by: "server", why }
  }
  return [fromClient(), fromServer()]
}

type Side = Pick<Ended, "by" | "why">

const later = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis).unref())
