/**
 * Searches all tables of a store for rows that belong to no run, and for texts that do not match their digests.
 *
 * Both databases are asked the same questions. No question depends on a chain: `verify` proves what a run committed.
 */

import * as Digest from "@backstitch/trace/Digest"
import { type StoreFault, tables } from "@backstitch/trace/StoreFault"
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"
import type { Dialect, Query } from "./Queries.ts"
import type { Select } from "./StoreReader.ts"
import { fromBytes, tickOf, ticksPerRun } from "./Tables.ts"

/** Lists the faults in the tables of a store. */
export const faults = (dialect: Dialect, select: Select): Effect.Effect<ReadonlyArray<StoreFault>, TraceStoreError> =>
  Effect.gen(function* () {
    const ask = <Row>(name: string, sql: string, values: ReadonlyArray<unknown> = []) =>
      select<Row>("audit", { name: `audit-${name}`, sql } satisfies Query<Row>, values)
    const there = new Set((yield* ask<{ readonly name: string }>("tables", listing[dialect])).map(({ name }) => name))
    const found: Array<StoreFault> = tables
      .filter((table) => !there.has(table))
      .map((table) => ({ table, found: "absent", count: 1, example: table }))
    for (const { example, found: kind, needs, sql, table } of questions(dialect)) {
      if (!needs.every((each) => there.has(each))) continue
      const [row] = yield* ask<{ readonly count: number; readonly first: unknown }>(`${table}-${kind}`, sql)
      const count = Number(row?.count ?? 0)
      if (count > 0) found.push({ table, found: kind, count, example: example(row?.first) })
    }
    if (there.has("blob")) found.push(...(yield* altered(dialect, ask)))
    if (dialect === "sqlite") found.push(...(yield* checked(ask)))
    return found
  })

type Ask = <Row>(
  name: string,
  sql: string,
  values?: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<Row>, TraceStoreError>

const listing: Readonly<Record<Dialect, string>> = {
  sqlite: "select name from sqlite_master where type = 'table'",
  postgres: "select table_name as name from information_schema.tables where table_schema = current_schema()"
}

interface Question {
  readonly table: StoreFault["table"]
  readonly found: StoreFault["found"]
  /** Tables that the statement reads. */
  readonly needs: ReadonlyArray<string>
  /** Answers the number of rows, and the first of them. */
  readonly sql: string
  readonly example: (first: unknown) => string
}

const questions = (dialect: Dialect): ReadonlyArray<Question> => {
  const of = (table: string): string => `${table}.id / ${ticksPerRun}`
  const no = (from: string): string => `not exists (select 1 from ${from})`
  const count = (first: string): string => `select count(*) as count, min(${first}) as first from`
  const place = (id: unknown): string => `tick ${tickOf(Number(id))} of row ${Math.floor(Number(id) / ticksPerRun)}`
  const all: ReadonlyArray<Question> = [
    {
      table: "transition",
      found: "orphaned",
      needs: ["transition", "run"],
      sql: `${count("id")} transition where ${no(`run where run.id = ${of("transition")}`)}`,
      example: place
    },
    {
      table: "snapshot",
      found: "orphaned",
      needs: ["snapshot", "transition"],
      sql: `${count("id")} snapshot where ${no("transition where transition.id = snapshot.id")}`,
      example: place
    },
    {
      table: "claim",
      found: "orphaned",
      needs: ["claim", "run"],
      sql: `${count("name")} claim where ${no("run where run.id = claim.run and run.tenant = claim.tenant")}`,
      example: (name) => `the name ${JSON.stringify(name)}`
    },
    {
      table: "fingerprint",
      found: "orphaned",
      needs: ["fingerprint", "run"],
      sql: `${count("tenant")} fingerprint where ${no("run where run.tenant = fingerprint.tenant")}`,
      example: (tenant) => `that of the tenant ${JSON.stringify(tenant)}`
    },
    {
      table: "tool_identity",
      found: "orphaned",
      needs: ["tool_identity", "run"],
      sql: `${count("tool")} tool_identity where ${no("run where run.tenant = tool_identity.tenant")}`,
      example: (tool) => `that of the tool ${JSON.stringify(tool)}`
    },
    ...(["sealed_value", "recognition"] as const).map((table) => ({
      table,
      found: "orphaned" as const,
      needs: [table, "subject_key"],
      sql:
        `${count("subject_key")} ${table} where ` +
        no(`subject_key where subject_key.id = ${table}.subject_key and subject_key.tenant = ${table}.tenant`),
      example: (key: unknown) => `one under the key ${JSON.stringify(key)}`
    }))
  ]
  // On Postgres the head is the last existing transition: none can lie beyond it.
  const end = dialect === "sqlite" ? `transition.id % ${ticksPerRun} > run.tick or ` : ""
  return [
    ...all,
    {
      table: "transition",
      found: "beyond",
      needs: ["transition", "run"],
      sql:
        `${count("transition.id")} transition join run on run.id = ${of("transition")} ` +
        `where ${end}transition.id % ${ticksPerRun} <= coalesce(run.parent_tick, 0)`,
      example: place
    }
  ]
}

/** Reads every text, in pages, and digests it. */
const altered = Effect.fnUntraced(function* (dialect: Dialect, ask: Ask) {
  const [after, size] = dialect === "sqlite" ? ["?", "?"] : ["$1::bytea", "$2"]
  const sql = `select digest, text from blob where digest > ${after} order by digest limit ${size}`
  let last: Uint8Array = Buffer.alloc(0)
  let count = 0
  let example = ""
  while (true) {
    const rows = yield* ask<{ readonly digest: Uint8Array; readonly text: string }>("blobs", sql, [
      last,
      Limits.pacing.scannedRowsMax
    ])
    for (const { digest, text } of rows) {
      if (Digest.ofBytes(text) === fromBytes(digest)) continue
      if (count++ === 0) example = fromBytes(digest)
    }
    if (rows.length < Limits.pacing.scannedRowsMax) break
    last = rows[rows.length - 1]!.digest
    yield* Effect.yieldNow
  }
  const found: ReadonlyArray<StoreFault> = count === 0 ? [] : [{ table: "blob", found: "altered", count, example }]
  return found
})

/** SQLite checks its pages, and each index against its table. */
const checked = Effect.fnUntraced(function* (ask: Ask) {
  const rows = yield* ask<{ readonly integrity_check: string }>("integrity", "pragma integrity_check(10)")
  const words = rows.map((row) => row.integrity_check).filter((line) => line !== "ok")
  const found: ReadonlyArray<StoreFault> =
    words.length === 0 ? [] : [{ table: "file", found: "corrupt", count: words.length, example: words[0]! }]
  return found
})
