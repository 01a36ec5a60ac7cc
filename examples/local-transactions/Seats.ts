/**
 * A table of seats in SQLite or in Postgres. Each change is made in a transaction that stays open until the change
 * was read.
 *
 * The tool does no more than any program would: it begins a transaction, writes, and returns functions that read,
 * commit and roll back. Before the commit no other connection sees the change, and the transaction of a process that
 * dies is rolled back.
 */
import { DatabaseSync } from "node:sqlite"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type * as Pg from "pg"

/** The arguments of the tool. `version` is the version of the row when the change was planned. */
export interface Change {
  readonly seat: string
  readonly holder: string
  readonly version: number
}

/** Creates the table, with one seat that is free. */
export const schema = `
  create table seats (seat text primary key, holder text not null, version integer not null);
  insert into seats values ('4A', '', 7);
`

const seatOf = (row: Readonly<Record<string, unknown>> | undefined): JsonObject | undefined =>
  row && { seat: String(row["seat"]), holder: String(row["holder"]), version: Number(row["version"]) }

/**
 * The tool on a SQLite file. Its journal is a write-ahead log, so that others can read while the transaction is open.
 */
export const sqlite = (file: string): ToolExecutor.Tool => {
  const look = (database: DatabaseSync, seat: string) =>
    seatOf(database.prepare("select * from seats where seat = ?").get(seat))
  return ToolExecutor.transactional({
    open: ({ holder, seat }: Change) => {
      const database = new DatabaseSync(file)
      const end = (how: "commit" | "rollback") => {
        database.exec(how)
        database.close()
      }
      try {
        database.exec("begin immediate")
      } catch (cause) {
        database.close()
        throw new ToolExecutor.ToolRefused(`the table is locked: ${String(cause)}`)
      }
      try {
        const { changes } = database
          .prepare("update seats set holder = ?, version = version + 1 where seat = ?")
          .run(holder, seat)
        return {
          output: { rows: Number(changes) },
          read: () => look(database, seat),
          commit: () => end("commit"),
          rollback: () => end("rollback")
        }
      } catch (cause) {
        end("rollback")
        throw cause
      }
    },
    readback: async (_, { seat }: Change) => {
      const database = new DatabaseSync(file, { readOnly: true })
      try {
        return look(database, seat)
      } finally {
        database.close()
      }
    }
  })
}

/** The tool on a table of Postgres. */
export const postgres = (pool: Pg.Pool): ToolExecutor.Tool => {
  const look = async (client: Pg.Pool | Pg.PoolClient, seat: string) =>
    seatOf((await client.query("select * from seats where seat = $1", [seat])).rows[0])
  return ToolExecutor.transactional({
    open: async ({ holder, seat }: Change) => {
      const client = await pool.connect()
      const end = async (how: "commit" | "rollback") => {
        try {
          await client.query(how)
          client.release()
        } catch (cause) {
          // A connection in an unknown state is not used again; the server aborts its open transaction.
          client.release(true)
          throw cause
        }
      }
      try {
        await client.query("begin")
        const change = "update seats set holder = $1, version = version + 1 where seat = $2"
        const { rowCount } = await client.query(change, [holder, seat])
        return {
          output: { rows: rowCount },
          read: () => look(client, seat),
          commit: () => end("commit"),
          rollback: () => end("rollback")
        }
      } catch (cause) {
        await end("rollback")
        throw cause
      }
    },
    readback: (_, { seat }: Change) => look(pool, seat)
  })
}
