/**
 * Sealed values: a trace holds a commitment in place of the value, which reveals nothing about it.
 *
 * The value itself is stored outside of the chain, under the key of its subject. Destroying that key erases the
 * value, and changes no byte of the trace, and so no digest. Folds copy a sealed value and compare it for equality
 * within one lineage of runs. They see nothing else of it except the facts that a contract commits in clear.
 *
 * @source docs/decisions/0028
 */
import * as Canonical from "../bytes/Canonical.ts"
import { type Digest, isDigest, ofText } from "../bytes/Digest.ts"

/**
 * The digests by which acts with a sealed argument are recognised. They are equal for equal values of a subject, and
 * reveal nothing else once the value is erased everywhere. `key` is used in the idempotency key, `request` in the
 * hash of the request.
 */
export type SealedIdentity = {
  readonly key?: Digest
  readonly request: Digest
}

/** A sealed value. `facts` are derived by the contract, in clear; `unfit` marks a value that does not fit its field. */
export type SealedValue = {
  readonly $sealed: Digest
  readonly facts?: Canonical.JsonObject
  readonly identity?: SealedIdentity
  readonly unfit?: true
}

/** Tells whether a value is sealed. */
export const isSealedValue = (value: unknown): value is SealedValue =>
  typeof value === "object" && value !== null && isDigest((value as { readonly $sealed?: unknown }).$sealed)

/**
 * Commits to a value with a secret random salt of 32 bytes in hex. Equal values with equal salts have equal
 * commitments.
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

/** Lists the commitments in a value, each once, in the order in which they are found. */
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

/** Lists the commitments in a canonical text. A text without any is not parsed. */
export const commitmentsIn = (text: string): ReadonlyArray<Digest> =>
  text.includes('"$sealed"') ? commitments(Canonical.parse(text)) : []
