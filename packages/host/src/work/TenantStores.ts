/**
 * The store with which the runs of a tenant are worked on.
 *
 * A host finds the work of all tenants in the store that it is given. What it then does for a run, it does in the store
 * of the tenant of that run: the same one, unless the host is told of another. On Postgres a store can be
 * limited to one tenant, so that a mistake of a host or of an agent cannot reach the others.
 *
 * @source docs/decisions/0077
 */
import type * as History from "@backstitch/runtime/History"
import type * as PackLibrary from "@backstitch/runtime/PackLibrary"
import type * as Leases from "@backstitch/trace/Leases"
import type * as Notes from "@backstitch/trace/Notes"
import type { Tenant } from "@backstitch/trace/Run"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

/** The services of a store that a host works with. A store that seals values has `Sealing` beside them. */
export type Services = History.History | Leases.Leases | Notes.Notes | PackLibrary.PackLibrary | TraceStore.TraceStore

/**
 * Answers the services of the store of a tenant, for as long as the scope is open. Their layers are built afresh for
 * each tenant: one that is built once has the store of the first.
 */
export type StoreOf = (
  tenant: Tenant
) => Effect.Effect<Context.Context<Services>, TraceStore.TraceStoreError, Scope.Scope>

/** The stores of the tenants of a host. */
export interface TenantStores {
  /** Uses the services of the store of a tenant, which stay open until the effect ends. */
  readonly using: <A, E, R>(
    tenant: Tenant,
    use: (store: Context.Context<Services>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TraceStore.TraceStoreError, R>
  /** Carries out an effect in the store of a tenant. */
  readonly within: (
    tenant: Tenant
  ) => <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TraceStore.TraceStoreError, Exclude<R, Services>>
}

/** Creates the stores: those that `storeOf` answers, and the given services for each tenant without it. */
export const make = (
  services: Context.Context<Services>,
  storeOf: StoreOf = () => Effect.succeed(services)
): TenantStores => {
  const using: TenantStores["using"] = (tenant, use) =>
    Effect.acquireUseRelease(
      Scope.make(),
      (scope) => Effect.flatMap(Scope.provide(storeOf(tenant), scope), use),
      (scope, exit) => Scope.close(scope, exit)
    )
  return {
    using,
    within: (tenant) => (effect) => using(tenant, (store) => Effect.provideContext(effect, store))
  }
}
