/**
 * Recognises the secret from which the keys of a tenant are derived, without keeping it.
 *
 * An act is recognised by its key. Under another secret every act has another key, so acts that were done would be
 * done again unnoticed. So a store keeps a keyed digest of the first secret, and refuses any other.
 *
 * **Gotchas**
 *
 * A fingerprint does not reveal a random secret. A guess of a weak secret can be tested against it, as against any
 * key.
 */
import type { Digest } from "@backstitch/trace/Digest"
import * as Hmac from "@backstitch/trace/Hmac"
import type { Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Error for a secret that differs from the one that the store knows. */
export class SecretDiffers extends Schema.TaggedError<SecretDiffers>("@backstitch/runtime/SecretDiffers")(
  "SecretDiffers",
  { tenant: Schema.String, known: Schema.String, given: Schema.String }
) {
  override get message(): string {
    return (
      `The keys of tenant ${this.tenant} are derived from another secret (${this.known.slice(0, 12)}…) than the one ` +
      `that was given (${this.given.slice(0, 12)}…). Nothing that was done would be recognised under it, and all of it ` +
      "could be done again. Give the secret of before, or accept this one expressly"
    )
  }
}

/**
 * Error for a store that does not know from which secret its keys are derived, because its table of fingerprints was
 * emptied, or its runs came from another store.
 */
export class SecretUnknown extends Schema.TaggedError<SecretUnknown>("@backstitch/runtime/SecretUnknown")(
  "SecretUnknown",
  { tenant: Schema.String, keys: Schema.Natural }
) {
  override get message(): string {
    return (
      `The store holds keys of actions of tenant ${this.tenant} (${this.keys}), and no fingerprint of the secret ` +
      "that they are derived from: it was lost, or the runs were imported. Under another secret nothing that was " +
      "done would be recognised, and all of it could be done again. Make sure of the secret, and accept it expressly"
    )
  }
}

/**
 * The relation of a secret to the one that a store knows.
 *
 * **Details**
 *
 * `another`, `missing`: the store knows another secret, or knows one and none is given. `unknown`: it knows none and
 * holds no keys. `unvouched`: it holds keys, and does not know from which secret they are derived.
 */
export type Relation = "same" | "another" | "missing" | "unvouched" | "unknown"

/** The fingerprint that a store knows, that of the given secret, and their relation. */
export interface Compared {
  readonly is: Relation
  readonly known: Digest | undefined
  readonly own: Digest | undefined
}

/**
 * The reason for which keys may not be derived from a secret. `unknown`: the store holds keys, and cannot tell from
 * which secret they are derived, be one given or not.
 */
export type SecretRefusal = "none" | "another" | "unknown"

/** Judges a compared secret: `undefined` if keys may be derived from it, or from a new one where none is given. */
export const refusalOf = ({ is, own }: Compared): SecretRefusal | undefined => {
  if (is === "same" || is === "unknown") return undefined
  if (is === "unvouched") return "unknown"
  return own === undefined ? "none" : "another"
}

/** Makes the fingerprint of a tenant's secret. */
export const of = (secret: string, tenant: Tenant): Digest =>
  Hmac.sign(secret, `backstitch.fingerprint.1\n${tenant}`) as Digest

/** Counts the keys of a tenant whose secret is not known: 0 if the store knows a fingerprint. */
export const unvouched = Effect.fnUntraced(function* (tenant: Tenant) {
  const store = yield* TraceStore.TraceStore
  if ((yield* store.fingerprint(tenant)) !== undefined) return 0
  return (yield* store.claims(tenant, { namespace: "key" })).length
})

/** Compares a secret, if one is given, with the one that the store knows. */
export const compare = Effect.fnUntraced(function* (secret: string | undefined, tenant: Tenant) {
  const store = yield* TraceStore.TraceStore
  const known = yield* store.fingerprint(tenant)
  const own = secret === undefined ? undefined : of(secret, tenant)
  const unknown = (yield* unvouched(tenant)) > 0 ? "unvouched" : "unknown"
  const is = known === undefined ? unknown : own === undefined ? "missing" : own === known ? "same" : "another"
  const compared: Compared = { is, known, own }
  return compared
})

/** Answers a secret unless the store knows another one, under which every key would look wrong. */
export const suiting = Effect.fnUntraced(function* (secret: string | undefined, tenant: Tenant) {
  const { is } = yield* compare(secret, tenant)
  return is === "another" ? undefined : secret
})

/**
 * Refuses a secret that differs from the one that the store knows, and any secret if the store holds keys and knows
 * none. It stores no fingerprint.
 */
export const check = Effect.fnUntraced(function* (secret: string, tenant: Tenant) {
  const store = yield* TraceStore.TraceStore
  const [given, known] = [of(secret, tenant), yield* store.fingerprint(tenant)]
  if (known !== undefined && known !== given) return yield* new SecretDiffers({ tenant, known, given })
  const keys = known === undefined ? yield* unvouched(tenant) : 0
  if (keys > 0) return yield* new SecretUnknown({ tenant, keys })
  return known
})

/**
 * Stores a secret's fingerprint as that of the tenant if the store knows none; refuses the secret if the store knows
 * another.
 */
export const take = Effect.fnUntraced(function* (secret: string, tenant: Tenant) {
  const store = yield* TraceStore.TraceStore
  if ((yield* check(secret, tenant)) !== undefined) return
  const given = of(secret, tenant)
  const known = yield* store.putFingerprint(tenant, { expected: undefined, next: given })
  if (known !== given) return yield* new SecretDiffers({ tenant, known, given })
})

/**
 * Stores the fingerprint of a tenant's secret before keys of other secrets are imported, if the store holds no keys and
 * knows none. Afterwards it could not tell from which secret its keys are derived, and no run could be begun.
 *
 * **Details**
 *
 * `secret` is asked for only then, since that may make it. With `undefined` nothing is stored: a tenant without a
 * secret begins no runs, and may import all the same.
 */
export const noteBeforeImport = Effect.fnUntraced(function* <E, R>(
  secret: Effect.Effect<string | undefined, E, R>,
  tenant: Tenant
) {
  const store = yield* TraceStore.TraceStore
  if ((yield* store.fingerprint(tenant)) !== undefined || (yield* unvouched(tenant)) > 0) return
  const given = yield* secret
  if (given === undefined) return
  // Another process that was faster has noted its secret, or imported keys.
  yield* Effect.catchTags(take(given, tenant), { SecretDiffers: () => Effect.void, SecretUnknown: () => Effect.void })
})

/**
 * Replaces the secret that the store knows; answers the earlier fingerprint.
 *
 * **Gotchas**
 *
 * Earlier acts are no longer recognised: an act that is proposed again is done again.
 */
export const accept = Effect.fnUntraced(function* (secret: string, tenant: Tenant) {
  const store = yield* TraceStore.TraceStore
  const next = of(secret, tenant)
  const expected = yield* store.fingerprint(tenant)
  const known = yield* store.putFingerprint(tenant, { expected, next })
  if (known !== next) return yield* new SecretDiffers({ tenant, known, given: next })
  return expected
})
