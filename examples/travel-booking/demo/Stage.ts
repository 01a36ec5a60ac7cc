/** A folder, a world and a command line for one performance of the demo. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import * as WorldProcess from "../world/WorldProcess.ts"
import { Cli } from "./Cli.ts"

/** A row of the world's database. */
export type Row = Readonly<Record<string, string | number | null>>

/** The rows of the world's database. */
export type Truth = Readonly<
  Record<"bookings" | "stays" | "charges" | "messages" | "keys" | "requests", ReadonlyArray<Row>>
>

/** The place of a performance: a world, a store and a command line. */
export interface Stage {
  readonly cli: Cli
  readonly store: string
  /** Tells the world to have a fault. */
  readonly arm: (fault: { readonly tool: string; readonly kind: string }) => Promise<void>
  /** Reads what really happened from the world's own database. */
  readonly truth: () => Promise<Truth>
  /** Counts the rows of a table of the world. */
  readonly count: (table: keyof Truth) => Promise<number>
  /** Changes a copy of the store, as a person with access to its file could; answers the name of the copy. */
  readonly copy: (change: (database: DatabaseSync) => void) => string
  /** Ends every process and removes every file. */
  readonly close: () => Promise<void>
}

/** Path of an agent of this example. */
export const agent = fileURLToPath(new URL("../agent.ts", import.meta.url))

/** Path of the agent that breaks a rule. */
export const violatingAgent = fileURLToPath(new URL("../violating-agent.ts", import.meta.url))

/** Sets up a stage: the world is a process with its own database. */
export const open = async (): Promise<Stage> => {
  const folder = mkdtempSync(join(tmpdir(), "backstitch-demo-"))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  const world = await WorldProcess.start({ db: join(folder, "world.db") }).catch((error: unknown) => {
    remove()
    throw error
  })
  const store = join(folder, "trace.db")
  const cli = new Cli({ WORLD_URL: world.url, BACKSTITCH_STORE: store })
  const audit = async (tables: string) => {
    const response = await fetch(`${world.url}/audit?tables=${tables}`)
    return (await response.json()) as { readonly counts: Readonly<Record<string, number>>; readonly rows: Truth }
  }
  return {
    cli,
    store,
    arm: async (fault) => {
      await fetch(`${world.url}/faults`, { method: "POST", body: JSON.stringify(fault) })
    },
    truth: async () => (await audit("bookings,stays,charges,messages,keys,requests")).rows,
    copy: (change) => {
      const file = join(folder, "copy.db")
      const original = new DatabaseSync(store, { readOnly: true })
      original.prepare("VACUUM INTO ?").run(file)
      original.close()
      const database = new DatabaseSync(file)
      change(database)
      database.close()
      return file
    },
    count: async (table) => (await audit("")).counts[table] ?? 0,
    close: async () => {
      cli.close()
      await world.kill()
      remove()
    }
  }
}
