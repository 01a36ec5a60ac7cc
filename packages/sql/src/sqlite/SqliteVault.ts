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
import * as Limits from "../Limits.ts"
import * as SqlFailure from "../queries/SqlFailure.ts"
import { fromBytes, toBytes } from "../queries/Tables.ts"
import * as VaultQueries from "../queries/VaultQueries.ts"
import * as Sqlite from "./Sqlite.ts"
import type { Options } from "./SqliteTraceStore.ts"
import { waitingForLock } from "./waitingForLock.ts"

/** Opens a file, brings its tables up to date, and keeps sealed values in it, over a connection of its own. */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Vault["Service"], TraceStoreError, Scope.Scope> {
  const { filename, lockTimeoutMillis = Limits.pacing.lockWaitMillisMax } = options
  const queries = VaultQueries.make("sqlite")

  const attempt = <A>(operation: SqlFailure.Operation, body: () => A) =>
    Effect.try({ try: body, catch: (cause) => SqlFailure.make({ operation, store: filename, cause }) }).pipe(
      waitingForLock(lockTimeoutMillis)
    )

  const opened = attempt("open", () => Sqlite.openMigrated(filename))
  const connection = yield* Effect.acquireRelease(opened, (connection) => Effect.sync(connection.close))

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
    takeKey: (tenant, key) =>
      attempt("vault", () => {
        connection.run(queries.insertKey, [tenant, key.id, key.run, toBytes(key.subject), key.wrapped])
        const row = connection.get(queries.keys, [tenant, toBytes(key.subject), key.run])
        return row && VaultQueries.toKey(row)
      }),
    keys: (tenant, { run, subject }) =>
      attempt("vault", () => {
        const values = [tenant, subject === undefined ? null : toBytes(subject), run ?? null]
        return connection.all(queries.keys, values).map(VaultQueries.toKey)
      }),
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
    recognised: (tenant, values) =>
      attempt("vault", () =>
        connection.all(queries.recognised, [tenant, JSON.stringify(values)]).map(VaultQueries.toRecognition)
      ),
    sharing: (tenant, keys) =>
      attempt("vault", () => connection.all(queries.sharing, [tenant, JSON.stringify(keys)]).map(VaultQueries.toKey)),
    get: (tenant, commitments) =>
      attempt("vault", () =>
        connection.all(queries.sealed, [tenant, JSON.stringify(commitments)]).map(VaultQueries.toKept)
      ),
    sealedUnder: (tenant, keys) =>
      attempt("vault", () =>
        connection
          .all(queries.sealedUnder, [tenant, JSON.stringify(keys)])
          .map(({ commitment }) => fromBytes(commitment))
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
        cutOff()
        connection.run({ name: "vacuum", sql: "vacuum" }, [])
        cutOff()
      })
  })
})

/** The driver's error for a file that another process holds. */
const locked = (): Error => Object.assign(new Error("a reader holds the log"), { code: "ERR_SQLITE_ERROR", errcode: 5 })
