import { DatabaseSync } from "node:sqlite"
import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as Digest from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as StoreFault from "@backstitch/trace/StoreFault"
import type { TraceStore } from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Postgres from "../src/postgres/Postgres.ts"
import * as PostgresTraceStore from "../src/postgres/PostgresTraceStore.ts"
import * as SqliteTraceStore from "../src/sqlite/SqliteTraceStore.ts"
import { freshSchema, postgresUrl, temporaryFile } from "./temporary.ts"

const run = Run.make("main")
const text = "kept"

/** A run with a row in each table. */
const filled = Effect.fnUntraced(function* (store: TraceStore["Service"]) {
  const commit = SampleCommits.commit({
    run,
    head: HashChain.genesis(run),
    drafts: [SampleCommits.began, SampleCommits.noted("x")]
  })
  yield* store.append({
    ...commit,
    claims: [{ tick: 1, take: [{ namespace: "key", name: "bs_1", owner: "a1" }], release: [] }]
  })
  yield* store.putSnapshot(run, { tick: 2, text: "{}" }, new Map([[Digest.ofBytes(text), text]]))
  yield* store.putFingerprint(run.tenant, { expected: undefined, next: Digest.ofBytes("secret") })
  yield* store.putIdentity(run.tenant, { tool: "charge", expected: undefined, next: "tenant: order" })
  assert.deepStrictEqual(yield* store.faults, [])
})

/** Damages of the tables, each with the faults that have to be among those that are found. */
const damages: ReadonlyArray<readonly [string, string]> = [
  ["delete from run", "transition orphaned 2, claim orphaned 1, fingerprint orphaned 1, tool_identity orphaned 1"],
  ["delete from transition", "snapshot orphaned 1"],
  ["update blob set text = 'kepf'", "blob altered 1"],
  ["delete from snapshot; update claim set run = 7", "claim orphaned 1"],
  ["update claim set tenant = 'other'", "claim orphaned 1"],
  ["update fingerprint set tenant = 'other'", "fingerprint orphaned 1"],
  ["update tool_identity set tenant = 'other'", "tool_identity orphaned 1"],
  ["drop table snapshot", "snapshot absent 1"],
  ["drop table lease; drop table claim", "claim absent 1, lease absent 1"],
  ["drop table blob; drop table fingerprint", "blob absent 1, fingerprint absent 1"],
  [
    "insert into sealed_value (tenant, commitment, subject_key, text, shown) " +
      "select tenant, digest, 'k1', '', 0 from fingerprint",
    "sealed_value orphaned 1"
  ],
  ["drop table sealed_value", "sealed_value absent 1"]
]

const told = (found: ReadonlyArray<{ readonly table: string; readonly found: string; readonly count: number }>) =>
  found.map(({ count, found, table }) => `${table} ${found} ${count}`).join(", ")

describe("StoreAudit", () => {
  it("looks through every table that a store has", () => {
    assert.deepStrictEqual([...StoreFault.tables].sort(), [
      "blob",
      "claim",
      "erased_key",
      "fingerprint",
      "lease",
      "note",
      "recognition",
      "run",
      "sealed_value",
      "snapshot",
      "subject_key",
      "tool_identity",
      "transition"
    ])
  })

  for (const [sql, says] of damages) {
    it.effect(`names on SQLite what is left of: ${sql}`, () =>
      Effect.gen(function* () {
        const filename = yield* temporaryFile
        yield* Effect.scoped(Effect.flatMap(SqliteTraceStore.make({ filename }), filled))
        const database = new DatabaseSync(filename)
        database.exec(sql)
        database.close()
        const store = yield* SqliteTraceStore.make({ filename })
        assert.strictEqual(told(yield* store.faults), says)
      })
    )
  }

  it.effect("names transitions outside the range that the row of their run declares", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      yield* Effect.scoped(Effect.flatMap(SqliteTraceStore.make({ filename }), filled))
      const database = new DatabaseSync(filename)
      database.exec("update run set tick = 1")
      const store = yield* SqliteTraceStore.make({ filename })
      assert.deepStrictEqual(yield* store.faults, [
        { table: "transition", found: "beyond", count: 1, example: "tick 2 of row 1" }
      ])
      database.exec("drop table run")
      database.close()
      const error = yield* Effect.flip(Effect.scoped(SqliteTraceStore.make({ filename })))
      assert.include(error.message, "its table run is not there")
    })
  )

  it.live("names the same on Postgres", () =>
    Effect.gen(function* () {
      for (const [sql, says] of damages) {
        const options = { url: postgresUrl(), schema: yield* freshSchema, connectionsMax: 1 }
        yield* Effect.scoped(Effect.flatMap(PostgresTraceStore.make(options), filled))
        const postgres = yield* Postgres.open(options)
        const exec = (statement: string) => Effect.promise(() => postgres.execute({ name: "", sql: statement }, []))
        yield* exec(sql)
        const store = yield* PostgresTraceStore.make(options)
        assert.strictEqual(told(yield* store.faults), says, sql)
        yield* exec(`drop schema "${options.schema}" cascade`)
      }
    }).pipe(Effect.scoped)
  )
})
