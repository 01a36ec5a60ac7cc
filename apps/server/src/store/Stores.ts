/**
 * The store of a server: each effect of a request runs within it, for the tenant of its caller and for no other.
 */
import * as Kernel from "@backstitch/kernel/Kernel"
import * as CommitMetrics from "@backstitch/runtime/CommitMetrics"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as ExpectedTick from "@backstitch/runtime/ExpectedTick"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Sealing from "@backstitch/runtime/Sealing"
import * as TenantKeys from "@backstitch/runtime/TenantKeys"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlApiKeys from "@backstitch/sql/SqlApiKeys"
import * as SqlLeases from "@backstitch/sql/SqlLeases"
import * as SqlNotes from "@backstitch/sql/SqlNotes"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as SqlVault from "@backstitch/sql/SqlVault"
import * as SqlWriteAnswers from "@backstitch/sql/SqlWriteAnswers"
import * as StorePlace from "@backstitch/sql/StorePlace"
import type * as ApiKeys from "@backstitch/trace/ApiKeys"
import type * as Leases from "@backstitch/trace/Leases"
import type * as Notes from "@backstitch/trace/Notes"
import type { Tenant } from "@backstitch/trace/Run"
import type { TraceStore, TraceStoreError } from "@backstitch/trace/TraceStore"
import type * as WriteAnswers from "@backstitch/trace/WriteAnswers"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import * as Secrets from "./Secrets.ts"

/** The services of a request: all that a store keeps, and a coordinator that decides and calls no tool. */
export type Services =
  | ApiKeys.ApiKeys
  | Coordinator.Coordinator
  | History.History
  | Leases.Leases
  | Notes.Notes
  | PackLibrary.PackLibrary
  | Sealing.Sealing
  | ToolExecutor.ToolExecutor
  | TraceStore
  | WriteAnswers.WriteAnswers

/** Service that gives a request its services, for one tenant. */
export class Stores extends Context.Service<
  Stores,
  { readonly of: (tenant: Tenant) => Effect.Effect<Context.Context<Services>, TraceStoreError, Scope.Scope> }
>()("@backstitch/server/Stores") {}

/** Traces whose commits are counted, and kept to the tick that a write expects. */
const traces = (store: SqlTraceStore.SqlLayer) =>
  ExpectedTick.layer.pipe(Layer.provide(CommitMetrics.layer), Layer.provide(store))

/** Layer of a store: everything that it keeps, for all tenants. */
export const layerStore = (address: string, secrets: Secrets.EnvironmentSecrets) =>
  History.layer(Kernel.standard).pipe(
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        traces(SqlTraceStore.layerFromAddress(address)),
        SqlLeases.layerFromAddress(address),
        SqlNotes.layerFromAddress(address),
        SqlApiKeys.layerFromAddress(address),
        SqlWriteAnswers.layerFromAddress(address),
        Secrets.layerSealing(address, secrets)
      )
    )
  )

const deciding = Coordinator.layerDeciding()

/** The connections of all tenants of a database: those that commit, and those of leases, which wait for no flush. */
const connect = Effect.fnUntraced(function* (url: string, connectionsMax: number | undefined) {
  const [{ prepare }, TenantConnections] = yield* Effect.promise(() =>
    Promise.all([import("@backstitch/sql/RowSecurity"), import("@backstitch/sql/TenantConnections")])
  )
  yield* prepare({ url })
  const leases = { isFlushed: false, connectionsMax: Limits.pacing.tenantLeaseConnectionsMax, tenantConnectionsMax: 1 }
  return {
    traces: yield* TenantConnections.make({ url, connectionsMax }),
    leases: yield* TenantConnections.make({ url, ...leases })
  }
})

/** The services of one tenant on Postgres, whose connections see no row of another. */
const single = (
  url: string,
  tenant: Tenant,
  shared: {
    readonly connections: Effect.Success<ReturnType<typeof connect>>
    readonly keys: Layer.Layer<TenantKeys.TenantKeys>
  }
) => {
  const { connections, keys } = shared
  const options = { url, tenant, connections: connections.traces.of(tenant) }
  const sealing = Sealing.layer.pipe(Layer.provide([keys, SqlVault.layerPostgres(options)]))
  return deciding.pipe(
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        sealing,
        traces(SqlTraceStore.layerPostgres(options)),
        SqlLeases.layerPostgres({ ...options, connections: connections.leases.of(tenant) }),
        SqlNotes.layerPostgres(options),
        SqlApiKeys.layerPostgres(options),
        SqlWriteAnswers.layerPostgres(options)
      )
    )
  )
}

/**
 * Layer of the services of requests. On Postgres those of each tenant are under row-level security, over connections
 * that all tenants share: at most `connectionsMax`. What is remembered for a tenant is forgotten when it has asked for
 * nothing for a while.
 */
export const layer = (address: string, { connectionsMax }: { readonly connectionsMax?: number } = {}) =>
  Layer.effect(
    Stores,
    Effect.gen(function* () {
      const shared = yield* Effect.context<Services | TenantKeys.TenantKeys>()
      const place = StorePlace.fromAddress(address)
      if (place._tag !== "Postgres") return Stores.of({ of: () => Effect.succeed(shared) })
      const { url } = place
      const connections = yield* connect(url, connectionsMax)
      const keys = Layer.succeed(TenantKeys.TenantKeys, Context.get(shared, TenantKeys.TenantKeys))
      const opened = yield* RcMap.make({
        // Made anew: what was built for all tenants has the connections of the owner.
        lookup: (tenant: Tenant) => Layer.build(Layer.fresh(single(url, tenant, { connections, keys }))),
        idleTimeToLive: Limits.pacing.tenantIdleMillis
      })
      return Stores.of({ of: (tenant) => RcMap.get(opened, tenant) })
    })
  ).pipe(Layer.provide(deciding))

/** Provides an effect with the store of a tenant, for as long as the request lasts. */
export const within = <A, E, R>(tenant: Tenant, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const services = yield* (yield* Stores).of(tenant)
    return yield* Effect.provide(effect, services)
  })
