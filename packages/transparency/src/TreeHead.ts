/**
 * Append-only logs as Merkle trees, after RFC 6962.
 *
 * A hash chain proves nothing about its own end, and nothing about a run that was removed. So a tenant keeps one log
 * over the heads of its runs: a tree head that is held elsewhere, such as by a witness, proves every run head that
 * entered the log before it. An inclusion proof shows that a run head is among them, and a consistency proof that the
 * log has only grown since.
 *
 * Proofs are computed from the hashes of the entries; a head alone needs only a {@link LogTree}, which grows in
 * logarithmic time.
 *
 * @source RFC 6962 section 2, RFC 9162 section 2.1
 */

import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as Hex from "effect/encoding/Hex"
import * as Result from "effect/Result"

/** Size of a log, and the root of the Merkle tree over that many entries. */
export interface TreeHead {
  readonly size: number
  readonly root: Digest.Digest
}

/** The part of a log that determines its next heads: the roots of its complete subtrees, the largest first. */
export interface LogTree {
  readonly size: number
  readonly roots: ReadonlyArray<Digest.Digest>
}

/** The tree of a log without entries. */
export const empty: LogTree = { size: 0, roots: [] }

/** Writes the log entry of a run's head: canonical JSON of its link, the tenant, the run and the tick. */
export const entry = ({
  head,
  run,
  tenant,
  tick
}: {
  readonly head: Digest.Digest
  readonly run: string
  readonly tenant: string
  readonly tick: number
}): string => Canonical.encode({ head, run, tenant, tick })

/** Hashes an entry to a leaf of the tree. Text is taken as UTF-8. */
export const leaf = (data: Uint8Array | string): Digest.Digest => {
  const bytes = typeof data === "string" ? encoder.encode(data) : data
  const input = new Uint8Array(bytes.length + 1)
  input.set(bytes, 1)
  return Digest.ofBytes(input)
}

/** Adds a leaf to a tree in logarithmic time. */
export const append = (self: LogTree, added: Digest.Digest): LogTree => {
  const roots = self.roots.slice()
  let last = added
  // Each 1 at the low end of the size is a complete subtree as large as the one to its right.
  for (let rest = self.size; rest % 2 === 1; rest = (rest - 1) / 2) last = join(roots.pop()!, last)
  roots.push(last)
  return { size: self.size + 1, roots }
}

/** Returns the head of a tree. */
export const head = (self: LogTree): TreeHead => {
  const { roots, size } = self
  if (size === 0) return { size, root: emptyRoot }
  return { size, root: roots.reduceRight((right, left) => join(left, right)) }
}

/** Computes the root over leaves directly. It is the reference for {@link append} and {@link head}. */
export const root = (leaves: ReadonlyArray<Digest.Digest>): Digest.Digest =>
  leaves.length === 0 ? emptyRoot : rootOf(leaves, 0, leaves.length)

/** Proves that the leaf at an index is in the tree over `leaves`. */
export const inclusionProof = (leaves: ReadonlyArray<Digest.Digest>, index: number): ReadonlyArray<Digest.Digest> => {
  if (!Number.isInteger(index) || index < 0 || index >= leaves.length) {
    throw new RangeError(`A log of ${leaves.length} entries has none at ${index}`)
  }
  const proof: Array<Digest.Digest> = []
  let start = 0
  let end = leaves.length
  while (end - start > 1) {
    const middle = start + split(end - start)
    if (index < middle) {
      proof.push(rootOf(leaves, middle, end))
      end = middle
    } else {
      proof.push(rootOf(leaves, start, middle))
      start = middle
    }
  }
  return proof.reverse()
}

/**
 * Checks that a leaf is at an index of the log with a given head.
 *
 * @source RFC 9162 section 2.1.3.2
 */
export const verifyInclusion = (options: {
  readonly leaf: Digest.Digest
  readonly index: number
  readonly head: TreeHead
  readonly proof: ReadonlyArray<Digest.Digest>
}): boolean => {
  const { head, index, proof } = options
  if (!isHead(head) || !isSize(index) || index >= head.size || !areDigests([options.leaf, ...proof])) return false
  let at = index
  let last = head.size - 1
  let hash = options.leaf
  for (const sibling of proof) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      hash = join(sibling, hash)
      while (at % 2 === 0 && at !== 0) {
        at = half(at)
        last = half(last)
      }
    } else {
      hash = join(hash, sibling)
    }
    at = half(at)
    last = half(last)
  }
  return last === 0 && hash === head.root
}

/** Proves that the tree over the first `size` leaves is a prefix of the tree over all of them. */
export const consistencyProof = (leaves: ReadonlyArray<Digest.Digest>, size: number): ReadonlyArray<Digest.Digest> => {
  if (!isSize(size) || size > leaves.length) {
    throw new RangeError(`A log of ${leaves.length} entries never had ${size}`)
  }
  if (size === 0 || size === leaves.length) return []
  const proof: Array<Digest.Digest> = []
  let start = 0
  let end = leaves.length
  while (size !== end) {
    const middle = start + split(end - start)
    if (size <= middle) {
      proof.push(rootOf(leaves, middle, end))
      end = middle
    } else {
      proof.push(rootOf(leaves, start, middle))
      start = middle
    }
  }
  // The verifier has the old root itself, unless the walk has left the left edge of the old tree.
  if (start !== 0) proof.push(rootOf(leaves, start, end))
  return proof.reverse()
}

/**
 * Checks that a log has only grown between two heads.
 *
 * **Details**
 *
 * Every log began without entries. From that head the proof is empty, and any digest may be the root. An invalid head
 * is refused on either side.
 *
 * @source RFC 9162 section 2.1.4.2
 */
export const verifyConsistency = (options: {
  readonly before: TreeHead
  readonly after: TreeHead
  readonly proof: ReadonlyArray<Digest.Digest>
}): boolean => {
  const { after, before, proof } = options
  if (!isHead(before) || !isHead(after) || before.size > after.size || !areDigests(proof)) return false
  if (before.size === after.size) return proof.length === 0 && before.root === after.root
  if (before.size === 0) return proof.length === 0
  const path = isPowerOfTwo(before.size) ? [before.root, ...proof] : proof
  let at = before.size - 1
  let last = after.size - 1
  while (at % 2 === 1) {
    at = half(at)
    last = half(last)
  }
  const [first, ...siblings] = path
  if (first === undefined) return false
  let old = first
  let grown = first
  for (const sibling of siblings) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      old = join(sibling, old)
      grown = join(sibling, grown)
      while (at % 2 === 0 && at !== 0) {
        at = half(at)
        last = half(last)
      }
    } else {
      grown = join(grown, sibling)
    }
    at = half(at)
    last = half(last)
  }
  return last === 0 && old === before.root && grown === after.root
}

const encoder = new TextEncoder()

const emptyRoot = Digest.ofBytes("")

const half = (value: number): number => Math.floor(value / 2)

const isSize = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

// Proofs come from outside, so the types of their digests are not certain.
const areDigests = (values: ReadonlyArray<unknown>): boolean => values.every(Digest.isDigest)

/** A log without entries has one fixed root; any other has some digest. */
const isHead = ({ root, size }: TreeHead): boolean =>
  isSize(size) && (size === 0 ? root === emptyRoot : areDigests([root]))

const isPowerOfTwo = (value: number): boolean => split(value * 2) === value

/** The largest power of two below `size`. */
const split = (size: number): number => {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}

const rootOf = (leaves: ReadonlyArray<Digest.Digest>, start: number, end: number): Digest.Digest => {
  if (end - start === 1) return leaves[start]!
  const middle = start + split(end - start)
  return join(rootOf(leaves, start, middle), rootOf(leaves, middle, end))
}

const join = (left: Digest.Digest, right: Digest.Digest): Digest.Digest =>
  Digest.ofBytes(Result.getOrThrow(Hex.decode(`01${left}${right}`)))
