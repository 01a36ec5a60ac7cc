/** Runs the statements of a port on a schema of a Postgres database. */
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import * as SqlFailure from "../queries/SqlFailure.ts"
import type { Port, Statements } from "../queries/Statements.ts"
import * as Postgres from "./Postgres.ts"

/** Connects to a database and brings its tables up to date. */
export const make = Effect.fnUntraced(function* (
  options: Postgres.Options,
  port: Port
): Effect.fn.Return<Statements, TraceStoreError, Scope.Scope> {
  const postgres = yield* Postgres.open({ ...options, ...connections[port] })
  const attempt = <A>(operation: SqlFailure.Operation, body: () => Promise<A>) =>
    Effect.tryPromise({ try: body, catch: (cause) => SqlFailure.make({ operation, store: postgres.name, cause }) })
  yield* attempt("open", () => Postgres.migrate(postgres, options))
  const statements: Statements = {
    dialect: "postgres",
    all: (query, values) => attempt(port, async () => (await postgres.execute(query, values)).rows)
  }
  return statements
})

const { callerConnectionsMax, leaseConnectionsMax, noteConnectionsMax } = Limits.pacing

const connections: { readonly [Each in Port]: Pick<Postgres.Options, "connectionsMax" | "isFlushed"> } = {
  answers: { connectionsMax: callerConnectionsMax },
  keys: { connectionsMax: callerConnectionsMax },
  // No safety depends on a lease: one that is lost with the machine of the database is taken again.
  leases: { connectionsMax: leaseConnectionsMax, isFlushed: false },
  notes: { connectionsMax: noteConnectionsMax }
}
