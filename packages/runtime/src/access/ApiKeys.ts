/**
 * API keys: who calls a server, for which tenant, and in which role.
 *
 * `ApiKeys` is a port: a package of a database provides a layer that keeps keys beside traces. A key is a random text
 * that is shown once. The store has only its digest, so that nobody can call with what a backup holds. A key also
 * names the person who holds it, and the roles of packs in which that person may decide: this is the only source of
 * who decided.
 *
 * @source docs/decisions/0067
 */
import { randomBytes, timingSafeEqual } from "node:crypto"
import * as Digest from "@backstitch/trace/Digest"
import type { Tenant } from "@backstitch/trace/Run"
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Role } from "./Role.ts"

/** A key as a store keeps it. Times are epoch milliseconds. */
export interface ApiKey {
  readonly tenant: Tenant
  readonly id: string
  /** The name under which decisions of the holder are recorded. */
  readonly name: string
  readonly role: Role
  /** The roles of packs in which the holder may decide. */
  readonly capacities: ReadonlyArray<string>
  /** SHA-256 of the secret part of the text, as hex digits. */
  readonly digest: string
  readonly created: number
  readonly revoked: number | null
}

/** Error for a key that the tenant does not have. It reveals nothing about keys of others. */
export class KeyUnknown extends Schema.TaggedError<KeyUnknown>("@backstitch/runtime/KeyUnknown")("KeyUnknown", {
  tenant: Schema.String,
  key: Schema.String
}) {
  override get message(): string {
    return `Tenant ${this.tenant} has no key "${this.key}". List its keys to find the id`
  }
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
>()("@backstitch/runtime/ApiKeys") {}

/** A request for a key. */
export interface Asked extends Pick<ApiKey, "capacities" | "name" | "role" | "tenant"> {}

/** Makes a key and keeps it, once it is recorded. The text is answered here and nowhere else. */
export const create = Effect.fn("ApiKeys.create")(function* <E = never, R = never>(
  asked: Asked,
  record: (key: ApiKey) => Effect.Effect<void, E, R> = () => Effect.void
) {
  const keys = yield* ApiKeys
  const [id, secret] = [randomBytes(8).toString("hex"), randomBytes(32).toString("hex")]
  const created = yield* Clock.currentTimeMillis
  const key: ApiKey = { ...asked, id, digest: digestOf(secret), created, revoked: null }
  yield* record(key)
  yield* keys.add(key)
  return { key, text: `bsk_${id}_${secret}` }
})

/** Tells whether a text claims to be that of a key. Any other that a caller sends is a token. */
export const isText = (text: string): boolean => text.startsWith("bsk_")

/** Recognises the text of a key; `undefined` for any text that is no key in force. */
export const recognise = Effect.fn("ApiKeys.recognise")(function* (text: string) {
  const [, id, secret] = /^bsk_([0-9a-f]{16})_([0-9a-f]{64})$/.exec(text) ?? []
  if (id === undefined || secret === undefined) return undefined
  const key = yield* (yield* ApiKeys).find(id)
  if (key === undefined || key.revoked !== null) return undefined
  return timingSafeEqual(Buffer.from(key.digest, "hex"), Buffer.from(digestOf(secret), "hex")) ? key : undefined
})

/** Revokes a key of a tenant. A revoked key stays revoked, since the time of the first revocation. */
export const revoke = Effect.fn("ApiKeys.revoke")(function* (tenant: Tenant, id: string) {
  const key = yield* (yield* ApiKeys).revoke(tenant, id, yield* Clock.currentTimeMillis)
  return key ?? (yield* new KeyUnknown({ tenant, key: id }))
})

/** A key as its tenant sees it, as plain JSON. */
export const told = ({ capacities, created, id, name, revoked, role }: ApiKey) => ({
  id,
  name,
  role,
  capacities,
  created: new Date(created).toISOString(),
  revoked: revoked === null ? null : new Date(revoked).toISOString()
})

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

const digestOf = (secret: string): string => Digest.ofText("backstitch.api-key.1", secret)
