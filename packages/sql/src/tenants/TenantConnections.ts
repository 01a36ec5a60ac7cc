/**
 * Connections of many tenants to one schema, of which there is a bounded number.
 *
 * **When to use** for a program that serves many tenants and has to see the rows of one at a time: each tenant has
 * stores of its own, whose statements go over connections of a role that sees no other tenant. `RowSecurity.prepare`
 * makes that role beforehand. Tenants that ask for nothing hold no connection.
 */
import type { Tenant } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as RcRef from "effect/RcRef"
import type * as Scope from "effect/Scope"
import { Client } from "pg"
import * as Limits from "../Limits.ts"
import * as Announcements from "../postgres/announcements.ts"
import * as Postgres from "../postgres/Postgres.ts"
import { watch } from "../postgres/postgresWatch.ts"
import { TenantPool } from "./tenantPool.ts"

/** The database, and how many connections there are: to it, and of one tenant. */
export interface Options extends Pick<Postgres.Options, "isFlushed" | "schema" | "url"> {
  /** Default: 20. */
  readonly connectionsMax?: number | undefined
  /** Default: 10. Fewer where one tenant would take all connections. */
  readonly tenantConnectionsMax?: number | undefined
}

/** The connections, as each tenant uses them. */
export interface TenantConnections {
  /**
   * The connections of a tenant, which see no row of another. A statement waits while all are taken. Whoever uses them
   * does not close them.
   */
  readonly of: (tenant: Tenant) => Postgres.Postgres
  /** The connections that name no tenant, and see no row of any. */
  readonly ofNobody: Postgres.Postgres
}

/** No name of a tenant is empty. */
const nobody = "" as Tenant

/** Creates the connections, which close with the scope. */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<TenantConnections, never, Scope.Scope> {
  const {
    connectionsMax = Limits.pacing.sharedConnectionsMax,
    tenantConnectionsMax = Limits.pacing.tenantConnectionsMax,
    ...place
  } = options
  const pool = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new TenantPool({
          client: (tenant) => new Client(Postgres.configOf({ ...place, tenant })),
          role: Postgres.tenantRole,
          connectionsMax,
          shareMax: Math.min(tenantConnectionsMax, Math.max(1, connectionsMax - 1)),
          idleMillis: Limits.pacing.sharedConnectionIdleMillis
        })
    ),
    (opened) => Effect.promise(() => opened.close())
  )
  const over = (tenant: Tenant) => Postgres.over(pool.of(tenant), { ...place, tenant })
  const ofNobody = over(nobody)

  const listeners = new Set<Postgres.Listener>()
  const told: Postgres.Listener = {
    ready: () => {
      for (const { ready } of listeners) ready()
    },
    heard: (payload) => {
      for (const { heard } of listeners) heard(payload)
    }
  }
  const announcements = yield* Announcements.make(ofNobody)
  const watched = yield* RcRef.make({ acquire: Effect.forkScoped(watch(ofNobody, told)) })

  /** One listener for all tenants: no tenant has a connection of its own for it. */
  const watching = (listener: Postgres.Listener) =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* Effect.acquireRelease(
          Effect.sync(() => listeners.add(listener)),
          () => Effect.sync(() => listeners.delete(listener))
        )
        yield* RcRef.get(watched)
        // It has not heard what was announced before that.
        listener.ready()
        return yield* Effect.never
      })
    )

  const shared: Postgres.Shared = { announcements, watch: watching }
  return { of: (tenant) => ({ ...over(tenant), shared }), ofNobody: { ...ofNobody, shared } }
})
