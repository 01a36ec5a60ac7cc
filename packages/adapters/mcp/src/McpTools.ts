/**
 * Makes the tools of an MCP server the tools of an agent, under the contracts of its pack.
 *
 * The server is started at once, and again if it has ended: an open call is then asked about. It keeps no process
 * alive while nobody waits for an answer.
 */
import { fileURLToPath } from "node:url"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as ContractFile from "./contract/ContractFile.ts"
import * as ToolMapping from "./contract/ToolMapping.ts"
import * as ServerTools from "./proxy/ServerTools.ts"
import * as Connection from "./wire/Connection.ts"
import type * as Link from "./wire/Link.ts"
import type * as Wire from "./wire/Wire.ts"

/** Tools of a server, and how the server is ended. */
export interface Started {
  readonly tools: ToolExecutor.Tools
  readonly close: () => Promise<void>
}

/**
 * Reads a pack with the mapping beside it, and makes its tools callable. A path is relative to the current folder; a
 * module gives `new URL("./shop.yaml", import.meta.url)`.
 */
export const start = async (options: {
  readonly pack: string | URL
  readonly server: Wire.Start
}): Promise<Started> => {
  const path = options.pack instanceof URL ? fileURLToPath(options.pack) : options.pack
  const contracts = await Effect.runPromise(ContractFile.load(path))
  return of(contracts, options.server)
}

/** Makes the tools of contracts callable on a server. */
export const of = ({ mapping, pack }: ContractFile.Contracts, server: Wire.Start): Started => {
  let open: Promise<{ readonly served: Wire.Served; readonly connection: Connection.Connection }> | undefined
  let waiting = 0

  const opened = async () => {
    const served = await server()
    return { served, connection: await Connection.open(served) }
  }
  const reopened = () => {
    open = opened()
    open.then(
      ({ served }) => {
        if (waiting === 0) served.hold?.(false)
      },
      () => {
        open = undefined
      }
    )
    return open
  }
  const current = async () => {
    const found = await (open ?? reopened())
    return found.connection.isOpen() ? found : reopened()
  }

  /** The process stays while an answer is awaited, and may end otherwise. */
  const held = async <A>(work: (link: Link.Link) => Promise<A>): Promise<A> => {
    const { connection, served } = await current()
    waiting++
    served.hold?.(true)
    try {
      return await work(connection)
    } finally {
      waiting--
      if (waiting === 0) served.hold?.(false)
    }
  }

  const connect: ServerTools.Connect = async () => {
    const { connection } = await current()
    return { ...connection, ask: (...asked) => held((link) => link.ask(...asked)) }
  }

  void reopened()
  const tools = Object.keys(pack.tools).map((name) => {
    const tool = ServerTools.toolOf(name, ToolMapping.of(mapping, name), mapping, connect)
    const execute: ToolExecutor.Tool["execute"] = async (params: JsonObject, context) => {
      const problem = await ServerTools.changed(name, mapping, await connect())
      if (problem !== undefined) throw new ToolExecutor.ToolRefused(problem)
      const own = ServerTools.ownArguments(ToolMapping.of(mapping, name), params)
      return tool.execute(own as never, context)
    }
    return [name, { ...tool, execute }] as const
  })
  return {
    tools: Object.fromEntries(tools),
    close: async () => {
      await (await open?.catch(() => undefined))?.connection.close()
    }
  }
}
