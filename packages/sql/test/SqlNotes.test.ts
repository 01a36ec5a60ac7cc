import { suite } from "@backstitch/conformance/NotesSuite"
import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlNotes from "../src/SqlNotes.ts"
import { freshSchema, postgresUrl, temporaryFile } from "./temporary.ts"

/** A new file for every test. */
suite("SQLite", Layer.unwrap(Effect.map(temporaryFile, (filename) => SqlNotes.layerSqlite({ filename }))))

// The server's address is in BACKSTITCH_TEST_POSTGRES.
/** A new schema for every test. */
suite(
  "Postgres",
  Layer.unwrap(Effect.map(freshSchema, (schema) => SqlNotes.layerPostgres({ url: postgresUrl(), schema })))
)

/** Notes over connections of their own, as another process would have them. */
const opened = (layer: ReturnType<typeof SqlNotes.layerFromAddress>) =>
  Effect.map(Layer.build(Layer.fresh(layer)), (built) => Context.get(built, Notes.Notes))

const place = { tenant: Run.make("any").tenant, kind: "a", name: "x" }

describe("SqlNotes", () => {
  it.live("are seen by every process on the file, or on the schema", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const schema = yield* freshSchema
      for (const layer of [
        SqlNotes.layerSqlite({ filename }),
        SqlNotes.layerPostgres({ url: postgresUrl(), schema })
      ]) {
        const [one, two] = [yield* opened(layer), yield* opened(layer)]
        yield* one.put({ ...place, text: "text" })
        assert.strictEqual((yield* two.put({ ...place, text: "other", expected: 0 }))._tag, "Changed")
        assert.deepStrictEqual(yield* two.find(place), { ...place, text: "text", revision: 1 })
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
