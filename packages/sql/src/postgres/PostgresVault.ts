/**
 * Keeps sealed values beside the traces of a schema of a Postgres database.
 *
 * Erased data are deleted and the tables are rewritten, in one transaction, so that no page of theirs contains the data
 * any more. `vacuum full` would keep deleted rows for as long as any transaction of the database is older. So the
 * tables are rewritten as for a change of a column, which keeps them for nobody: a transaction that began before, and
 * has not read the tables yet, finds them empty. The write-ahead log, its archive and backups belong to the server,
 * whose retention applies to them. Connections of one tenant may not rewrite tables, so they refuse to erase.
 *
 * @source PostgreSQL, ALTER TABLE and caveats of MVCC
 */
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import { Vault } from "@backstitch/trace/Vault"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import type { Query } from "../queries/Queries.ts"
import { toBytes } from "../queries/Tables.ts"
import * as VaultQueries from "../queries/VaultQueries.ts"
import type * as Postgres from "./Postgres.ts"
import * as PostgresStatements from "./PostgresStatements.ts"

/** Connects to a database, brings its tables up to date, and keeps sealed values in it. */
export const make = Effect.fnUntraced(function* (
  options: Postgres.Options
): Effect.fn.Return<Vault["Service"], TraceStoreError, Scope.Scope> {
  const opened = yield* PostgresStatements.open({ ...options, connectionsMax: Limits.pacing.vaultConnectionsMax })
  const { attempt, postgres } = opened
  const queries = VaultQueries.make("postgres")

  return Vault.of({
    ...VaultQueries.plain(PostgresStatements.of(opened, "vault")),
    put: (tenant, sealed) =>
      attempt("vault", () =>
        postgres.transaction(async (execute) => {
          const keys = [...new Set(sealed.map(({ key }) => key))]
          const { rows } = await execute(queries.held, [tenant, JSON.stringify(keys)])
          if (rows.length < keys.length) return false
          // Always in the same order, so that two processes that seal the same values wait for each other without a
          // deadlock.
          for (const { commitment, key, shown, text } of sealed.toSorted(byCommitment)) {
            await execute(queries.insertSealed, [tenant, toBytes(commitment), key, text, Number(shown)])
          }
          return true
        })
      ),
    recognise: (tenant, key, given) =>
      attempt("vault", () =>
        postgres.transaction(async (execute) => {
          const { rows } = await execute(queries.held, [tenant, JSON.stringify([key])])
          if (rows.length === 0) return undefined
          // One after the other: two processes that met a value at the same time would both call it new.
          await execute(queries.recognising, [`backstitch.recognition ${tenant}`])
          const values = JSON.stringify(given.map(({ value }) => value))
          const marks = VaultQueries.marked(given, (await execute(queries.recognised, [tenant, values])).rows)
          for (const { mark, value } of marks) {
            await execute(queries.insertRecognition, [tenant, key, toBytes(value), toBytes(mark)])
          }
          return marks.map(({ mark }) => mark)
        })
      ),
    erase: (tenant, keys) =>
      attempt("vault", async () => {
        if (options.tenant !== undefined)
          throw new Error("only the owner of the tables can rewrite them: erase as the owner")
        await postgres.transaction(async (execute) => {
          // A process that seals under one of the keys at the same time is awaited, or waits and then finds none.
          await execute(lock, [])
          await execute(queries.rememberKeys, [tenant, JSON.stringify(keys)])
          await execute(queries.eraseKeys, [tenant, JSON.stringify(keys)])
          await execute(queries.eraseSealed, [tenant, JSON.stringify(keys)])
          await execute(queries.eraseRecognitions, [tenant, JSON.stringify(keys)])
          for (const sql of rewriting) await execute({ name: "", sql }, [])
          await execute(queries.forgetRemains, [tenant, JSON.stringify(keys)])
        })
      })
  })
})

const lock: Query<never> = {
  name: "",
  sql: "lock table subject_key, sealed_value, recognition in access exclusive mode"
}

/** Changes a column of each table to what it is, by an expression: that rewrites the table and its indexes. */
const rewriting = [
  "alter table subject_key alter column wrapped type text using wrapped || ''",
  "alter table sealed_value alter column text type text using text || ''",
  "alter table recognition alter column mark type bytea using mark || ''::bytea"
]

const byCommitment = (left: { readonly commitment: string }, right: { readonly commitment: string }): number =>
  left.commitment < right.commitment ? -1 : 1
