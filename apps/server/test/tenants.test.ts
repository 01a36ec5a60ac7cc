/** Requests of one tenant for everything of another, at every route of the API (L15). */
import { DatabaseSync } from "node:sqlite"
import * as KeyRole from "@backstitch/trace/KeyRole"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Client } from "pg"
import { park } from "./parked.ts"
import * as Places from "./places.ts"
import * as Routes from "./routes.ts"
import { recorded, serve } from "./served.ts"

/** Every row of the owner, as text. Rows of keys and answers of the other tenants are left out. */
const rowsOf = async (store: string, tenant: string): Promise<string> => {
  if (store.startsWith("postgres://")) return rowsOnServer(store, tenant)
  const database = new DatabaseSync(store, { readOnly: true })
  const rows = ["run", "claim", "lease", "note", "api_key", "write_answer"].flatMap((table) =>
    database.prepare(`select * from ${table} where tenant = ? order by 1, 2`).all(tenant)
  )
  const runs = database.prepare("select * from transition where id / 16777216 in (select id from run where tenant = ?)")
  const text = JSON.stringify([rows, runs.all(tenant)])
  database.close()
  return text
}

const rowsOnServer = async (store: string, tenant: string): Promise<string> => {
  const client = new Client({ connectionString: store, options: "-c search_path=backstitch" })
  await client.connect()
  const found: Array<unknown> = []
  for (const table of ["run", "claim", "lease", "note", "api_key", "write_answer"]) {
    found.push((await client.query(`select * from ${table} where tenant = $1 order by 1, 2`, [tenant])).rows)
  }
  const own = "select * from transition where id / 16777216 in (select id from run where tenant = $1) order by id"
  found.push((await client.query(own, [tenant])).rows)
  await client.end()
  return JSON.stringify(found)
}

describe.each(Places.all(process.env["BACKSTITCH_TEST_POSTGRES"]))("tenants on %s", (_, place) => {
  it.live("see and change nothing of another tenant, in any role and at any route (L15)", () =>
    Effect.gen(function* () {
      const { ask, key, store } = yield* serve(yield* place, {}, 10_000, undefined, { workers: 1 })
      const owner = yield* key("default", "admin", { capacities: ["operator"] })
      yield* Effect.promise(() => ask("/v1/imports", { key: owner, lines: recorded("trip-43") }))
      const review = yield* park(store)
      const { keys } = (yield* Effect.promise(async () => (await ask("/v1/keys", { key: owner })).json())) as {
        keys: ReadonlyArray<{ id: string }>
      }
      const { webhook } = (yield* Effect.promise(async () =>
        (await ask("/v1/webhooks", { key: owner, json: { url: "http://127.0.0.1:9/marker-of-the-owner" } })).json()
      )) as { webhook: { endpoint: string } }
      const before = yield* Effect.promise(() => rowsOf(store, "default"))
      const own = { endpoint: webhook.endpoint, tenant: "default", digest: "1".repeat(64) }
      const none = { endpoint: `ep_${"3".repeat(32)}`, tenant: "nobody-is", digest: "2".repeat(64) }
      const foreign = { run: "launch-1", other: "launch-1", review, action: "a2", tick: "2", key: keys[0]!.id, ...own }
      const absent = {
        run: "launch-0",
        other: "launch-0",
        review: "r0",
        action: "a0",
        tick: "2",
        key: "0".repeat(16),
        ...none
      }
      /** An answer with the names of what was asked for taken out: nothing else may differ. */
      const told = (text: string, names: typeof foreign): string =>
        Object.values(names).reduce((rest, each) => (each.length < 3 ? rest : rest.replaceAll(each, "…")), text)
      let compared = 0
      for (const route of Routes.all) {
        const [made] = yield* Routes.bodies(route, 1, 1)
        for (const role of KeyRole.all) {
          const other = yield* key("beta", role, { capacities: ["operator"] })
          const request = (values: typeof foreign) =>
            Effect.promise(async () => {
              const response = await ask(Routes.pathOf(route, values), {
                method: route.method,
                key: other,
                ...(route.isImport ? { lines: recorded("trip-43") } : {}),
                ...(made === undefined ? {} : { json: Routes.naming(made, values.run) })
              })
              const isEndless = response.headers.get("content-type") === "text/event-stream"
              if (isEndless) await response.body?.cancel()
              return { status: response.status, text: isEndless ? "a stream" : await response.text() }
            })
          const [theirs, nobodys] = [yield* request(foreign), yield* request(absent)]
          const about = `${route.id} as ${role}: ${theirs.text.slice(0, 200)}`
          assert.notInclude(theirs.text, "marker-of-the-owner", about)
          assert.notInclude(theirs.text, "Three nights in Lugano", about)
          assert.strictEqual(theirs.status, nobodys.status, about)
          if (route.params.length > 0) {
            assert.strictEqual(told(theirs.text, foreign), told(nobodys.text, absent), about)
            assert.isAtLeast(theirs.status, 400, about)
          }
          if (!route.isSigned && (route.role === undefined || !KeyRole.permits(role, route.role)))
            assert.strictEqual(theirs.status, 403, about)
          compared++
        }
      }
      assert.strictEqual(compared, Routes.all.length * KeyRole.all.length)
      assert.strictEqual(yield* Effect.promise(() => rowsOf(store, "default")), before)
    })
  )
})
