import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Postgres from "../src/postgres/Postgres.ts"
import * as Migrations from "../src/queries/Migrations.ts"
import * as Queries from "../src/queries/Queries.ts"
import * as Sqlite from "../src/sqlite/Sqlite.ts"
import { freshSchema, postgresUrl } from "./temporary.ts"

// The server's address is in BACKSTITCH_TEST_POSTGRES.
describe("Queries", () => {
  it("name the same statements in both dialects, each with a name of its own", () => {
    const [sqlite, postgres] = [Queries.make("sqlite"), Queries.make("postgres")]
    assert.deepStrictEqual(Object.keys(sqlite), Object.keys(postgres))
    const names = Object.values(postgres).map(({ name }) => name)
    assert.strictEqual(new Set(names).size, names.length)
    for (const { sql } of Object.values(sqlite)) assert.notMatch(sql, /\$\d/)
    for (const { sql } of Object.values(postgres)) assert.notInclude(sql, "?")
  })

  it("find a row by its key, and never by reading a whole table", () => {
    const connection = Sqlite.open(":memory:")
    Sqlite.migrate(connection)
    for (const { name, sql } of Object.values({ ...Queries.make("sqlite"), ...Queries.heads() })) {
      const plan = connection.all<{ readonly detail: string }>({ name, sql: `explain query plan ${sql}` }, [])
      for (const { detail } of plan) assert.notMatch(detail, /^SCAN/, name)
    }
    connection.close()
  })

  it.live("are understood by a server", () =>
    Effect.gen(function* () {
      const options = { url: postgresUrl(), schema: yield* freshSchema, connectionsMax: 1 }
      const postgres = yield* Postgres.open(options)
      yield* Effect.promise(() => Postgres.migrate(postgres, options))
      for (const { name, sql } of Object.values(Queries.make("postgres"))) {
        const statement = `prepare "check-${name}" as ${sql}`
        yield* Effect.promise(() => postgres.execute({ name: "", sql: statement }, []))
      }
      assert.strictEqual(Migrations.current, 11)
    })
  )
})
