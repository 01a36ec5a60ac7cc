/**
 * Makes, recognises and revokes the keys of callers.
 *
 * A key is a random text that is shown once: `bsk_`, the id, `_` and the secret. Only the digest of the secret is kept.
 *
 * @see {@link ApiKeys} for the keys as a store keeps them, `KeyDesk` for an admin who changes them
 * @source docs/decisions/0067
 */
import { randomBytes, timingSafeEqual } from "node:crypto"
import { type ApiKey, ApiKeys } from "@backstitch/trace/ApiKeys"
import * as Digest from "@backstitch/trace/Digest"
import type { Tenant } from "@backstitch/trace/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Error for a key that the tenant does not have. It reveals nothing about keys of others. */
export class KeyUnknown extends Schema.TaggedError<KeyUnknown>("@backstitch/runtime/KeyUnknown")("KeyUnknown", {
  tenant: Schema.String,
  key: Schema.String
}) {
  override get message(): string {
    return `Tenant ${this.tenant} has no key "${this.key}". List its keys to find the id`
  }
}

/** A request for a key. */
export interface KeyRequest extends Pick<ApiKey, "capacities" | "name" | "role" | "tenant"> {}

/** Makes a key that nobody keeps yet. The text is answered here and nowhere else. */
export const make = Effect.fn("CallerKeys.make")(function* (request: KeyRequest) {
  const [id, secret] = [randomBytes(8).toString("hex"), randomBytes(32).toString("hex")]
  const created = yield* Clock.currentTimeMillis
  const key: ApiKey = { ...request, id, digest: digestOf(secret), created, revoked: null }
  return { key, text: `bsk_${id}_${secret}` }
})

/** Makes a key and keeps it. */
export const create = Effect.fn("CallerKeys.create")(function* (request: KeyRequest) {
  const made = yield* make(request)
  yield* (yield* ApiKeys).add(made.key)
  return made
})

/** Keeps a key that was made, by what its tenant is told of it and its text, unless it is kept already. */
export const keep = Effect.fn("CallerKeys.keep")(function* (
  tenant: Tenant,
  { key, text }: { readonly key: KeyTold; readonly text: string }
) {
  const keys = yield* ApiKeys
  // One that was revoked since is kept, and stays revoked.
  if ((yield* keys.find(key.id)) !== undefined) return
  const { capacities, created, id, name, role } = key
  const [, secret = ""] = /^bsk_[0-9a-f]{16}_([0-9a-f]{64})$/.exec(text) ?? []
  const facts = { tenant, id, name, role, capacities, created: Date.parse(created), revoked: null }
  yield* Effect.catch(keys.add({ ...facts, digest: digestOf(secret) }), (failure) =>
    // Another process may have kept it at the same moment.
    Effect.flatMap(keys.find(id), (known) => (known === undefined ? Effect.fail(failure) : Effect.void))
  )
})

/** Tells whether a text claims to be that of a key. Any other that a caller sends is a token. */
export const isText = (text: string): boolean => text.startsWith("bsk_")

/** Recognises the text of a key; `undefined` for any text that is no key in force. */
export const recognise = Effect.fn("CallerKeys.recognise")(function* (text: string) {
  const [, id, secret] = /^bsk_([0-9a-f]{16})_([0-9a-f]{64})$/.exec(text) ?? []
  if (id === undefined || secret === undefined) return undefined
  const key = yield* (yield* ApiKeys).find(id)
  if (key === undefined || key.revoked !== null) return undefined
  return timingSafeEqual(Buffer.from(key.digest, "hex"), Buffer.from(digestOf(secret), "hex")) ? key : undefined
})

/** Revokes a key of a tenant. A revoked key stays revoked, since the time of the first revocation. */
export const revoke = Effect.fn("CallerKeys.revoke")(function* (tenant: Tenant, id: string) {
  const key = yield* (yield* ApiKeys).revoke(tenant, id, yield* Clock.currentTimeMillis)
  return key ?? (yield* new KeyUnknown({ tenant, key: id }))
})

/** A key as its tenant sees it, as plain JSON. */
export interface KeyTold extends Pick<ApiKey, "capacities" | "id" | "name" | "role"> {
  readonly created: string
  readonly revoked: string | null
}

/** Tells of a key. */
export const told = ({ capacities, created, id, name, revoked, role }: ApiKey): KeyTold => ({
  id,
  name,
  role,
  capacities,
  created: new Date(created).toISOString(),
  revoked: revoked === null ? null : new Date(revoked).toISOString()
})

const digestOf = (secret: string): string => Digest.ofText("backstitch.api-key.1", secret)
