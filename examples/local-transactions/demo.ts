/**
 * Four calls: one is committed, two are rolled back before anybody else could see them, and one loses its process.
 *
 * `node examples/local-transactions/demo.ts`
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Report from "@backstitch/runtime/Report"
import * as Effect from "effect/Effect"
import type { Job } from "./agentProcess.ts"
import * as Desk from "./Desk.ts"
import * as Reports from "./Reports.ts"
import * as Seats from "./Seats.ts"

const folder = mkdtempSync(join(tmpdir(), "backstitch-desk-"))
const seats = join(folder, "seats.db")
const shared = join(folder, "reports")
mkdirSync(shared)
const database = new DatabaseSync(seats)
database.exec(`pragma journal_mode = wal; ${Seats.schema}`)

let stores = 0
const storeOf = (): string => join(folder, `store-${++stores}.db`)
const seat = (): string => JSON.stringify(database.prepare("select * from seats").get())
const say = (line: string): void => console.log(line)

/** Reads the sentence that may be told about the one action of a run. */
const told = (store: string, does?: Proposal) =>
  Effect.gen(function* () {
    if (does !== undefined) yield* Desk.work(Desk.pack())
    const { actions } = yield* Report.of(Desk.run)
    return actions.map(({ say: text, standing }) => `${standing}: ${text}`).join("; ")
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Desk.layer(store, {
        tools: {
          assign_seat: Seats.sqlite(seats),
          write_report: Reports.folder(shared, { key: "-----BEGIN PRIVATE KEY-----" })
        },
        ...(does === undefined ? {} : { does })
      }),
      { local: true }
    ),
    Effect.runPromise
  )

const assigning = (holder: string, version: number): Proposal => ({
  tool: "assign_seat",
  params: { seat: "4A", holder, version }
})

try {
  say("1  Seat 4A goes to Ada. It is written in a transaction, read there, and committed.")
  say(`   ${await told(storeOf(), assigning("Ada", 7))}`)
  say(`   the table: ${seat()}`)

  say("2  A trigger spoils the next one. The contract is not met inside, and nobody ever sees it.")
  database.exec(`create trigger shout after update of holder on seats when new.holder <> upper(new.holder)
    begin update seats set holder = upper(holder) where seat = new.seat; end`)
  say(`   ${await told(storeOf(), assigning("Grace", 8))}`)
  say(`   the table: ${seat()}`)
  database.exec("drop trigger shout")

  say("3  A report would carry a key out of the house. It is written beside its place, and never gets there.")
  const leaking = { name: "week.md", template: "# Week\n{{key}}", lines: 2 }
  say(`   ${await told(storeOf(), { tool: "write_report", params: leaking })}`)
  say(`   the folder: ${JSON.stringify(readdirSync(shared))}`)

  say("4  The process is killed with its transaction open. SQLite aborts it, and whoever resumes finds that out.")
  const store = storeOf()
  const job: Job = {
    store,
    seats: { dialect: "sqlite", file: seats },
    change: { seat: "4A", holder: "Grace", version: 8 },
    death: { place: "conclude/before", nth: 1 }
  }
  const start = (job: Job) =>
    spawnSync(process.execPath, [fileURLToPath(new URL("./agentProcess.ts", import.meta.url)), JSON.stringify(job)])
  say(`   killed by ${start(job).signal}: ${await told(store)}`)
  start({ ...job, death: undefined })
  say(`   resumed: ${await told(store)}`)
  say(`   the table: ${seat()}`)
} finally {
  database.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
