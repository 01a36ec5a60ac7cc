/** Every byte of a store is proven by a chain or a digest, found where it was changed, or decides nothing. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as ClaimIndex from "@backstitch/runtime/ClaimIndex"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as RunExport from "@backstitch/runtime/RunExport"
import * as RunVerification from "@backstitch/runtime/RunVerification"
import * as SecretFingerprint from "@backstitch/runtime/SecretFingerprint"
import * as Postgres from "@backstitch/sql/Postgres"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { afterAll, beforeAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
const file = shell.path(".backstitch/trace.db")
const { tenant } = Run.make("trip")
let secret = ""
afterAll(shell.remove)
beforeAll(async () => {
  const { code, err } = await shell.run(["run", "trip", "--agent", fixture("agent.ts"), "--snapshots", "micro"])
  assert.strictEqual(code, 0, err)
  await shell.run(["fork", "trip@5", "--as", "other"])
  secret = readFileSync(shell.path(".backstitch/secret"), "utf8").trim()
  settle(file)
})

/** Brings the log of a file into it. */
const settle = (name: string): void => {
  const database = new DatabaseSync(name)
  database.exec("pragma wal_checkpoint(truncate)")
  database.close()
}

/** Lists the findings of `verify --all`, and the errors of an agent that comes with the secret. */
const looked = (store: SqlTraceStore.SqlLayer): Promise<ReadonlyArray<string>> => {
  const services = History.layer(Kernel.standard).pipe(Layer.provideMerge(PackLibrary.layer), Layer.provideMerge(store))
  const program = Effect.gen(function* () {
    const traces = yield* TraceStore.TraceStore
    const found = (yield* traces.faults).map(({ found, table }) => `${table} ${found}`)
    if (found.some((each) => each.endsWith("absent"))) return found
    const runs = yield* traces.runs(tenant)
    for (const { run } of runs) {
      const { consistent, damage } = yield* RunVerification.verify(run)
      if (!consistent || damage.length > 0) found.push(`run ${run.id}`)
    }
    for (const name of ["trip", "other"]) if (!runs.some(({ run }) => run.id === name)) found.push(`${name} is gone`)
    if (found.length === 0) found.push(...(yield* ClaimIndex.differences(tenant)).map(({ name }) => name))
    yield* SecretFingerprint.check(secret, tenant)
    return found
  }).pipe(Effect.scoped, Effect.provide(services))
  return Effect.runPromiseExit(program as Effect.Effect<ReadonlyArray<string>, unknown>).then((exit) =>
    Exit.isSuccess(exit) ? exit.value : ["it fails"]
  )
}

/** A generator of its own, so that what fails can be repeated. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

type Value = string | number | bigint | Uint8Array | null

const flipped = (value: Value, next: () => number): Value => {
  if (value === null) return 1
  if (typeof value === "number" || typeof value === "bigint") return Number(value) ^ (1 << Math.floor(next() * 4))
  const bytes = Buffer.from(value as string)
  const at = Math.floor(next() * bytes.length)
  // The lowest bits of what is ASCII make other ASCII.
  bytes[at]! ^= 1 << Math.floor(next() * 3)
  return typeof value === "string" ? bytes.toString("utf8") : bytes
}

interface Database {
  readonly all: (sql: string) => Promise<ReadonlyArray<Readonly<Record<string, Value>>>>
  readonly exec: (sql: string) => Promise<unknown>
  readonly quote: (bytes: Uint8Array) => string
  readonly store: SqlTraceStore.SqlLayer
}

const literal = (value: Value, { quote }: Database): string =>
  value === null
    ? "null"
    : value instanceof Uint8Array
      ? quote(value)
      : typeof value === "string"
        ? `'${value.replaceAll("'", "''")}'`
        : String(value)

/** The tables that say what was done, by their columns; leases and waiters decide nothing about it. */
const tables: Readonly<Record<string, ReadonlyArray<string>>> = {
  run: ["tenant", "name", "parent", "parent_tick", "tick", "link", "story"],
  transition: ["id", "link", "story", "body", "stamp", "envelope"],
  claim: ["tenant", "namespace", "name", "owner", "run", "tick"],
  blob: ["digest", "text"],
  snapshot: ["id", "text"],
  fingerprint: ["tenant", "digest"]
}

/** A snapshot of a tick whose state digest was not committed is never read. */
const isUnread = async (database: Database, id: Value): Promise<boolean> => {
  const [row] = await database.all(`select stamp from transition where id = ${String(id)}`)
  return row !== undefined && !String(row["stamp"]).includes('"state"')
}

/** Changes a value in each column of each table, some rows of each, and answers what nothing noticed. */
const unnoticed = async (database: Database, rounds: number): Promise<ReadonlyArray<string>> => {
  const next = random(7)
  const silent: Array<string> = []
  let count = 0
  assert.deepStrictEqual(await looked(database.store), [])
  for (const [table, columns] of Object.entries(tables)) {
    const rows = await database.all(`select * from ${table}`)
    assert.isAbove(rows.length, 0, table)
    for (const column of columns.filter((each) => Object.hasOwn(rows[0]!, each))) {
      for (let round = 0; round < rounds; round++) {
        const row = rows[Math.floor(next() * rows.length)]!
        const value = flipped(row[column]!, next)
        const where = (given: Readonly<Record<string, Value>>) =>
          Object.entries(given)
            .map(([name, each]) => (each === null ? `${name} is null` : `${name} = ${literal(each, database)}`))
            .join(" and ")
        const set = (to: Value) => `update ${table} set ${column} = ${literal(to, database)}`
        const changed = await database.exec(`${set(value)} where ${where(row)}`).then(
          () => true,
          () => false
        )
        if (!changed) continue
        count++
        const isFound = (await looked(database.store)).length > 0
        const isIrrelevant = table === "snapshot" && column === "id" && (await isUnread(database, value))
        if (!isFound && !isIrrelevant) silent.push(`${table}.${column}: ${String(value).slice(0, 60)}`)
        await database.exec(`${set(row[column]!)} where ${where({ ...row, [column]: value })}`)
      }
    }
  }
  assert.isAbove(count, 20)
  assert.deepStrictEqual(await looked(database.store), [])
  return silent
}

const sqlite = (name: string): Database => {
  const database = new DatabaseSync(name)
  return {
    all: async (sql) => database.prepare(sql).all() as Array<Record<string, Value>>,
    exec: async (sql) => database.exec(sql),
    quote: (bytes) => `x'${Buffer.from(bytes).toString("hex")}'`,
    store: SqlTraceStore.layerSqlite({ filename: name })
  }
}

describe("a store in which something was changed", () => {
  it("on SQLite is told from an intact one, for every value of every table (L3)", async () => {
    const copy = shell.path("values.db")
    copyFileSync(file, copy)
    assert.deepStrictEqual(await unnoticed(sqlite(copy), 6), [])
  }, 240_000)

  it("is told from one that is whole if a table was emptied, or a name is not in the index (L3)", async () => {
    const copy = shell.path("emptied.db")
    const whole = sqlite(file)
    const names = await whole.all("select tenant, namespace, name from claim")
    assert.isAbove(names.length, 3)
    const losses = ["run", "transition", "claim", "blob", "fingerprint"].map((table) => `delete from ${table}`)
    for (const { name, namespace } of names) {
      const [space, own] = [namespace!, name!].map((each) => literal(each, whole))
      losses.push(`delete from claim where namespace = ${space} and name = ${own}`)
    }
    for (const loss of losses) {
      copyFileSync(file, copy)
      const database = sqlite(copy)
      await database.exec(loss)
      assert.notDeepEqual(await looked(database.store), [], loss)
    }
  }, 240_000)

  it("on Postgres is told from an intact one, for every value of every table (L3)", async () => {
    const options = {
      url: process.env["BACKSTITCH_TEST_POSTGRES"] ?? assert.fail("no Postgres was started for this run"),
      schema: `damage_${process.pid}`,
      connectionsMax: 2
    }
    const store = SqlTraceStore.layerPostgres(options)
    await Effect.runPromise(moved(store))
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const postgres = yield* Postgres.open(options)
          const execute = (sql: string) => postgres.execute<Record<string, Value>>({ name: "", sql }, [])
          const silent = yield* Effect.promise(() =>
            unnoticed(
              {
                all: async (sql) => (await execute(sql)).rows,
                exec: execute,
                quote: (bytes) => `'\\x${Buffer.from(bytes).toString("hex")}'::bytea`,
                store
              },
              2
            )
          )
          yield* Effect.promise(() => execute(`drop schema "${options.schema}" cascade`))
          assert.deepStrictEqual(silent, [])
        })
      )
    )
  }, 240_000)

  it("holds the same rows after a byte of its file was changed and the change was not noticed", async () => {
    const next = random(11)
    const bytes = readFileSync(file)
    const copy = shell.path("bytes.db")
    const content = (name: string): string => {
      const database = new DatabaseSync(name, { readOnly: true })
      const all = Object.keys(tables).map((table) => database.prepare(`select * from ${table}`).all())
      database.close()
      return JSON.stringify(all, (_, value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value
      )
    }
    const whole = content(file)
    assert.deepStrictEqual(await looked(SqlTraceStore.layerSqlite({ filename: file })), [])
    settle(file)
    let found = 0
    for (let round = 0; round < 150; round++) {
      const changed = Buffer.from(bytes)
      changed[Math.floor(next() * bytes.length)]! ^= 1 << Math.floor(next() * 8)
      writeFileSync(copy, changed)
      if ((await looked(SqlTraceStore.layerSqlite({ filename: copy }))).length > 0) found++
      else assert.strictEqual(content(copy), whole, `round ${round}`)
    }
    assert.isAbove(found, 10)
  }, 240_000)
})

/** The runs of the file in another store, with snapshots of their own. */
const moved = (to: SqlTraceStore.SqlLayer) =>
  Effect.gen(function* () {
    const over = (store: SqlTraceStore.SqlLayer) =>
      History.layer(Kernel.standard).pipe(Layer.provideMerge(PackLibrary.layer), Layer.provideMerge(store))
    const exports = yield* Effect.forEach(["trip", "other"], (name) => RunExport.exportRun(Run.make(name))).pipe(
      Effect.provide(over(SqlTraceStore.layerSqlite({ filename: file })), { local: true })
    )
    yield* Effect.gen(function* () {
      const history = yield* History.History
      for (const each of exports) yield* RunExport.importRun(each)
      const run = Run.make("trip")
      // The ends of its last commits: of others no digest is committed, and a snapshot there is never read.
      const ends = (yield* history.transitions(run)).filter(({ stamp }) => stamp.state !== undefined).slice(-3)
      assert.strictEqual(ends.length, 3)
      for (const { tick } of ends) yield* history.snapshot(run, yield* history.at(run, tick))
      yield* SecretFingerprint.accept(secret, tenant)
    }).pipe(Effect.provide(over(to), { local: true }))
  })
