import { readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { suite } from "@backstitch/conformance/VaultSuite"
import * as Digest from "@backstitch/trace/Digest"
import * as Run from "@backstitch/trace/Run"
import { Vault } from "@backstitch/trace/Vault"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Postgres from "../src/postgres/Postgres.ts"
import * as PostgresVault from "../src/postgres/PostgresVault.ts"
import * as VaultQueries from "../src/queries/VaultQueries.ts"
import * as SqlVault from "../src/SqlVault.ts"
import * as SqliteVault from "../src/sqlite/SqliteVault.ts"
import { freshSchema, postgresUrl, temporaryFile } from "./temporary.ts"

/** A new file for every test. */
suite("SQLite", Layer.unwrap(Effect.map(temporaryFile, (filename) => SqlVault.layerSqlite({ filename }))))

// The server's address is in BACKSTITCH_TEST_POSTGRES.
/** A new schema for every test. */
suite(
  "Postgres",
  Layer.unwrap(Effect.map(freshSchema, (schema) => SqlVault.layerPostgres({ url: postgresUrl(), schema })))
)

const { tenant } = Run.make("trip")
const subject = Digest.ofBytes("anna")
const commitment = Digest.ofBytes("passport")
const wrapped = "V1JBUFBFRC1LRVktT0YtQU5OQQ=="
const text = "Q0lQSEVSVEVYVC1PRi1BTk5B"

const kept = Effect.fnUntraced(function* (vault: Vault["Service"]) {
  yield* vault.takeKey(tenant, { id: "k1", run: "trip", subject, wrapped })
  yield* vault.put(tenant, [{ commitment, key: "k1", text, shown: false }])
})

describe("SqlVault", () => {
  it.live("leaves nothing of an erased value in the file or its log", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const bytes = () => ["", "-wal"].map((end) => readFileSync(`${filename}${end}`, "latin1")).join("")
      const vault = yield* SqliteVault.make({ filename })
      yield* kept(vault)
      assert.include(bytes(), wrapped)
      assert.include(bytes(), text)
      yield* vault.erase(tenant, ["k1"])
      assert.notInclude(bytes(), wrapped)
      assert.notInclude(bytes(), text)
    })
  )

  it.live("finishes an erasure on SQLite that a reader kept from rewriting the file (decision 0028)", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const bytes = () => ["", "-wal"].map((end) => readFileSync(`${filename}${end}`, "latin1")).join("")
      const vault = yield* SqliteVault.make({ filename, lockTimeoutMillis: 50 })
      yield* kept(vault)
      assert.isFalse(yield* vault.isStopped(tenant))
      const reader = new DatabaseSync(filename)
      reader.exec("begin")
      reader.prepare("select count(*) from subject_key").get()
      assert.deepInclude(yield* Effect.flip(vault.erase(tenant, ["k1"])), { reason: "locked" })
      reader.exec("commit")
      reader.close()
      assert.deepStrictEqual(yield* vault.keys(tenant, {}), [])
      assert.include(bytes(), wrapped)
      assert.isTrue(yield* vault.isStopped(tenant))
      yield* vault.erase(tenant, [])
      assert.isFalse(yield* vault.isStopped(tenant))
      assert.notInclude(bytes(), wrapped)
      assert.notInclude(bytes(), text)
    })
  )

  it.live("erases on Postgres at once or not at all, if a process ends before the tables are rewritten", () =>
    Effect.gen(function* () {
      const options = { url: postgresUrl(), schema: yield* freshSchema }
      const connections = yield* Postgres.open({ ...options, connectionsMax: 2 })
      const transaction: typeof connections.transaction = (body) =>
        connections.transaction((execute) =>
          body((query, values) =>
            query.sql.includes("alter column mark")
              ? Promise.reject(new Error("the process ends"))
              : execute(query, values)
          )
        )
      const ending = yield* PostgresVault.make({ ...options, connections: { ...connections, transaction } })
      yield* kept(ending)
      yield* Effect.flip(ending.erase(tenant, ["k1"]))

      const vault = yield* PostgresVault.make(options)
      assert.strictEqual((yield* vault.keys(tenant, {})).length, 1)
      assert.isFalse(yield* vault.isStopped(tenant))
      yield* vault.erase(tenant, ["k1"])
      assert.deepStrictEqual(yield* vault.keys(tenant, {}), [])
      assert.isFalse(yield* vault.isStopped(tenant))
    })
  )

  it.live("leaves nothing of an erased value in the files of Postgres, however old a transaction is", () =>
    Effect.gen(function* () {
      const options = { url: postgresUrl(), schema: yield* freshSchema }
      const vault = yield* PostgresVault.make(options)
      yield* kept(vault)
      yield* vault.takeKey(tenant, { id: "k2", run: "trip2", subject, wrapped: "b3RoZXI=" })
      const postgres = yield* Postgres.open({ ...options, connectionsMax: 2 })
      const bytes = Effect.promise(async () => {
        const ask = <Row>(sql: string) => postgres.execute<Row>({ name: "", sql }, [])
        await ask("analyze")
        await ask("checkpoint")
        const { rows } = await ask<{ readonly bytes: string }>(
          "select string_agg(encode(pg_read_binary_file(pg_relation_filepath(relname)), 'escape'), '') as bytes " +
            "from unnest(array['subject_key', 'sealed_value', 'recognition', 'pg_statistic']) as relname"
        )
        return rows[0]!.bytes
      })
      assert.include(yield* bytes, wrapped)
      const older = yield* Postgres.open({ ...options, connectionsMax: 1 })
      yield* Effect.promise(() =>
        older.transaction(async (execute) => {
          await execute({ name: "", sql: "set transaction isolation level repeatable read" }, [])
          await execute({ name: "", sql: "select 1" }, [])
          await Effect.runPromise(vault.erase(tenant, ["k1"]))
          await execute({ name: "", sql: "select 1" }, [])
        })
      )
      assert.notInclude(yield* bytes, wrapped)
      assert.notInclude(yield* bytes, text)
      assert.deepStrictEqual(
        (yield* vault.keys(tenant, {})).map(({ id }) => id),
        ["k2"]
      )
    })
  )

  it.live("is seen by every process on the schema", () =>
    Effect.gen(function* () {
      const options = { url: postgresUrl(), schema: yield* freshSchema }
      const [one, two] = [yield* PostgresVault.make(options), yield* PostgresVault.make(options)]
      yield* kept(one)
      assert.strictEqual((yield* two.get(tenant, [commitment]))[0]?.text, text)
    })
  )

  it.live("is chosen by address", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      for (const address of ["memory:", `sqlite:${filename}`]) {
        const vault = yield* Layer.build(SqlVault.layerFromAddress(address))
        assert.deepStrictEqual(
          yield* Effect.provide(
            Effect.flatMap(Vault, (each) => each.keys(tenant, {})),
            vault
          ),
          []
        )
      }
    })
  )
})

describe("VaultQueries", () => {
  it("reads a row with its key", () => {
    const row = { id: "k1", run: "", subject: Buffer.from(subject, "hex"), wrapped }
    const key = { id: "k1", run: "", subject, wrapped }
    assert.deepStrictEqual(VaultQueries.toKey(row), key)
    assert.deepStrictEqual(
      VaultQueries.toKept({ ...row, commitment: Buffer.from(commitment, "hex"), text, shown: 1 }),
      { commitment, text, shown: true, key }
    )
  })
})
