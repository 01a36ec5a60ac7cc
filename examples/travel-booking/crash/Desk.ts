/**
 * A desk that assigns seats in a SQLite file of its own, in a transaction that stays open until the change was
 * verified.
 *
 * The next reader of the file aborts the transaction that a killed process left open. Each commit leaves one row, so
 * that a second commit would be seen.
 */
import { DatabaseSync } from "node:sqlite"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Planner from "@backstitch/runtime/Planner"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Result from "effect/Result"
import type * as TravelPack from "./TravelPack.ts"

/** A seat in the desk's file. */
export interface Seat {
  readonly seat: string
  readonly holder: string
}

/** The contract of the desk. */
export const pack = ({ readWithinMillis, sendWithinMillis, settleAfterMillis }: TravelPack.Times): TaskPack.TaskPack =>
  Result.getOrThrow(
    TaskPack.make({
      pack: "acme.desk",
      version: "1.0.0",
      state: { world: { seats: { table: { key: "seat", row: { holder: "string" } } } }, working: {} },
      tools: {
        assign: {
          class: "low_risk_internal",
          input: { seat: "string", holder: "string" },
          target: "'seat/' + args.seat",
          identity: { scope: "goal", fields: [{ seat: "code" }, { holder: "name" }] },
          times: { sendWithin: `${sendWithinMillis}ms`, settleAfter: `${settleAfterMillis}ms` },
          transaction: "local",
          readback: {
            source: "desk",
            expect: ["actual.holder == args.holder"],
            within: `${readWithinMillis}ms`
          },
          undo: "X",
          on_reconciled: [{ put: { table: "world.seats", key: "actual.seat", row: { holder: "actual.holder" } } }]
        }
      }
    })
  )

/** The steps of the agent: one seat for one traveller. */
export const steps: ReadonlyArray<Planner.ScriptStep> = [
  { id: "assign", propose: { tool: "assign", params: { seat: "4A", holder: "Ada" } } }
]

/** Tools of the desk over its file. */
export const tools = (filename: string): ToolExecutor.Tools => ({
  assign: ToolExecutor.transactional({
    open: ({ holder, seat }: Seat) => {
      const database = connect(filename)
      database.exec("begin immediate")
      database.prepare("insert into assigned (seat, holder) values (?, ?)").run(seat, holder)
      const ending = (sql: "commit" | "rollback") => () => {
        database.exec(sql)
        database.close()
      }
      return {
        output: { rows: 1 },
        read: () => find(database, seat) ?? null,
        commit: ending("commit"),
        rollback: ending("rollback")
      }
    },
    readback: async (_: ToolExecutor.ToolContext, { seat }: Seat) => {
      const database = connect(filename)
      try {
        return find(database, seat)
      } finally {
        database.close()
      }
    }
  })
})

/** Every commit of the desk, as another connection sees it. */
export const committed = (filename: string): ReadonlyArray<Seat> => {
  const database = connect(filename)
  try {
    return database.prepare("select seat, holder from assigned").all().map(toSeat)
  } finally {
    database.close()
  }
}

const connect = (filename: string): DatabaseSync => {
  const database = new DatabaseSync(filename, { timeout: 200 })
  database.exec("pragma journal_mode = wal; create table if not exists assigned (seat text, holder text)")
  return database
}

const find = (database: DatabaseSync, seat: string): { readonly seat: string; readonly holder: string } | undefined => {
  const row = database.prepare("select seat, holder from assigned where seat = ?").get(seat)
  return row && toSeat(row)
}

const toSeat = (row: Record<string, unknown>) => ({ seat: String(row["seat"]), holder: String(row["holder"]) })
