import { suite } from "@backstitch/conformance/NotesSuite"
import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PostgresNotes from "../src/postgres/PostgresNotes.ts"
import * as NoteQueries from "../src/queries/NoteQueries.ts"
import * as SqlNotes from "../src/SqlNotes.ts"
import * as SqliteNotes from "../src/sqlite/SqliteNotes.ts"
import { freshSchema, postgresUrl, temporaryFile } from "./temporary.ts"

/** A new file for every test. */
suite("SQLite", Layer.unwrap(Effect.map(temporaryFile, (filename) => SqlNotes.layerSqlite({ filename }))))

// The server's address is in BACKSTITCH_TEST_POSTGRES.
/** A new schema for every test. */
suite(
  "Postgres",
  Layer.unwrap(Effect.map(freshSchema, (schema) => SqlNotes.layerPostgres({ url: postgresUrl(), schema })))
)

const place = { tenant: Run.make("any").tenant, kind: "a", name: "x" }

describe("SqlNotes", () => {
  it.live("are seen by every process on the file, or on the schema", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const options = { url: postgresUrl(), schema: yield* freshSchema }
      for (const [one, two] of [
        [yield* SqliteNotes.make({ filename }), yield* SqliteNotes.make({ filename })],
        [yield* PostgresNotes.make(options), yield* PostgresNotes.make(options)]
      ] as const) {
        yield* one.put({ ...place, text: "text" })
        assert.strictEqual((yield* two.put({ ...place, text: "other", expected: 0 }))._tag, "Changed")
        assert.strictEqual((yield* two.find(place))?.text, "text")
      }
    })
  )

  it.live("are chosen by address", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      for (const address of ["memory:", `sqlite:${filename}`]) {
        const found = Effect.flatMap(Notes.Notes, (notes) => notes.find(place))
        assert.isUndefined(yield* Effect.provide(found, SqlNotes.layerFromAddress(address), { local: true }))
      }
    })
  )
})

describe("NoteQueries", () => {
  it("reads a note back as it was written", () => {
    const note = { ...place, text: "text", revision: 3 }
    assert.deepStrictEqual(NoteQueries.toNote(note), note)
    assert.notStrictEqual(
      NoteQueries.make("sqlite").find(place).query.sql,
      NoteQueries.make("postgres").find(place).query.sql
    )
  })
})
