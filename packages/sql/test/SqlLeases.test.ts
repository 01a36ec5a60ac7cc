import { suite } from "@backstitch/conformance/LeasesSuite"
import * as Leases from "@backstitch/trace/Leases"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PostgresLeases from "../src/postgres/PostgresLeases.ts"
import * as LeaseQueries from "../src/queries/LeaseQueries.ts"
import * as SqlLeases from "../src/SqlLeases.ts"
import * as SqliteLeases from "../src/sqlite/SqliteLeases.ts"
import { freshSchema, postgresUrl, temporaryFile } from "./temporary.ts"

/** A new file for every test. */
suite("SQLite", Layer.unwrap(Effect.map(temporaryFile, (filename) => SqlLeases.layerSqlite({ filename }))))

// The server's address is in BACKSTITCH_TEST_POSTGRES.
/** A new schema for every test. */
suite(
  "Postgres",
  Layer.unwrap(Effect.map(freshSchema, (schema) => SqlLeases.layerPostgres({ url: postgresUrl(), schema })))
)

const trip = Run.make("trip")

describe("SqlLeases", () => {
  it.live("are seen by every process on the file", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const [one, two] = [yield* SqliteLeases.make({ filename }), yield* SqliteLeases.make({ filename })]
      yield* one.acquire(trip, { holder: "one", ttlMillis: 600_000 })
      assert.strictEqual((yield* two.acquire(trip, { holder: "two", ttlMillis: 1 }))._tag, "Taken")
    })
  )

  it.live("are seen by every process on the schema", () =>
    Effect.gen(function* () {
      const options = { url: postgresUrl(), schema: yield* freshSchema }
      const [one, two] = [yield* PostgresLeases.make(options), yield* PostgresLeases.make(options)]
      yield* one.acquire(trip, { holder: "one", ttlMillis: 600_000 })
      assert.strictEqual((yield* two.find(trip))?.holder, "one")
    })
  )

  it.live("are chosen by address", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      for (const address of ["memory:", `sqlite:${filename}`]) {
        const leases = yield* Layer.build(SqlLeases.layerFromAddress(address))
        const find = Effect.provide(
          Effect.flatMap(Leases.Leases, (each) => each.find(trip)),
          leases
        )
        assert.isUndefined(yield* find)
      }
    })
  )
})

describe("LeaseQueries", () => {
  it("asks again when the holder went away between two statements", () => {
    assert.isUndefined(LeaseQueries.toAnswer(trip, undefined, undefined))
    assert.notStrictEqual(LeaseQueries.make("sqlite").acquire.sql, LeaseQueries.make("postgres").acquire.sql)
  })
})
