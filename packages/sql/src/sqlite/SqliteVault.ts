/**
 * Keeps sealed values beside the traces of one SQLite file.
 *
 * Erased data are overwritten with zeros. Then the file is rewritten and its log truncated, so that no free page and
 * no earlier commit contains the data.
 *
 * @source SQLite, `pragma secure_delete`
 */
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import { Vault } from "@backstitch/trace/Vault"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { toBytes } from "../queries/Tables.ts"
import * as VaultQueries from "../queries/VaultQueries.ts"
import * as SqliteStatements from "./SqliteStatements.ts"

/** Opens a file, brings its tables up to date, and keeps sealed values in it, over a connection of its own. */
export const make = Effect.fnUntraced(function* (
  options: SqliteStatements.Options
): Effect.fn.Return<Vault["Service"], TraceStoreError, Scope.Scope> {
  const opened = yield* SqliteStatements.open(options)
  const { attempt, connection } = opened
  const queries = VaultQueries.make("sqlite")

  const transaction = <A>(body: () => A): A => {
    connection.begin()
    try {
      const answer = body()
      connection.commit()
      return answer
    } catch (cause) {
      connection.rollback()
      throw cause
    }
  }

  const pragma = (sql: string) => connection.all<{ readonly busy?: number }>({ name: "pragma", sql }, [])

  /** A reader that is under way keeps the log, which is truncated after it has ended. */
  const cutOff = () => {
    if (pragma("pragma wal_checkpoint(truncate)")[0]?.busy === 1) throw locked()
  }

  return Vault.of({
    ...VaultQueries.plain(SqliteStatements.of(opened, "vault")),
    put: (tenant, sealed) =>
      attempt("vault", () =>
        transaction(() => {
          const keys = [...new Set(sealed.map(({ key }) => key))]
          if (connection.all(queries.held, [tenant, JSON.stringify(keys)]).length < keys.length) return false
          for (const { commitment, key, shown, text } of sealed) {
            connection.run(queries.insertSealed, [tenant, toBytes(commitment), key, text, Number(shown)])
          }
          return true
        })
      ),
    recognise: (tenant, key, given) =>
      attempt("vault", () =>
        transaction(() => {
          if (connection.get(queries.held, [tenant, JSON.stringify([key])]) === undefined) return undefined
          const values = JSON.stringify(given.map(({ value }) => value))
          const marks = VaultQueries.marked(given, connection.all(queries.recognised, [tenant, values]))
          for (const { mark, value } of marks) {
            connection.run(queries.insertRecognition, [tenant, key, toBytes(value), toBytes(mark)])
          }
          return marks.map(({ mark }) => mark)
        })
      ),
    erase: (tenant, keys) =>
      attempt("vault", () => {
        pragma("pragma secure_delete = on")
        transaction(() => {
          connection.run(queries.eraseSealed, [tenant, JSON.stringify(keys)])
          connection.run(queries.eraseRecognitions, [tenant, JSON.stringify(keys)])
          connection.run(queries.rememberKeys, [tenant, JSON.stringify(keys)])
          connection.run(queries.eraseKeys, [tenant, JSON.stringify(keys)])
        })
        // Keys that another process erases meanwhile are its own to finish.
        const remaining = connection.all(queries.remaining, [tenant]).map(({ id }) => id)
        cutOff()
        connection.run({ name: "vacuum", sql: "vacuum" }, [])
        cutOff()
        connection.run(queries.forgetRemains, [tenant, JSON.stringify(remaining)])
      })
  })
})

/** The driver's error for a file that another process holds. */
const locked = (): Error => Object.assign(new Error("a reader holds the log"), { code: "ERR_SQLITE_ERROR", errcode: 5 })
