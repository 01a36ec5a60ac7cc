/** Changes a row in Postgres or in SQLite, proven by reading it from the writer. */
import { DatabaseSync, type StatementSync } from "node:sqlite"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type * as Pg from "pg"
import * as Proven from "./Proven.ts"

/** A change of a seat's holder. `version` is the version of the row when the change was planned. */
export interface Change {
  readonly seat: string
  readonly version: number
  readonly holder: string
}

/** A table that is written and read. A write answers the position of its commit. */
export interface Table {
  readonly write: (change: Change, trace: string) => Promise<number>
  /** Answers `locked` if another transaction's lock prevents the read. */
  readonly read: (seat: string) => Promise<JsonObject | undefined>
}

/** The tool. */
export const assign = (table: Table): Proven.Proven => ({
  contract: Proven.contract("database", {
    class: "low_risk_internal",
    input: { seat: "string", version: "int", holder: "string" },
    identity: ["seat", "version"],
    target: "'seat/' + args.seat",
    options: {
      wants: {
        version: "args.version",
        tenant: "'acme'",
        values: "{ 'holder': args.holder }",
        position: "observed.position",
        actor: "'agent'",
        trace: "key"
      },
      confirm: ["actor", "audited"],
      within: "300ms"
    }
  }),
  code: {
    execute: async (change: Change, { key = "" }) => ({ position: await table.write(change, key) }),
    readback: (_, { seat }: Change) => table.read(seat)
  }
})

const shape = (row: JsonObject | undefined, audit: ReadonlyArray<string>): JsonObject | undefined =>
  row && {
    version: Number(row["version"]),
    tenant: row["tenant"] ?? null,
    actor: row["actor"] ?? null,
    position: Number(row["position"]),
    values: { holder: row["holder"] ?? null },
    locked: false,
    audit
  }

/**
 * A table in Postgres; each customer has a schema. Reads use `seats` of the writer, unless another table or another
 * connection is given. The connection may be one to a standby.
 */
export const postgres = (
  writer: Pg.Client,
  options: { readonly reader?: Pg.Client; readonly from?: string; readonly isStandby?: boolean } = {}
): Table => {
  const { from = "seats", isStandby = false, reader = writer } = options
  const position = "(pg_current_wal_lsn() - '0/0')::float8"
  return {
    write: async ({ holder, seat }, trace) => {
      await writer.query("begin")
      await writer.query("update seats set holder = $2, version = version + 1, actor = 'agent' where id = $1", [
        seat,
        holder
      ])
      await writer.query("insert into audit (trace, seat) values ($1, $2)", [trace, seat])
      await writer.query("commit")
      const { rows } = await writer.query(`select ${position} as position`)
      return Number(rows[0].position)
    },
    read: async (seat) => {
      try {
        // The position of the read: of a view, that of its last refresh; of a table, that of the writer.
        const written = isStandby ? "(pg_last_wal_replay_lsn() - '0/0')::float8" : position
        const at = from === "seats" ? written : "position"
        const { rows } = await reader.query(
          `select version, holder, actor, ${at} as position, current_schema() as tenant from ${from} where id = $1
           ${from === "seats" && !isStandby ? "for share" : ""}`,
          [seat]
        )
        const audit = await reader.query("select trace from audit where seat = $1", [seat])
        return shape(
          rows[0],
          audit.rows.map(({ trace }) => String(trace))
        )
      } catch (cause) {
        if ((cause as { readonly code?: string }).code === "55P03") return { locked: true }
        throw cause
      }
    }
  }
}

/** A table in SQLite; each customer has a file. */
export const sqlite = (file: string, readFrom: string = file): Table => {
  const [writer, reader] = [new DatabaseSync(file), new DatabaseSync(readFrom)]
  const position = "(select coalesce(max(seq), 0) from audit)"
  return {
    write: async ({ holder, seat }, trace) => {
      writer.exec("begin immediate")
      writer
        .prepare("update seats set holder = ?, version = version + 1, actor = 'agent' where id = ?")
        .run(holder, seat)
      writer.prepare("insert into audit (trace, seat) values (?, ?)").run(trace, seat)
      writer.exec("commit")
      return Number(first(writer.prepare(`select ${position} as position`))?.["position"])
    },
    read: async (seat) => {
      try {
        const row = first(
          reader.prepare(
            `select version, holder, actor, tenant, ${position} as position from seats, owner where id = ?`
          ),
          seat
        )
        const audit = reader.prepare("select trace from audit where seat = ?").all(seat)
        return shape(
          row,
          audit.map(({ trace }) => String(trace))
        )
      } catch (cause) {
        if ((cause as { readonly errcode?: number }).errcode === 5) return { locked: true }
        throw cause
      }
    }
  }
}

const first = (statement: StatementSync, ...values: ReadonlyArray<string>): JsonObject | undefined =>
  statement.get(...values) as JsonObject | undefined
