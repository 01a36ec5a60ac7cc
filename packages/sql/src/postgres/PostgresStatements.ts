/** Runs the statements of a port on a schema of a Postgres database. */
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import * as SqlFailure from "../queries/SqlFailure.ts"
import type { Port, Statements } from "../queries/Statements.ts"
import * as Postgres from "./Postgres.ts"

/** Connections to a schema, and how an operation on it is attempted. */
export interface OpenPostgres {
  readonly postgres: Postgres.Postgres
  readonly attempt: <A>(operation: SqlFailure.Operation, body: () => Promise<A>) => Effect.Effect<A, TraceStoreError>
}

/** Connects to a database and brings its tables up to date. */
export const open = Effect.fnUntraced(function* (
  options: Postgres.Options
): Effect.fn.Return<OpenPostgres, TraceStoreError, Scope.Scope> {
  const postgres = yield* Postgres.open(options)
  const attempt: OpenPostgres["attempt"] = (operation, body) =>
    Effect.tryPromise({ try: body, catch: (cause) => SqlFailure.make({ operation, store: postgres.name, cause }) })
  yield* attempt("open", () => Postgres.migrate(postgres, options))
  return { attempt, postgres }
})

/** The statements of an operation over open connections. */
export const of = ({ attempt, postgres }: OpenPostgres, operation: SqlFailure.Operation): Statements => ({
  dialect: "postgres",
  all: (query, values) => attempt(operation, async () => (await postgres.execute(query, values)).rows)
})

/** Connects to a database, brings its tables up to date, and answers the statements of a port. */
export const make = (options: Postgres.Options, port: Port): Effect.Effect<Statements, TraceStoreError, Scope.Scope> =>
  Effect.map(open({ ...options, ...connections[port] }), (opened) => of(opened, port))

const { callerConnectionsMax, leaseConnectionsMax, noteConnectionsMax } = Limits.pacing

const connections: { readonly [Each in Port]: Pick<Postgres.Options, "connectionsMax" | "isFlushed"> } = {
  answers: { connectionsMax: callerConnectionsMax },
  keys: { connectionsMax: callerConnectionsMax },
  // No safety depends on a lease: one that is lost with the machine of the database is taken again.
  leases: { connectionsMax: leaseConnectionsMax, isFlushed: false },
  notes: { connectionsMax: noteConnectionsMax }
}
