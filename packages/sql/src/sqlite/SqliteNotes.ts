/** Keeps notes beside the traces of one SQLite file. */
import { Notes } from "@backstitch/trace/Notes"
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import * as NoteQueries from "../queries/NoteQueries.ts"
import * as SqlFailure from "../queries/SqlFailure.ts"
import * as Sqlite from "./Sqlite.ts"
import type { Options } from "./SqliteTraceStore.ts"
import { waitingForLock } from "./waitingForLock.ts"

/** Opens a file, brings its tables up to date, and keeps notes in it, over a connection of its own. */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Notes["Service"], TraceStoreError, Scope.Scope> {
  const { filename, lockTimeoutMillis = Limits.pacing.lockWaitMillisMax } = options
  const queries = NoteQueries.make("sqlite")

  const attempt = <A>(operation: SqlFailure.Operation, body: () => A) =>
    Effect.try({ try: body, catch: (cause) => SqlFailure.make({ operation, store: filename, cause }) }).pipe(
      waitingForLock(lockTimeoutMillis)
    )

  const opened = attempt("open", () => Sqlite.openMigrated(filename))
  const connection = yield* Effect.acquireRelease(opened, (connection) => Effect.sync(connection.close))
  const first = ({ query, values }: NoteQueries.Bound) => connection.get(query, [...values])
  const find: Notes["Service"]["find"] = (place) =>
    attempt("notes", () => {
      const row = first(queries.find(place))
      return row && NoteQueries.toNote(row)
    })

  return Notes.of({
    put: Effect.fnUntraced(function* (given) {
      const row = yield* attempt("notes", () => first(queries.put(given)))
      if (row !== undefined) return { _tag: "Kept", note: NoteQueries.toNote(row) }
      return { _tag: "Changed", standing: yield* find(given) }
    }),
    remove: Effect.fnUntraced(function* (place) {
      const row = yield* attempt("notes", () => first(queries.remove(place)))
      return row !== undefined || (yield* find(place)) === undefined
    }),
    find,
    list: (page) =>
      attempt("notes", () => {
        const { query, values } = queries.list(page)
        return connection.all(query, [...values]).map(NoteQueries.toNote)
      })
  })
})
