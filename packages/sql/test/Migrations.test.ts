import { DatabaseSync } from "node:sqlite"
import * as Commits from "@backstitch/conformance/Commits"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Migrations from "../src/Migrations.ts"
import * as Postgres from "../src/Postgres.ts"
import * as PostgresTraceStore from "../src/PostgresTraceStore.ts"
import * as SqliteTraceStore from "../src/SqliteTraceStore.ts"
import { freshSchema, postgresUrl, startProcess, temporaryFile } from "./temporary.ts"

// Needs the server at BACKSTITCH_TEST_POSTGRES.
describe("Migrations", () => {
  it("has nothing to do at the latest version, and refuses a later one", () => {
    for (const dialect of ["sqlite", "postgres"] as const) {
      assert.isAbove(Migrations.statements(dialect, 0).length, 0)
      assert.deepStrictEqual(Migrations.statements(dialect, Migrations.latest), [])
      assert.throws(() => Migrations.statements(dialect, Migrations.latest + 1), Migrations.VersionUnsupported)
    }
  })

  it.effect("are made once for a file, and refuse a file of a newer version as they found it", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const run = Run.make("main")
      const write = Effect.flatMap(SqliteTraceStore.make({ filename }), (store) =>
        Commits.write(store, run, Commits.noted("x"))
      )
      assert.strictEqual((yield* Effect.scoped(write)).tick, 1)
      assert.strictEqual((yield* Effect.scoped(write)).tick, 2)

      const plain = new DatabaseSync(filename)
      plain.exec(`pragma user_version = ${Migrations.latest + 1}`)
      const refused = yield* Effect.flip(Effect.scoped(write))
      assert.include(refused, { operation: "open", reason: "unsupported" })
      assert.match(refused.message, /newer version/)
      assert.deepEqual({ ...plain.prepare("select count(*) as count from transition").get() }, { count: 2 })
      plain.close()
    })
  )

  it.live("are made once for a file that several processes open at once", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const names = ["p1", "p2", "p3", "p4"]
      const processes = yield* Effect.forEach(names, (name) => startProcess("appendLoop.ts", filename, name, "3"))
      for (const { ended, until, written } of processes) {
        yield* until((output) => output.split("\n").length > 3)
        yield* ended
        assert.strictEqual(written.errors, "")
      }
      const store = yield* SqliteTraceStore.make({ filename })
      assert.deepStrictEqual(
        (yield* store.runs(Run.make("x").tenant)).map(({ head }) => head.tick),
        [6, 6, 6, 6]
      )
    })
  )

  it.live("are made once for a schema that many stores open at once, and refuse a newer one", () =>
    Effect.gen(function* () {
      const options = { url: postgresUrl(), schema: yield* freshSchema, connectionsMax: 2 }
      const stores = yield* Effect.all(
        Array.from({ length: 8 }, () => PostgresTraceStore.make(options)),
        {
          concurrency: "unbounded"
        }
      )
      const run = Run.make("main")
      yield* Commits.write(stores[0]!, run, Commits.began)
      assert.strictEqual((yield* stores[7]!.info(run))?.head.tick, 1)

      const postgres = yield* Postgres.open(options)
      yield* Effect.promise(() => postgres.execute({ name: "", sql: "update version set version = 99" }, []))
      assert.include(yield* Effect.flip(PostgresTraceStore.make(options)), { operation: "open", reason: "unsupported" })
    })
  )
})
