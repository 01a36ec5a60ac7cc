/** Keeps notes beside the traces of a schema of a Postgres database. */
import { Notes } from "@backstitch/trace/Notes"
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import * as NoteQueries from "../queries/NoteQueries.ts"
import * as SqlFailure from "../queries/SqlFailure.ts"
import * as Postgres from "./Postgres.ts"

/** Connects to a database, brings its tables up to date, and keeps notes in it. */
export const make = Effect.fnUntraced(function* (
  options: Postgres.Options
): Effect.fn.Return<Notes["Service"], TraceStoreError, Scope.Scope> {
  const postgres = yield* Postgres.open({ ...options, connectionsMax: Limits.pacing.noteConnectionsMax })
  const queries = NoteQueries.make("postgres")

  const attempt = <A>(operation: SqlFailure.Operation, body: () => Promise<A>) =>
    Effect.tryPromise({
      try: body,
      catch: (cause) => SqlFailure.make({ operation, store: postgres.name, cause })
    })

  yield* attempt("open", () => Postgres.migrate(postgres, options))

  const rows = async ({ query, values }: NoteQueries.Bound) => (await postgres.execute(query, [...values])).rows
  const found = async (place: Parameters<NoteQueries.NoteQueries["find"]>[0]) => {
    const [row] = await rows(queries.find(place))
    return row && NoteQueries.toNote(row)
  }

  return Notes.of({
    put: (given) =>
      attempt("notes", async () => {
        const [row] = await rows(queries.put(given))
        return row === undefined
          ? { _tag: "Changed" as const, standing: await found(given) }
          : { _tag: "Kept" as const, note: NoteQueries.toNote(row) }
      }),
    remove: (place) =>
      attempt("notes", async () => {
        const [row] = await rows(queries.remove(place))
        return row !== undefined || (await found(place)) === undefined
      }),
    find: (place) => attempt("notes", () => found(place)),
    list: (page) => attempt("notes", async () => (await rows(queries.list(page))).map(NoteQueries.toNote))
  })
})
