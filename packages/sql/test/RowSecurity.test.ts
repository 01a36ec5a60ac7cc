import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Client } from "pg"
import * as Postgres from "../src/postgres/Postgres.ts"
import * as PostgresTraceStore from "../src/postgres/PostgresTraceStore.ts"
import * as RowSecurity from "../src/tenants/RowSecurity.ts"
import { freshSchema, postgresUrl } from "./temporary.ts"

// The server's address is in BACKSTITCH_TEST_POSTGRES.
const [acme, other] = [Run.make("trip", "acme"), Run.make("trip", "other")]

describe("RowSecurity", () => {
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
