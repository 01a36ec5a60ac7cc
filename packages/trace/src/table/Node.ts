/**
 * Parts of large values, kept as text under the SHA-256 of that text.
 *
 * Tables and lists are trees of such nodes. Equal parts have equal addresses, so a store keeps a part once however
 * many states share it, and a snapshot writes only new nodes. A node is checked against its address each time it is
 * read: a store can lose a node, but cannot replace it by another.
 */
import * as Schema from "effect/Schema"
import * as Digest from "../bytes/Digest.ts"

/** Looks up the text of a node by its digest. */
export type Get = (digest: Digest.Digest) => string | undefined

/**
 * Tells whether a node, and so everything below it, is stored already. `isUnread` means that it came from a store and
 * was not read yet, so that storing it in the same store needs no read.
 */
export type Has = (digest: Digest.Digest, isUnread?: boolean) => boolean

/** Stores the text of a node under its digest. */
export type Put = (digest: Digest.Digest, text: string) => void

/** Error for a node that the store does not hold. */
export class NodeMissing extends Schema.TaggedError<NodeMissing>("@backstitch/trace/NodeMissing")("NodeMissing", {
  digest: Digest.Digest
}) {
  override get message(): string {
    return `Node ${this.digest} is not in the store. Restore it from a copy, or fold the trace again from its start`
  }
}

/** Error for a node whose text does not match its digest. */
export class NodeCorrupt extends Schema.TaggedError<NodeCorrupt>("@backstitch/trace/NodeCorrupt")("NodeCorrupt", {
  digest: Digest.Digest,
  reason: Schema.String
}) {
  override get message(): string {
    return `Node ${this.digest} ${this.reason}. Restore it from a copy, or fold the trace again from its start`
  }
}

/**
 * Reads the text of a node and checks it against its digest.
 *
 * Throws {@link NodeMissing} or {@link NodeCorrupt}.
 */
export const read = (get: Get, digest: Digest.Digest): string => {
  const text = get(digest)
  if (text === undefined) throw new NodeMissing({ digest })
  const actual = Digest.ofBytes(text)
  if (actual !== digest) throw new NodeCorrupt({ digest, reason: `holds text whose digest is ${actual}` })
  return text
}

/** Digests of the nodes directly below a node, so that a store can be read level by level. */
export const children = (text: string): ReadonlyArray<Digest.Digest> =>
  inner.test(text) ? ((text.match(/[0-9a-f]{64}/g) ?? []) as Array<Digest.Digest>) : []

const inner = /^backstitch\.(?:branch\.1|list\.1\n\["(?:branch|list)")/
