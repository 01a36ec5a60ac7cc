/**
 * Idempotency keys: a key names an act, so that a repetition of the act is recognised.
 *
 * A key is a function of the tool, its scope and the declared identity fields after normalisation. It never depends
 * on the attempt, the position in the run or the model's wording (L6). Two more inputs are authored or counted, not
 * guessed: the *occurrence*, for one more of the same act that a user or plan really wants, and the *generation*,
 * which counts verified compensations and final failures. Identity fields are personal data, so keys are HMACs under
 * a tenant secret.
 *
 * @source docs/decisions/0035
 */
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as Hmac from "@backstitch/trace/Hmac"

/** The identity from which a key is derived. */
export interface KeyIdentity {
  readonly tool: string
  /** The range in which equal identities are the same act: a run's lineage, a goal, or the whole tenant. */
  readonly scope: "run" | "goal" | "tenant"
  /** The tenant, and in it the lineage's first run or the goal. */
  readonly within: string
  /** Declared identity fields, normalised. */
  readonly fields: Canonical.JsonObject
  readonly occurrence: number
  readonly generation: number
}

/**
 * Derives the key of an identity: `bs_` and 40 hex digits.
 *
 * **Example** (Other words, same key)
 *
 * ```ts import.meta.vitest
 * import { IdempotencyKey } from "@backstitch/ledger"
 *
 * const identity = { tool: "book", scope: "goal", within: "trip", occurrence: 1, generation: 0 }
 * const key = IdempotencyKey.derive("secret", { ...identity, fields: { flight: "LX1", traveller: "ada" } })
 *
 * IdempotencyKey.derive("secret", { ...identity, fields: { traveller: "ada", flight: "LX1" } }) === key // => true
 * IdempotencyKey.derive("secret", { ...identity, fields: { traveller: "bob", flight: "LX1" } }) === key // => false
 * ```
 */
export const derive = (secret: string, identity: KeyIdentity): string => {
  const { fields, generation, occurrence, scope, tool, within } = identity
  const text = Canonical.encode({ fields, generation, occurrence, scope, tool, within })
  return `bs_${Hmac.sign(secret, text).slice(0, 40)}`
}

/** Digests the request of a call, so that another request under the same key is noticed (L6). */
export const requestHash = (tool: string, params: Canonical.Json): Digest.Digest =>
  Digest.ofJson("backstitch.request.1", { params, tool })
