/** The store of each trial: a SQLite file, or a tenant of a Postgres behind a proxy. */
import { join } from "node:path"
import * as Postgres from "../../../tooling/src/postgres.ts"
import * as Crash from "./Crash.ts"
import type { Plan } from "./Plan.ts"
import * as Proxy from "./Proxy.ts"
import type { Store } from "./Trial.ts"

/** Gives stores to trials, and closes the servers behind them. */
export interface Stores {
  readonly of: (plan: Plan, folder: string) => Promise<Store>
  readonly close: () => Promise<void>
}

/** Opens what the trials need. */
export const make = async (kind: "sqlite" | "postgres"): Promise<Stores> => {
  if (kind === "sqlite") {
    return {
      of: async (_, folder) => ({ address: join(folder, "trace.db"), tenant: "household" }),
      close: async () => undefined
    }
  }
  const given = process.env["DATABASE_URL"] ?? ""
  const server = given === "" ? await Postgres.start() : { stop: async () => undefined, url: given }
  const url = new URL(server.url)
  const proxy = await Proxy.start(Number(url.port === "" ? 5432 : url.port))
  url.hostname = "127.0.0.1"
  url.port = String(proxy.port)
  return {
    of: async ({ seed }) => ({
      address: url.href,
      cut: proxy.cut,
      // A server that somebody else has started may be on another machine, and is not ours to crash.
      outage: given === "" ? () => Crash.crash(server.url) : undefined,
      tenant: `household-${process.pid}-${seed}`
    }),
    close: async () => {
      await proxy.close()
      await server.stop()
    }
  }
}
