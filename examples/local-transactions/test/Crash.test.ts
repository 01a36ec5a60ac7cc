/** The crash matrix of local transactions: real processes, real stores, SIGKILL at every place of the protocol. */

import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as ActionPage from "@backstitch/runtime/ActionPage"
import type * as FaultPoint from "@backstitch/runtime/FaultPoint"
import * as History from "@backstitch/runtime/History"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import Pg from "pg"
import type { Job } from "../agentProcess.ts"
import * as Desk from "../Desk.ts"
import * as Seats from "../Seats.ts"

const folder = mkdtempSync(join(tmpdir(), "backstitch-desk-crash-"))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))

// The process of ../agentProcess.ts, bundled for the tests.
const entry = join(process.env["BACKSTITCH_TEST_AGENTS"] ?? "", "local-transactions.js")
const change: Seats.Change = { seat: "4A", holder: "Ada", version: 7 }
const timeout = 120_000

/** Runs the agent to its end; answers the signal that killed it, or how it ended. */
const agent = async (job: Job): Promise<string> => {
  const child = spawn(process.execPath, [entry, JSON.stringify(job)], { stdio: ["ignore", "pipe", "inherit"] })
  let said = ""
  child.stdout.on("data", (chunk) => {
    said += String(chunk)
  })
  const [code, signal] = await once(child, "close")
  return signal ?? (code === 0 ? (JSON.parse(said) as { readonly ended: string }).ended : `exit code ${code}`)
}

const pageOf = (store: string) =>
  Effect.gen(function* () {
    const history = yield* History.History
    assert.deepInclude(yield* StrictReplay.of(Desk.run), { divergences: [], misfit: undefined })
    const all = yield* history.transitions(Desk.run)
    const id = all.find(({ body }) => body.action !== undefined)?.body.action?.id ?? ""
    return yield* ActionPage.of(id, { run: Desk.run, tenant: Desk.run.tenant })
  }).pipe(Effect.scoped, Effect.provide(Desk.layer(store), { local: true }), Effect.runPromise)

type Moment = readonly [place: FaultPoint.PointName, nth: number, ends: "rolled_back" | "reconciled_success"]

/** The appends are the beginning, the intent, the record before, the verdict, and the outcome. */
const moments: ReadonlyArray<Moment> = [
  ["append/committed", 2, "rolled_back"],
  ["readback/before", 1, "rolled_back"],
  ["append/committed", 3, "rolled_back"],
  ["effect/before", 1, "rolled_back"],
  ["effect/answered", 1, "rolled_back"],
  ["inside/before", 1, "rolled_back"],
  ["inside/answered", 1, "rolled_back"],
  ["append/before", 4, "rolled_back"],
  ["append/committed", 4, "rolled_back"],
  ["conclude/before", 1, "rolled_back"],
  ["conclude/answered", 1, "reconciled_success"],
  ["readback/answered", 2, "reconciled_success"],
  ["append/before", 5, "reconciled_success"],
  ["append/committed", 5, "reconciled_success"]
]

const lethal = moments.filter(([place]) => place.startsWith("conclude/") || place === "inside/before")

/** Kills the agent at a moment, and resumes the run: nothing is done twice or half, and no report is false. */
const holds = async (
  [place, nth, ends]: Moment,
  at: { readonly store: string; readonly seats: Job["seats"]; readonly outside: () => Promise<unknown> | unknown }
) => {
  const { outside, seats, store } = at
  const job: Job = { store, seats, change }
  const isDone = ends === "reconciled_success"
  const seat = isDone ? { holder: "Ada", seat: "4A", version: 8 } : { holder: "", seat: "4A", version: 7 }
  assert.strictEqual(await agent({ ...job, death: { place, nth } }), "SIGKILL")
  assert.deepStrictEqual(await outside(), seat, "what the store aborts is not there")
  await agent(job)
  const page = await pageOf(store)
  assert.strictEqual(page.states.at(-1)?.state, ends)
  assert.deepStrictEqual([page.anomalies, await outside()], [[], seat])
}

describe.concurrent("an agent that is killed while its transaction in SQLite is open", () => {
  for (const moment of moments) {
    const [place, nth, ends] = moment
    it(`at ${place} (${nth}), is ${ends} once it is resumed (L14)`, { timeout }, async () => {
      const name = `${place.replace("/", "-")}-${nth}`
      const file = join(folder, `${name}-seats.db`)
      const database = new DatabaseSync(file)
      database.exec(`pragma journal_mode = wal; ${Seats.schema}`)
      await holds(moment, {
        store: join(folder, `${name}.db`),
        seats: { dialect: "sqlite", file },
        outside: () => ({ ...database.prepare("select holder, seat, version from seats").get() })
      })
      database.close()
    })
  }
})

describe("an agent that is killed while its transaction in Postgres is open", () => {
  // Needs the server at BACKSTITCH_TEST_POSTGRES.
  const url = process.env["BACKSTITCH_TEST_POSTGRES"] ?? ""
  let admin: Pg.Pool
  beforeAll(() => {
    admin = new Pg.Pool({ connectionString: url, max: 2 })
  })
  afterAll(() => admin.end())

  for (const moment of lethal) {
    const [place, nth, ends] = moment
    it(`at ${place} (${nth}), is ${ends} once it is resumed (L14)`, { timeout }, async () => {
      const schema = `desk_crash_${process.pid}_${Date.now()}`
      const client = await admin.connect()
      await client.query(`create schema ${schema}; set search_path to ${schema}; ${Seats.schema}`)
      try {
        await holds(moment, {
          store: join(folder, `${schema}.db`),
          seats: { dialect: "postgres", url, schema },
          outside: async () => (await client.query("select holder, seat, version from seats")).rows[0]
        })
      } finally {
        await client.query(`drop schema ${schema} cascade; reset search_path`)
        client.release()
      }
    })
  }
})
