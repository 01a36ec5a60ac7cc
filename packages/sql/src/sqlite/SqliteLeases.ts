/**
 * Keeps leases beside the traces of one SQLite file.
 *
 * A lease is between processes that live: none of them outlives the machine. So leases are not flushed one by one; they
 * become durable with the next commit of a trace.
 */
import { type LeaseAnswer, Leases } from "@backstitch/trace/Leases"
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import * as LeaseQueries from "../queries/LeaseQueries.ts"
import type { Query } from "../queries/Queries.ts"
import * as SqlFailure from "../queries/SqlFailure.ts"
import * as Sqlite from "./Sqlite.ts"
import type { Options } from "./SqliteTraceStore.ts"
import { waitingForLock } from "./waitingForLock.ts"

/** Opens a file, brings its tables up to date, and keeps leases in it, over a connection of its own. */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Leases["Service"], TraceStoreError, Scope.Scope> {
  const { filename, lockTimeoutMillis = Limits.pacing.lockWaitMillisMax } = options
  const queries = LeaseQueries.make("sqlite")

  const attempt = <A>(operation: SqlFailure.Operation, body: () => A) =>
    Effect.try({ try: body, catch: (cause) => SqlFailure.make({ operation, store: filename, cause }) }).pipe(
      waitingForLock(lockTimeoutMillis)
    )

  const opened = attempt("open", () => Sqlite.openMigrated(filename))
  const connection = yield* Effect.acquireRelease(opened, (connection) => Effect.sync(connection.close))
  yield* attempt("leases", () => void connection.run(unflushed, []))

  return Leases.of({
    acquire: (run, { holder, ttlMillis }) =>
      attempt("leases", (): LeaseAnswer => {
        for (;;) {
          const written = connection.get(queries.acquire, [run.tenant, run.id, holder, ttlMillis])
          const found = written ?? connection.get(queries.find, [run.tenant, run.id])
          const answer = LeaseQueries.toAnswer(run, written, found)
          if (answer !== undefined) return answer
        }
      }),
    release: (run, holder) =>
      attempt("leases", () => void connection.run(queries.release, [run.tenant, run.id, holder])),
    find: (run) =>
      attempt("leases", () => {
        const row = connection.get(queries.find, [run.tenant, run.id])
        return row && LeaseQueries.toLease(run, row)
      })
  })
})

const unflushed: Query<never> = { name: "unflushed", sql: "pragma synchronous = normal" }
