import { DatabaseSync } from "node:sqlite"
import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import type { Append } from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Postgres from "../src/postgres/Postgres.ts"
import * as PostgresTraceStore from "../src/postgres/PostgresTraceStore.ts"
import * as Migrations from "../src/queries/Migrations.ts"
import * as Tables from "../src/queries/Tables.ts"
import * as SqliteTraceStore from "../src/sqlite/SqliteTraceStore.ts"
import { freshSchema, postgresUrl, startProcess, temporaryFile } from "./temporary.ts"

const headOf = ({ transitions }: Append) => HashChain.headOf(transitions[transitions.length - 1]!)

// Needs the server at BACKSTITCH_TEST_POSTGRES.
describe("Migrations", () => {
  it("has nothing to do at the latest version, and refuses a later one", () => {
    for (const dialect of ["sqlite", "postgres"] as const) {
      assert.isAbove(Migrations.statements(dialect, 0).length, 0)
      assert.deepStrictEqual(Migrations.statements(dialect, Migrations.current), [])
      assert.throws(() => Migrations.statements(dialect, Migrations.current + 1), Migrations.VersionUnsupported)
    }
  })

  it.effect("are made once for a file, and refuse a file of a newer version as they found it", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const run = Run.make("main")
      const write = Effect.flatMap(SqliteTraceStore.make({ filename }), (store) =>
        SampleCommits.write(store, run, SampleCommits.noted("x"))
      )
      assert.strictEqual((yield* Effect.scoped(write)).tick, 1)
      assert.strictEqual((yield* Effect.scoped(write)).tick, 2)

      const plain = new DatabaseSync(filename)
      plain.exec(`pragma user_version = ${Migrations.current + 1}`)
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

  it.live("keep every run where it stood when heads went from rows of their own to the last transition", () =>
    Effect.gen(function* () {
      const options = { url: postgresUrl(), schema: yield* freshSchema, connectionsMax: 1 }
      const postgres = yield* Postgres.open(options)
      const [run, fork] = [Run.make("main"), Run.make("fork")]
      const began = SampleCommits.commit({
        run,
        head: HashChain.genesis(run),
        drafts: [SampleCommits.began, SampleCommits.noted("x")]
      })
      const noted = SampleCommits.commit({ run, head: headOf(began), drafts: [SampleCommits.noted("y")] })
      const left = SampleCommits.commit({ run: fork, head: headOf(began), drafts: [SampleCommits.noted("z")] })
      yield* Effect.promise(() =>
        postgres.transaction(async (execute) => {
          const ask = (sql: string, values: ReadonlyArray<unknown> = []) => execute({ name: "", sql }, values)
          await ask(`create schema "${options.schema}"`)
          for (const sql of Migrations.statements("postgres", 0, 2)) await ask(sql)
          await ask("create table version as select 2 as version")
          for (const [id, name, parent, commits] of [
            [1, "main", [null, null], [began, noted]],
            [2, "fork", [1, 2], [left]]
          ] as const) {
            const { link, story, tick } = headOf(commits.at(-1)!)
            const head = [tick, Tables.toBytes(link), Tables.toBytes(story)]
            await ask(
              "insert into run (id, tenant, name, parent, parent_tick, tick, link, story) " +
                "overriding system value values ($1, 'default', $2, $3, $4, $5, $6, $7)",
              [id, name, ...parent, ...head]
            )
            for (const each of commits.flatMap(({ transitions }) => transitions)) {
              await ask("insert into transition values ($1, $2, $3, $4, $5, $6)", [
                Tables.rowId(id, each.tick),
                Tables.toBytes(each.link),
                Tables.toBytes(each.story),
                each.body,
                each.stamp,
                each.envelope
              ])
            }
          }
        })
      )
      const store = yield* PostgresTraceStore.make(options)
      assert.deepStrictEqual((yield* store.info(run))?.head, headOf(noted))
      assert.deepStrictEqual(yield* store.info(fork), {
        run: fork,
        head: headOf(left),
        parent: { id: run.id, tick: 2 }
      })
      assert.strictEqual((yield* store.runs(run.tenant)).length, 2)
      for (const [each, head] of [
        [run, headOf(noted)],
        [fork, headOf(left)]
      ] as const) {
        const next = SampleCommits.commit({ run: each, head, drafts: [SampleCommits.noted("on")] })
        assert.strictEqual((yield* store.append(next)).tick, 4)
      }
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
      yield* SampleCommits.write(stores[0]!, run, SampleCommits.began)
      assert.strictEqual((yield* stores[7]!.info(run))?.head.tick, 1)

      const postgres = yield* Postgres.open(options)
      yield* Effect.promise(() => postgres.execute({ name: "", sql: "update version set version = 99" }, []))
      assert.include(yield* Effect.flip(PostgresTraceStore.make(options)), { operation: "open", reason: "unsupported" })
    })
  )
})
