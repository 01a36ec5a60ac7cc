/**
 * Sealed values: a trace holds a commitment in the place of the value, which says nothing of it.
 *
 * The value itself lies beside the chain, under the key of the person whom it
 * is about. To destroy that key erases the value, and changes no byte of the
 * trace, and so no digest. Folds copy a sealed value and compare it for
 * equality within one lineage of runs, and see nothing else of it but the facts
 * that a contract had committed in clear.
 *
 * @source docs/decisions/0028
 */
import * as Canonical from "../bytes/Canonical.ts"
import { type Digest, isDigest, ofText } from "../bytes/Digest.ts"

/**
 * The digests by which acts with a sealed argument are recognised. They are equal for equal values of a subject, and
 * say nothing else once the value is erased wherever it was. `key` enters the idempotency key, `request` the hash of
 * the request.
 */
export type Identity = {
  readonly key?: Digest
  readonly request: Digest
}

/**
 * A sealed value. `facts` are what a contract had derived from it, in clear; `unfit` marks one that is not what its
 * field declares.
 */
export type SealedValue = {
  readonly $sealed: Digest
  readonly facts?: Canonical.JsonObject
  readonly identity?: Identity
  readonly unfit?: true
}

/** Tells whether a value is sealed. */
export const isSealedValue = (value: unknown): value is SealedValue =>
  typeof value === "object" && value !== null && isDigest((value as { readonly $sealed?: unknown }).$sealed)

/**
 * Commits to a value with a salt of 32 bytes in hex that nobody can guess. Equal salts and equal values commit alike.
 *
 * **Example** (Two commitments to one value)
 *
 * ```ts import.meta.vitest
 * import { SealedValue } from "@backstitch/trace"
 *
 * const [one, other] = ["00", "01"].map((byte) => SealedValue.commit(byte.repeat(32), "X1234567"))
 *
 * one === other // => false
 * SealedValue.isSealedValue({ $sealed: one }) // => true
 * ```
 */
export const commit = (salt: string, value: Canonical.Json): Digest =>
  ofText("backstitch.sealed.1", `${salt}\n${Canonical.encode(value)}`)

/** Lists the commitments of a value, each once, in the order in which they are found. */
export const commitments = (value: unknown): ReadonlyArray<Digest> => {
  const found = new Set<Digest>()
  const visit = (each: unknown): void => {
    if (typeof each !== "object" || each === null) return
    if (isSealedValue(each)) found.add(each.$sealed)
    else for (const inner of Object.values(each)) visit(inner)
  }
  visit(value)
  return [...found]
}

/** Lists the commitments in a canonical text, without reading all of it where there are none. */
export const commitmentsIn = (text: string): ReadonlyArray<Digest> =>
  text.includes('"$sealed"') ? commitments(Canonical.parse(text)) : []
