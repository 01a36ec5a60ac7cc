/** Layers that keep the answers of writes in the same place as traces. */

import { type BegunWrite, layerMemory, WriteAnswers } from "@backstitch/trace/WriteAnswers"
import * as Effect from "effect/Effect"
import type { Query } from "./queries/Queries.ts"
import { at, type Statements } from "./queries/Statements.ts"
import { fromBytes, fromName, toBytes, toName } from "./queries/Tables.ts"
import * as StoreLayers from "./StoreLayers.ts"

interface Row {
  readonly digest: Uint8Array
  readonly until: number
  readonly status: number | null
  readonly body: string | null
}

/** Keeps answers with the statements of a database. */
export const over = (statements: Statements): WriteAnswers["Service"] => {
  const { dialect } = statements
  const value = (place: number): string => at(dialect, place)
  const begin: Query<Pick<Row, "until">> = {
    name: "answer-begin",
    sql:
      `insert into write_answer (tenant, name, digest, until) values (${[1, 2, 3, 4].map(value).join(", ")}) ` +
      `on conflict (tenant, name) do update set digest = excluded.digest, until = excluded.until, ` +
      `status = null, body = null where write_answer.until <= ${value(5)} returning until`
  }
  const find: Query<Row> = {
    name: "answer-find",
    sql: `select digest, until, status, body from write_answer where tenant = ${value(1)} and name = ${value(2)}`
  }
  const finish: Query<never> = {
    name: "answer-finish",
    sql:
      `update write_answer set status = ${value(4)}, body = ${value(5)}, until = ${value(6)} ` +
      `where tenant = ${value(1)} and name = ${value(2)} and digest = ${value(3)} and status is null`
  }
  const forget: Query<never> = {
    name: "answer-forget",
    sql:
      `delete from write_answer ` +
      `where tenant = ${value(1)} and name = ${value(2)} and digest = ${value(3)} and status is null`
  }
  const expire: Query<Pick<Row, "until">> = {
    name: "answers-expire",
    sql:
      `delete from write_answer where (tenant, name) in ` +
      `(select tenant, name from write_answer where until <= ${value(1)} order by until limit ${value(2)}) ` +
      `and until <= ${value(1)} returning until`
  }
  return WriteAnswers.of({
    begin: Effect.fnUntraced(function* ({ digest, name, tenant }, { now, until }) {
      for (;;) {
        const begun = yield* statements.all(begin, [tenant, toName(name), toBytes(digest), until, now])
        if (begun.length > 0) return undefined
        const [row] = yield* statements.all(find, [tenant, toName(name)])
        // Without a row, the name was freed in between.
        if (row !== undefined) return toBegun(row)
      }
    }),
    finish: ({ digest, name, tenant }, { body, status }, until) =>
      Effect.asVoid(statements.all(finish, [tenant, toName(name), toBytes(digest), status, toName(body), until])),
    forget: ({ digest, name, tenant }) =>
      Effect.asVoid(statements.all(forget, [tenant, toName(name), toBytes(digest)])),
    expire: (now, limit) => Effect.map(statements.all(expire, [now, limit]), (rows) => rows.length)
  })
}

const layers = StoreLayers.make(WriteAnswers, layerMemory, StoreLayers.overStatements("answers", over))

/** Keeps answers in one SQLite file. */
export const layerSqlite = layers.sqlite

/** Keeps answers in a schema of a Postgres database. The driver is loaded when the layer is built. */
export const layerPostgres = layers.postgres

/** Chooses a layer by an address, as `StorePlace` reads it. */
export const layerFromAddress = layers.fromAddress

const toBegun = ({ body, digest, status, until }: Row): BegunWrite => ({
  digest: fromBytes(digest),
  until,
  answer: status === null || body === null ? null : { status, body: fromName(body) }
})
