import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as ApiKeys from "@backstitch/trace/ApiKeys"
import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import * as WriteAnswers from "@backstitch/trace/WriteAnswers"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Client } from "pg"
import * as Postgres from "../src/postgres/Postgres.ts"
import * as PostgresTraceStore from "../src/postgres/PostgresTraceStore.ts"
import * as SqlApiKeys from "../src/SqlApiKeys.ts"
import * as SqlNotes from "../src/SqlNotes.ts"
import * as SqlWriteAnswers from "../src/SqlWriteAnswers.ts"
import * as RowSecurity from "../src/tenants/RowSecurity.ts"
import { freshSchema, postgresUrl } from "./temporary.ts"

// The server's address is in BACKSTITCH_TEST_POSTGRES.
const [acme, other] = [Run.make("trip", "acme"), Run.make("trip", "other")]
const places = { listed: ["work"], expired: [{ kind: "place", keptMillis: 86_400_000 }] }
/** The name of a note that was made some days ago. */
const ago = (days: number) => `${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)}/one`

describe("RowSecurity", () => {
  it.effect("refuses a version of Postgres in which views show the rows of every tenant, and names it", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(RowSecurity.refuse("postgres://db/app", 140_009))
      assert.include(refused.message, "Store postgres://db/app is a database of Postgres 14.9,")
      assert.include(refused.message, "Use Postgres 15 or later")
      for (const served of [150_000, 150_004, 170_002]) yield* RowSecurity.refuse("postgres://db/app", served)
    })
  )

  it.live("shows a store of one tenant no row of another, and writes none, whatever it is asked (L15)", () =>
    Effect.gen(function* () {
      const options = { url: postgresUrl(), schema: yield* freshSchema }
      yield* Effect.all([RowSecurity.prepare(options), RowSecurity.prepare(options)], { concurrency: 2 })
      const owner = yield* PostgresTraceStore.make(options)
      const own = yield* PostgresTraceStore.make({ ...options, tenant: acme.tenant, connectionsMax: 1 })
      for (const run of [acme, other])
        yield* SampleCommits.write(owner, run, SampleCommits.began, SampleCommits.noted("a"), SampleCommits.noted("b"))
      assert.lengthOf(yield* own.read(acme), 3)
      assert.deepStrictEqual(yield* own.read(other), [])
      assert.isUndefined(yield* own.info(other))
      assert.deepStrictEqual(yield* own.runs(other.tenant), [])
      yield* SampleCommits.write(own, acme, SampleCommits.noted("c"), SampleCommits.noted("d"))
      assert.lengthOf(yield* owner.read(acme), 5)
      const fresh = Run.make("second", "acme")
      yield* SampleCommits.write(own, fresh, SampleCommits.began, SampleCommits.noted("a"))
      assert.lengthOf(yield* owner.read(fresh), 2)
      const foreign = Run.make("second", "other")
      const refused = yield* Effect.flip(SampleCommits.write(own, foreign, SampleCommits.began))
      assert.strictEqual(refused._tag, "TraceStoreError")
      assert.isUndefined(yield* owner.info(foreign))
      assert.lengthOf(yield* owner.read(other), 3)
    }).pipe(Effect.scoped)
  )

  it.live("shows a host of all tenants what it has to find, and lets it delete what has expired (L15)", () =>
    Effect.gen(function* () {
      const options = { url: postgresUrl(), schema: yield* freshSchema }
      const prepared = RowSecurity.prepare(options, places)
      yield* Effect.all([prepared, prepared], { concurrency: 2 })
      const layers = (more: Partial<Postgres.Options>) =>
        Layer.build(
          Layer.fresh(
            Layer.mergeAll(
              SqlNotes.layerPostgres({ ...options, ...more }),
              SqlApiKeys.layerPostgres({ ...options, ...more }),
              SqlWriteAnswers.layerPostgres({ ...options, ...more })
            )
          )
        )
      const [owner, host] = [yield* layers({}), yield* layers({ isHost: true })]
      const key = {
        id: "k1",
        name: "Ada",
        role: "admin",
        capacities: [],
        digest: "a".repeat(64),
        created: 1,
        revoked: null
      } as const
      for (const { tenant } of [acme, other]) {
        for (const kind of ["work", "place", "secret"])
          yield* Context.get(owner, Notes.Notes).put({ tenant, kind, name: ago(3), text: "x" })
        yield* Context.get(owner, ApiKeys.ApiKeys).add({ ...key, id: `of ${tenant}`, tenant })
        const request = { tenant, name: "request", digest: "a".repeat(64) }
        yield* Context.get(owner, WriteAnswers.WriteAnswers).begin(request, { now: 1, until: 2 })
        yield* Context.get(owner, WriteAnswers.WriteAnswers).finish(request, { status: 200, body: "secret" }, 10)
      }
      const notes = Context.get(host, Notes.Notes)
      const found = (kind: string) => Effect.map(notes.list({ kind }), (all) => all.map(({ tenant }) => tenant))
      assert.deepStrictEqual(yield* found("work"), [acme.tenant, other.tenant])
      assert.deepStrictEqual(yield* found("place"), [acme.tenant, other.tenant])
      assert.deepStrictEqual(yield* found("secret"), [])
      const [work, place] = [
        { tenant: acme.tenant, kind: "work", name: ago(3) },
        { tenant: acme.tenant, kind: "place", name: ago(3) }
      ]
      // It is not there for a host that would delete it, and it stays.
      assert.isFalse(yield* notes.remove(work))
      assert.isTrue(yield* notes.remove(place))
      assert.deepStrictEqual(yield* found("place"), [other.tenant])
      assert.deepStrictEqual(yield* found("work"), [acme.tenant, other.tenant])
      const keys = Context.get(host, ApiKeys.ApiKeys)
      assert.strictEqual((yield* keys.find("of other"))?.tenant, other.tenant)
      assert.strictEqual(yield* keys.count, 2)
      const answers = Context.get(host, WriteAnswers.WriteAnswers)
      const renewed = { tenant: acme.tenant, name: "request", digest: "b".repeat(64) }
      for (const refused of [
        Effect.asVoid(notes.put({ ...place, text: "x" })),
        keys.add({ ...key, tenant: acme.tenant }),
        Effect.asVoid(keys.revoke(acme.tenant, "of acme", 1)),
        Effect.asVoid(answers.begin(renewed, { now: 20, until: 30 }))
      ]) {
        assert.include(String((yield* Effect.flip(refused)).cause), "permission denied")
      }
      const bare = yield* Postgres.open({ ...options, isHost: true })
      for (const table of [...RowSecurity.guarded, "blob", "version"]) {
        if (["note", "api_key"].includes(table)) continue
        const asked = Effect.tryPromise(() => bare.execute({ name: "", sql: `select * from ${table}` }, []))
        assert.include(String((yield* Effect.flip(asked)).cause), "permission denied", table)
      }
      assert.strictEqual(yield* answers.expire(5, 10), 0)
      assert.strictEqual(yield* answers.expire(10, 10), 2)
    }).pipe(Effect.scoped)
  )

  it.live(
    "lets a host delete nothing whose time is not over, however it asks, and whatever it might before (L15)",
    () =>
      Effect.gen(function* () {
        const options = { url: postgresUrl(), schema: yield* freshSchema }
        yield* RowSecurity.prepare(options, places)
        const owner = yield* Postgres.open({ ...options, connectionsMax: 1 })
        const host = yield* Postgres.open({ ...options, isHost: true, connectionsMax: 1 })
        const ask = <Row>(postgres: Postgres.Postgres, sql: string) =>
          Effect.promise(() => postgres.execute<Row>({ name: "", sql }, []))
        for (const [table, name] of [
          ["note", "host deletes place"],
          ["note", "host deletes place after 1"],
          ["write_answer", "host deletes"]
        ])
          yield* ask(owner, `create policy "${name}" on ${table} for delete to ${Postgres.hostRole} using (true)`)
        yield* RowSecurity.prepare(options, places)
        const later = Date.now() + 86_400_000
        for (const [name, until] of [
          ["over", 1],
          ["standing", later]
        ])
          yield* ask(owner, `insert into write_answer values ('acme', '${name}', '', ${until}, 200, 'a secret')`)
        for (const name of [ago(0), ago(1), ago(3)])
          yield* ask(owner, `insert into note values ('acme', 'place', '${name}', 'x', 1)`)
        assert.strictEqual((yield* ask(host, "delete from write_answer")).changed, 1)
        assert.strictEqual((yield* ask(host, "delete from note")).changed, 1)
        const left = "select name from write_answer union all select name from note order by name"
        assert.deepStrictEqual(
          (yield* ask<{ readonly name: string }>(owner, left)).rows.map(({ name }) => name),
          [ago(1), ago(0), "standing"]
        )
      }).pipe(Effect.scoped)
  )

  it.live("lets every table be read by a connection of a tenant for that tenant alone (L15)", () =>
    Effect.gen(function* () {
      const options = { url: postgresUrl(), schema: yield* freshSchema }
      yield* RowSecurity.prepare(options)
      const owner = yield* PostgresTraceStore.make(options)
      for (const run of [acme, other])
        yield* SampleCommits.write(owner, run, SampleCommits.began, SampleCommits.noted("a"), SampleCommits.noted("b"))
      const rows = yield* Effect.promise(async () => {
        const client = new Client({ connectionString: options.url })
        await client.connect()
        await client.query(`set search_path to "${options.schema}"`)
        const { rows: tables } = await client.query<{ name: string }>(
          `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace ` +
            `where n.nspname = '${options.schema}' and c.relkind = 'r' and not c.relrowsecurity`
        )
        await client.query(`set role ${Postgres.tenantRole}`)
        await client.query("select set_config('backstitch.tenant', 'acme', false)")
        const count = async (sql: string) => Number((await client.query<{ count: string }>(sql)).rows[0]!.count)
        const found = {
          open: tables.map(({ name }) => name).sort(),
          foreign: await count("select count(*) from run where tenant <> 'acme'"),
          runs: await count("select count(*) from run"),
          transitions: await count("select count(*) from transition"),
          standing: await count("select count(*) from standing")
        }
        await client.query("select set_config('backstitch.tenant', '', false)")
        const nobody = await count("select count(*) from transition")
        await client.end()
        return { ...found, nobody }
      })
      // Texts are reached by their digest, and the version says nothing of anybody.
      assert.deepStrictEqual(rows, {
        open: ["blob", "version"],
        foreign: 0,
        runs: 1,
        transitions: 3,
        standing: 1,
        nobody: 0
      })
    }).pipe(Effect.scoped)
  )
})
