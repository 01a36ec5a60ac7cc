/**
 * The store of a server: each effect of a request runs within it, for the tenant of its caller and for no other.
 */
import * as Assignments from "@backstitch/host/Assignments"
import * as WebhookOutbox from "@backstitch/host/WebhookOutbox"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as CommitMetrics from "@backstitch/runtime/CommitMetrics"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as ExpectedTick from "@backstitch/runtime/ExpectedTick"
import * as FeedCursor from "@backstitch/runtime/FeedCursor"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Sealing from "@backstitch/runtime/Sealing"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type * as Postgres from "@backstitch/sql/Postgres"
import type * as RowSecurity from "@backstitch/sql/RowSecurity"
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
import * as StoreFaults from "../upkeep/StoreFaults.ts"
import * as Secrets from "./Secrets.ts"

/** The services of a request: all that a store keeps, and a coordinator that decides and calls no tool. */
export type RequestServices =
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
  { readonly of: (tenant: Tenant) => Effect.Effect<Context.Context<RequestServices>, TraceStoreError, Scope.Scope> }
>()("@backstitch/server/Stores") {}

/** Traces whose commits are counted, and kept to the tick that a write expects. */
const traces = (store: SqlTraceStore.SqlLayer) =>
  ExpectedTick.layer.pipe(Layer.provide(CommitMetrics.layer), Layer.provide(store))

/** The ports of a store. */
type Port = ApiKeys.ApiKeys | Leases.Leases | Notes.Notes | Sealing.Sealing | TraceStore | WriteAnswers.WriteAnswers

/** The services over the ports of a store. */
const over = <E>(ports: Layer.Layer<Port, E>) =>
  Coordinator.layerDeciding().pipe(
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(ports)
  )

/** The place of a store, and its secrets. */
export interface Place {
  readonly store: string
  readonly secrets: Secrets.EnvironmentSecrets
}

/** One store for all tenants: a file has no connections to keep apart. */
const onFile = ({ secrets, store }: Place) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const shared = yield* Layer.build(
        over(
          Layer.mergeAll(
            traces(SqlTraceStore.layerFromAddress(store)),
            SqlLeases.layerFromAddress(store),
            SqlNotes.layerFromAddress(store),
            SqlApiKeys.layerFromAddress(store),
            SqlWriteAnswers.layerFromAddress(store),
            Secrets.layerSealing(store, secrets)
          )
        )
      )
      return Context.add(shared, Stores, { of: () => Effect.succeed(shared) })
    })
  )

/** The notes of all tenants that a server looks for: open work, webhooks that are due, and places that nobody needs. */
const notes = {
  listed: [Assignments.kind, WebhookOutbox.kind],
  expired: [{ kind: FeedCursor.kind, keptMillis: Limits.pacing.cursorKeptMillis }]
}

/** The connections of all tenants of a database: those that commit, and those of leases, which wait for no flush. */
const connect = Effect.fnUntraced(function* (url: string, connectionsMax: number | undefined) {
  const [{ prepare }, TenantConnections] = yield* Effect.promise(() =>
    Promise.all([import("@backstitch/sql/RowSecurity"), import("@backstitch/sql/TenantConnections")])
  )
  yield* prepare({ url }, notes)
  const leases = { isFlushed: false, connectionsMax: Limits.pacing.tenantLeaseConnectionsMax, tenantConnectionsMax: 1 }
  return {
    traces: yield* TenantConnections.make({ url, connectionsMax }),
    leases: yield* TenantConnections.make({ url, ...leases })
  }
})

/** The ports that are asked about all tenants at once, by connections that see nothing else. */
const ofAll = Effect.fnUntraced(function* (url: string) {
  const Postgres = yield* Effect.promise(() => import("@backstitch/sql/Postgres"))
  const own = { url, isHost: true, connectionsMax: Limits.pacing.hostConnectionsMax }
  const options = { ...own, connections: yield* Postgres.open(own) }
  return yield* Layer.build(
    Layer.mergeAll(
      SqlNotes.layerPostgres(options),
      SqlApiKeys.layerPostgres(options),
      SqlWriteAnswers.layerPostgres(options)
    )
  )
})

/**
 * A store for each tenant, whose connections see no row of another. What is asked without a tenant sees none, except
 * what {@link ofAll} finds.
 */
const onPostgres = (url: string, secrets: Secrets.EnvironmentSecrets, connectionsMax: number | undefined) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const connections = yield* connect(url, connectionsMax)
      const keys = Layer.succeedContext(yield* Layer.build(Secrets.layerKeys(url, secrets)))
      /** Made anew for each tenant: a layer that is built once has the store of the first. */
      const made = (traced: Postgres.Postgres, leased: Postgres.Postgres) => {
        const options = { url, tenant: traced.tenant, connections: traced }
        return Layer.build(
          Layer.fresh(
            over(
              Layer.mergeAll(
                Sealing.layer.pipe(Layer.provide([keys, SqlVault.layerPostgres(options)])),
                traces(SqlTraceStore.layerPostgres(options)),
                SqlLeases.layerPostgres({ ...options, connections: leased }),
                SqlNotes.layerPostgres(options),
                SqlApiKeys.layerPostgres(options),
                SqlWriteAnswers.layerPostgres(options)
              )
            )
          )
        )
      }
      const opened = yield* RcMap.make({
        lookup: (tenant: Tenant) => made(connections.traces.of(tenant), connections.leases.of(tenant)),
        idleTimeToLive: Limits.pacing.tenantIdleMillis
      })
      const nobody = yield* made(connections.traces.ofNobody, connections.leases.ofNobody)
      return Context.add(Context.merge(nobody, yield* ofAll(url)), Stores, {
        of: (tenant) => RcMap.get(opened, tenant)
      })
    })
  )

/**
 * Layer of the stores of tenants, and of the services for what belongs to no single one. On Postgres those of each
 * tenant are under row-level security, over connections that all tenants share: at most `connectionsMax`. What is
 * remembered for a tenant is forgotten when it has asked for nothing for a while.
 */
export const layer = (
  place: Place,
  { connectionsMax }: { readonly connectionsMax?: number } = {}
): Layer.Layer<
  RequestServices | Stores,
  RowSecurity.PostgresTooOld | TraceStoreError | Layer.Error<ReturnType<typeof Secrets.layerKeys>>
> => {
  const found = StorePlace.fromAddress(place.store)
  return found._tag === "Postgres" ? onPostgres(found.url, place.secrets, connectionsMax) : onFile(place)
}

/** Provides an effect with the store of a tenant, for as long as the request lasts. Logs why the store fails. */
export const within = <A, E, R>(tenant: Tenant, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const services = yield* (yield* Stores).of(tenant)
    return yield* Effect.provide(effect, services)
  }).pipe(Effect.tapError(StoreFaults.log))
