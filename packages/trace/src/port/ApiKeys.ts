/**
 * The keys with which callers are known to a server: for which tenant, and in which role.
 *
 * A package of a database provides a layer that keeps keys beside traces. A store has only the digest of a key, so that
 * nobody can call with what a backup holds. A key also names the person who holds it, and the roles of packs in which
 * that person may decide: this is the only source of who decided.
 *
 * @source docs/decisions/0067
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Tenant } from "../chain/Run.ts"
import type { KeyRole } from "./KeyRole.ts"
import type { TraceStoreError } from "./TraceStore.ts"

/** A key as a store keeps it. Times are epoch milliseconds. */
export interface ApiKey {
  readonly tenant: Tenant
  readonly id: string
  /** The name under which decisions of the holder are recorded. */
  readonly name: string
  readonly role: KeyRole
  /** The roles of packs in which the holder may decide. */
  readonly capacities: ReadonlyArray<string>
  /** SHA-256 of the secret part of the text, as hex digits. */
  readonly digest: string
  readonly created: number
  readonly revoked: number | null
}

/** Service that keeps keys. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Keeps a new key. */
    readonly add: (key: ApiKey) => Effect.Effect<void, TraceStoreError>
    /** The key with an id, of whichever tenant. */
    readonly find: (id: string) => Effect.Effect<ApiKey | undefined, TraceStoreError>
    /** The keys of a tenant in the order in which they were made, revoked ones included. */
    readonly ofTenant: (tenant: Tenant) => Effect.Effect<ReadonlyArray<ApiKey>, TraceStoreError>
    /** The number of keys that are not revoked, of all tenants. */
    readonly count: Effect.Effect<number, TraceStoreError>
    /** Revokes a key of a tenant, and answers it; `undefined` if the tenant has none with the id. */
    readonly revoke: (tenant: Tenant, id: string, at: number) => Effect.Effect<ApiKey | undefined, TraceStoreError>
  }
>()("@backstitch/trace/ApiKeys") {}

/** Layer that keeps keys within the current process. */
export const layerMemory: Layer.Layer<ApiKeys> = Layer.sync(ApiKeys, () => {
  const kept = new Map<string, ApiKey>()
  return ApiKeys.of({
    add: (key) => Effect.sync(() => void kept.set(key.id, key)),
    find: (id) => Effect.sync(() => kept.get(id)),
    ofTenant: (tenant) => Effect.sync(() => [...kept.values()].filter((key) => key.tenant === tenant)),
    count: Effect.sync(() => [...kept.values()].filter(({ revoked }) => revoked === null).length),
    revoke: (tenant, id, at) =>
      Effect.sync(() => {
        const key = kept.get(id)
        if (key === undefined || key.tenant !== tenant) return undefined
        const revoked = { ...key, revoked: key.revoked ?? at }
        kept.set(id, revoked)
        return revoked
      })
  })
})
