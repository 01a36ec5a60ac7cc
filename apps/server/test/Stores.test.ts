import * as CallerKeys from "@backstitch/runtime/CallerKeys"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as RepeatedWrites from "@backstitch/runtime/RepeatedWrites"
import * as SqlVault from "@backstitch/sql/SqlVault"
import * as ApiKeys from "@backstitch/trace/ApiKeys"
import * as Leases from "@backstitch/trace/Leases"
import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stores from "../src/store/Stores.ts"
import { park } from "./parked.ts"
import * as Places from "./places.ts"

const [own, foreign] = [Run.make("launch-1", "acme"), Run.make("launch-1", "beta")]
const postgres = Places.all(process.env["BACKSTITCH_TEST_POSTGRES"]).find(([name]) => name === "Postgres")!

const layer = (store: string) => Stores.layer({ store, secrets: { secret: "", sealingKey: "" } })

/** Writes a row of each kind for a run. */
const fill = (run: Run.Run) =>
  Effect.gen(function* () {
    const { tenant } = run
    yield* (yield* Leases.Leases).acquire(run, { holder: "somebody", ttlMillis: 60_000 })
    yield* (yield* Notes.Notes).put({ tenant, kind: "note", name: "one", text: `marker of ${tenant}` })
    const { key } = yield* CallerKeys.create({ tenant, name: "Ada", role: "viewer", capacities: [] })
    const request = { tenant, name: "request", digest: "a".repeat(64) }
    yield* RepeatedWrites.once(request, () => true, Effect.succeed({ status: 200, body: tenant }))
    return key.id
  })

describe("the store of a request", () => {
  it.live("has connections of one tenant for all that it keeps, and everything works on them (L15)", () =>
    Effect.gen(function* () {
      const store = (yield* postgres[1])!
      for (const run of [own, foreign]) yield* park(store, run)
      const shared = yield* Layer.build(layer(store))
      const theirs = yield* Effect.provide(fill(foreign), yield* Context.get(shared, Stores.Stores).of(foreign.tenant))
      const services = yield* Context.get(shared, Stores.Stores).of(own.tenant)
      yield* Effect.gen(function* () {
        const mine = yield* fill(own)
        const keys = yield* ApiKeys.ApiKeys
        assert.strictEqual((yield* keys.find(mine))?.tenant, own.tenant)
        assert.strictEqual(yield* keys.count, 1)
        assert.isUndefined(yield* keys.find(theirs))
        assert.isUndefined(yield* keys.revoke(foreign.tenant, theirs, 1))
        assert.deepStrictEqual(yield* keys.ofTenant(foreign.tenant), [])
        const notes = yield* Notes.Notes
        assert.deepStrictEqual(
          (yield* notes.list({ kind: "note", limit: 10 })).map(({ tenant }) => tenant),
          [own.tenant]
        )
        const leases = yield* Leases.Leases
        assert.isUndefined(yield* leases.find(foreign))
        assert.strictEqual((yield* leases.find(own))?.holder, "somebody")
        const foreignNote = { tenant: foreign.tenant, kind: "note", name: "two", text: "x" }
        for (const refused of [
          Effect.asVoid(notes.put(foreignNote)),
          Effect.asVoid(leases.acquire({ ...foreign, id: own.id }, { holder: "x", ttlMillis: 1 })),
          Effect.asVoid(CallerKeys.create({ tenant: foreign.tenant, name: "x", role: "admin", capacities: [] }))
        ]) {
          assert.strictEqual((yield* Effect.flip(refused))._tag, "TraceStoreError")
        }
        const traces = yield* TraceStore.TraceStore
        assert.isUndefined(yield* traces.info(foreign))
        const coordinator = yield* Coordinator.Coordinator
        const history = yield* History.History
        assert.strictEqual((yield* Effect.flip(Effect.scoped(coordinator.reopen(foreign))))._tag, "RunUnknown")
        assert.strictEqual((yield* Effect.flip(history.info(foreign)))._tag, "RunUnknown")
        assert.strictEqual((yield* history.info(own)).run.id, own.id)
        yield* Effect.scoped(coordinator.reopen(own))
        assert.isDefined(yield* PackLibrary.PackLibrary)
      }).pipe(Effect.provideContext(services))
    })
  )

  it.live("erases nothing by a connection of one tenant, which could not rewrite the tables", () =>
    Effect.gen(function* () {
      const store = (yield* postgres[1])!
      yield* park(store, own)
      const shared = yield* Layer.build(layer(store))
      yield* Context.get(shared, Stores.Stores).of(own.tenant)
      const { Vault } = yield* Effect.promise(() => import("@backstitch/trace/Vault"))
      const vault = yield* Layer.build(SqlVault.layerPostgres({ url: store, tenant: own.tenant }))
      const refused = yield* Effect.flip(Context.get(vault, Vault).erase(own.tenant, []))
      assert.include(String(refused.cause), "erase as the owner")
    })
  )
})
