/**
 * An agent that assigns a seat as a process of its own, and kills itself with SIGKILL at a place of the commit path.
 */
import { writeSync } from "node:fs"
import * as Module from "node:module"
import * as FaultPoint from "@backstitch/runtime/FaultPoint"
import * as Effect from "effect/Effect"
import Pg from "pg"
import * as Desk from "./Desk.ts"
import * as Seats from "./Seats.ts"

/**
 * The job of the process: the files of its store and of the seats, its task, and the place at which it dies, with the
 * number of times that the place is reached before.
 */
export interface Job {
  readonly store: string
  readonly seats:
    | { readonly dialect: "sqlite"; readonly file: string }
    | { readonly dialect: "postgres"; readonly url: string; readonly schema: string }
  readonly change: Seats.Change
  readonly death?: { readonly place: FaultPoint.PointName; readonly nth: number } | undefined
}

/** Short, so that no test waits long, but long enough for a process on a busy machine. */
const times = { sendWithin: "4s", settleAfter: "500ms" }

// A killed process cannot write its compile cache when it ends, so the next process would compile everything again.
Module.flushCompileCache()

const { change, death, seats, store }: Job = JSON.parse(process.argv[2] ?? "")
const pool =
  seats.dialect === "sqlite"
    ? undefined
    : new Pg.Pool({ connectionString: seats.url, options: `-c search_path=${seats.schema}`, max: 2 })
const tool = seats.dialect === "sqlite" ? Seats.sqlite(seats.file) : Seats.postgres(pool!)
let reached = 0
const reach = (place: FaultPoint.PointName) =>
  Effect.suspend(() => {
    if (place !== death?.place || ++reached < death.nth) return Effect.void
    process.kill(process.pid, "SIGKILL")
    return Effect.never
  })

const does = { tool: "assign_seat", params: { ...change } }
const outcome = await Desk.work(Desk.pack(times)).pipe(
  Effect.scoped,
  Effect.provide(Desk.layer(store, { tools: { assign_seat: tool }, does }), { local: true }),
  Effect.provideService(FaultPoint.FaultPoint, reach),
  Effect.runPromise
)
await pool?.end()
writeSync(1, `${JSON.stringify({ ended: outcome?._tag ?? "Done" })}\n`)
