/**
 * Keeps leases beside the traces of a schema of a Postgres database.
 *
 * A lease keeps two processes from doing the same work, and no safety depends on it. If the machine of the database
 * fails and loses a lease, the lease is taken again. So no process waits until a lease is flushed.
 */
import { type LeaseAnswer, Leases } from "@backstitch/trace/Leases"
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import * as LeaseQueries from "../queries/LeaseQueries.ts"
import * as SqlFailure from "../queries/SqlFailure.ts"
import * as Postgres from "./Postgres.ts"

/** Connects to a database, brings its tables up to date, and keeps leases in it. */
export const make = Effect.fnUntraced(function* (
  options: Postgres.Options
): Effect.fn.Return<Leases["Service"], TraceStoreError, Scope.Scope> {
  const postgres = yield* Postgres.open({
    ...options,
    connectionsMax: Limits.pacing.leaseConnectionsMax,
    isFlushed: false
  })
  const queries = LeaseQueries.make("postgres")

  const attempt = <A>(operation: SqlFailure.Operation, body: () => Promise<A>) =>
    Effect.tryPromise({
      try: body,
      catch: (cause) => SqlFailure.make({ operation, store: postgres.name, cause })
    })

  yield* attempt("open", () => Postgres.migrate(postgres, options))

  return Leases.of({
    acquire: (run, { holder, ttlMillis }) =>
      attempt("leases", async (): Promise<LeaseAnswer> => {
        for (;;) {
          const { rows: written } = await postgres.execute(queries.acquire, [run.tenant, run.id, holder, ttlMillis])
          const { rows: found } =
            written.length > 0 ? { rows: [] } : await postgres.execute(queries.find, [run.tenant, run.id])
          const answer = LeaseQueries.toAnswer(run, written[0], found[0])
          if (answer !== undefined) return answer
        }
      }),
    release: (run, holder) =>
      attempt("leases", async () => {
        await postgres.execute(queries.release, [run.tenant, run.id, holder])
      }),
    find: (run) =>
      attempt("leases", async () => {
        const { rows } = await postgres.execute(queries.find, [run.tenant, run.id])
        return rows[0] && LeaseQueries.toLease(run, rows[0])
      })
  })
})
