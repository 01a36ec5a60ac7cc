/** Runs the statements of a port on a SQLite file, over a connection of its own. */
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import type { Query } from "../queries/Queries.ts"
import * as SqlFailure from "../queries/SqlFailure.ts"
import type { Port, Statements } from "../queries/Statements.ts"
import * as Sqlite from "./Sqlite.ts"
import { waitingForLock } from "./waitingForLock.ts"

/** The name of the file, and how long a read or a write waits while another process holds its lock. */
export interface Options {
  readonly filename: string
  /** Default: 5,000. */
  readonly lockTimeoutMillis?: number | undefined
}

/** A connection to a file, and how an operation on it is attempted. */
export interface OpenSqlite {
  readonly connection: Sqlite.Sqlite
  readonly lockTimeoutMillis: number
  readonly attempt: <A>(operation: SqlFailure.Operation, body: () => A) => Effect.Effect<A, TraceStoreError>
}

/** Opens a file and brings its tables up to date. */
export const open = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<OpenSqlite, TraceStoreError, Scope.Scope> {
  const { filename, lockTimeoutMillis = Limits.pacing.lockWaitMillisMax } = options
  const attempt: OpenSqlite["attempt"] = (operation, body) =>
    Effect.try({ try: body, catch: (cause) => SqlFailure.make({ operation, store: filename, cause }) }).pipe(
      waitingForLock(lockTimeoutMillis)
    )
  const opened = attempt("open", () => Sqlite.openMigrated(filename))
  const connection = yield* Effect.acquireRelease(opened, (connection) => Effect.sync(connection.close))
  const confirmed: OpenSqlite["attempt"] = (operation, body) =>
    attempt(operation, () => {
      const answer = body()
      connection.confirm()
      return answer
    })
  return { attempt: confirmed, connection, lockTimeoutMillis }
})

/** The statements of an operation over an open connection. */
export const of = ({ attempt, connection }: OpenSqlite, operation: SqlFailure.Operation): Statements => ({
  dialect: "sqlite",
  all: (query, values) => attempt(operation, () => connection.all(query, values))
})

/** Opens a file, brings its tables up to date, and answers the statements of a port. */
export const make = Effect.fnUntraced(function* (
  options: Options,
  port: Port
): Effect.fn.Return<Statements, TraceStoreError, Scope.Scope> {
  const statements = of(yield* open(options), port)
  // No lease outlives the machine, so that none is flushed alone: it becomes durable with the next commit of a trace.
  if (port === "leases") yield* statements.all(unflushed, [])
  return statements
})

const unflushed: Query<never> = { name: "unflushed", sql: "pragma synchronous = normal" }
