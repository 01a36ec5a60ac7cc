import * as Notes from "@backstitch/trace/Notes"
import type { Tenant } from "@backstitch/trace/Run"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as lab from "../../runtime/test/lab.ts"
import * as Assignments from "../src/work/Assignments.ts"
import * as RunHost from "../src/work/RunHost.ts"
import * as TenantStores from "../src/work/TenantStores.ts"
import * as hall from "./hall.ts"

const [mine, theirs] = [Run.make("trip", "acme"), Run.make("trip", "beta")]

describe("TenantStores", () => {
  it.live("are where the runs of each tenant are worked on, and stay open as long as somebody works on one (L15)", () =>
    Effect.gen(function* () {
      const shared = yield* hall.store
      const notes = Context.get(yield* Layer.build(shared), Notes.Notes)
      const stores = new Map<Tenant, Layer.Layer<hall.Stored>>()
      // The notes are those of all, as in one database: the host finds the assignments there.
      for (const { tenant } of [mine, theirs])
        stores.set(tenant, Layer.mergeAll(yield* hall.store, Layer.succeed(Notes.Notes, notes)))
      let open = 0
      const storeOf: TenantStores.StoreOf = (tenant) =>
        Effect.andThen(
          Effect.acquireRelease(
            Effect.sync(() => open++),
            () => Effect.sync(() => open--)
          ),
          Layer.build(Layer.fresh(hall.process(stores.get(tenant)!)))
        )
      const agents = { travel: hall.agent(new lab.World(), hall.script(hall.launch, lab.tell("ada"))) }
      const host = hall.host(Layer.mergeAll(shared, Layer.succeed(Notes.Notes, notes)), agents, { storeOf })
      yield* Effect.gen(function* () {
        const { start } = yield* RunHost.RunHost
        for (const run of [mine, theirs]) yield* start(run, { agent: "travel" })
        for (const run of [mine, theirs]) yield* hall.until("waiting", run)
        assert.strictEqual(open, 2)
        assert.deepStrictEqual(yield* (yield* TraceStore.TraceStore).runs(mine.tenant), [])
      }).pipe(hall.within(host))
      assert.strictEqual(open, 0)
      // The next host finds both, and goes on with the one that was decided.
      yield* hall.decide(stores.get(mine.tenant)!, "approved", mine)
      yield* Effect.gen(function* () {
        yield* hall.until("ended", mine)
        yield* hall.until("waiting", theirs)
        assert.deepStrictEqual(
          (yield* Assignments.all).map(({ run }) => run),
          [theirs]
        )
      }).pipe(hall.within(host))
      assert.strictEqual(open, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("are closed behind a failure, and the one at hand is that of every tenant unless another is named", () =>
    Effect.gen(function* () {
      const services = yield* Effect.context<TenantStores.Services>()
      let closed = 0
      const closing = Effect.addFinalizer(() => Effect.sync(() => closed++))
      const own = TenantStores.make(services, () => Effect.as(closing, services))
      const failed = own.within(mine.tenant)(Effect.andThen(TraceStore.TraceStore, Effect.fail("refused")))
      assert.strictEqual(yield* Effect.flip(failed), "refused")
      assert.strictEqual(closed, 1)
      const at = Context.get(services, TraceStore.TraceStore)
      assert.strictEqual(yield* TenantStores.make(services).within(mine.tenant)(TraceStore.TraceStore), at)
    }).pipe(Effect.provide(hall.process(Layer.mergeAll(Layer.unwrap(hall.store)))))
  )
})
