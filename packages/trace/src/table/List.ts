/**
 * Immutable lists of JSON items that grow at the end. Their digest depends only on their contents.
 *
 * A state holds a list in place of an array that would grow long. Appending copies one path of a sixteen-way tree by
 * position, never the earlier items, so the ten-thousandth item costs as much as the first. As with tables, the nodes
 * kept by digest are both the snapshot and the difference.
 *
 * Items are neither copied nor frozen: do not change one after it was added.
 */
import * as Branded from "../bytes/Branded.ts"
import * as Canonical from "../bytes/Canonical.ts"
import * as Digest from "../bytes/Digest.ts"
import type * as Node from "./Node.ts"
import * as Radix from "./radix.ts"

/**
 * Items by position, from 0.
 *
 * **Gotchas**
 *
 * Reading a list that was loaded may throw `NodeMissing` or `NodeCorrupt`.
 */
export class List<out Item extends Canonical.Json = Canonical.Json> {
  /** Number of items. */
  readonly length: number
  /** @internal */
  readonly tree: Radix.Tree | undefined
  #digest: Digest.Digest | undefined

  /** @internal */
  constructor(length: number, tree: Radix.Tree | undefined, digest?: Digest.Digest) {
    this.length = length
    this.tree = tree
    this.#digest = digest
  }

  /** Item at a position. */
  get(index: number): Item | undefined {
    if (!this.#holds(index)) return undefined
    return Radix.find(this.tree!, index, Radix.levelOf(this.length)) as Item
  }

  /** Adds an item at the end. Throws `NotCanonical`. */
  append<Next extends Canonical.Json>(item: Next): List<Item | Next> {
    return new List<Item | Next>(this.length + 1, Radix.append(this.tree, this.length, Canonical.settled(item)))
  }

  /** Replaces an item. Answers the same list if it already has an equal item there. */
  set<Next extends Canonical.Json>(index: number, item: Next): List<Item | Next> {
    if (!this.#holds(index)) {
      throw new RangeError(`A list of ${this.length} items has none at ${index}. Append to add one`)
    }
    const tree = Radix.replace(this.tree!, index, Radix.levelOf(this.length), Canonical.settled(item))
    return tree === this.tree ? this : new List<Item | Next>(this.length, tree)
  }

  /** Digest of the contents. It is remembered in each node. */
  digest(): Digest.Digest {
    if (this.tree === undefined) return Digest.zero
    this.#digest ??= Digest.ofBytes(Radix.rootText(this.length, this.tree))
    return this.#digest
  }

  /** Items in order. */
  *[Symbol.iterator](): Generator<Item, undefined> {
    if (this.tree !== undefined) yield* Radix.items(this.tree) as Generator<Item, undefined>
    return undefined
  }

  /** The items as an array, for printing. */
  toJson(): ReadonlyArray<Item> {
    return Array.from(this)
  }

  /** Answers the items alone, for `JSON.stringify`. */
  toJSON(): ReadonlyArray<Item> {
    return this.toJson()
  }

  #holds(index: number): boolean {
    return Number.isInteger(index) && index >= 0 && index < this.length
  }
}

/** A position whose item differs between two lists. An absent side means that the list is shorter. */
export interface ItemChange<out Item extends Canonical.Json = Canonical.Json> {
  readonly index: number
  readonly before?: Item
  readonly after?: Item
}

/** The list without items. Its digest is `Digest.zero`. */
export const empty: List<never> = new List<never>(0, undefined)

/**
 * Builds a list from items in order.
 *
 * **Example** (Digesting contents, not history)
 *
 * ```ts import.meta.vitest
 * import { List } from "@backstitch/trace"
 *
 * List.from(["a", "b"]).digest() === List.empty.append("z").append("b").set(0, "a").digest() // => true
 * ```
 */
export const from = <Item extends Canonical.Json>(items: Iterable<Item>): List<Item> => {
  const found = Array.from(items, (item) => Canonical.settled(item))
  return found.length === 0 ? empty : new List(found.length, Radix.build(found))
}

/**
 * Opens a stored list by its digest.
 *
 * **Details**
 *
 * One node is read, which holds the length. Every other node is read at its first use, checked against its digest,
 * and remembered. The type of the items is not checked.
 *
 * @see {@link collect} for storing a list
 */
export const load = <Item extends Canonical.Json = Canonical.Json>(
  digest: Digest.Digest,
  get: Node.Get
): List<Item> => {
  if (digest === Digest.zero) return empty
  const { length, tree } = Radix.readRoot(digest, get)
  return new List<Item>(length, tree, digest)
}

/**
 * Stores the missing nodes of a list, and answers its digest.
 *
 * A node is stored after all nodes below it. An empty list has no nodes. With `since`, an earlier list that is stored,
 * `has` is asked only for nodes that are not in it.
 */
export const collect = (list: List, has: Node.Has, put: Node.Put, since: List = empty): Digest.Digest => {
  const digest = list.digest()
  if (list.tree !== undefined && list.tree !== since.tree && !has(digest)) {
    Radix.collect(list.tree, has, put, Radix.raise(since.tree, since.length, Radix.levelOf(list.length)))
    put(digest, Radix.rootText(list.length, list.tree))
  }
  return digest
}

/**
 * Finds the positions whose items differ, from the first to the last.
 *
 * Parts that both lists share, and parts with equal known digests, are skipped.
 */
export function* changes<Item extends Canonical.Json>(
  before: List<Item>,
  after: List<Item>
): Generator<ItemChange<Item>, undefined> {
  const level = Radix.levelOf(Math.max(before.length, after.length))
  const left = Radix.raise(before.tree, before.length, level)
  const right = Radix.raise(after.tree, after.length, level)
  for (const change of Radix.changes(left, right, level)) {
    yield {
      index: change.index,
      ...(change.before && { before: change.before.item as Item }),
      ...(change.after && { after: change.after.item as Item })
    }
  }
  return undefined
}

/** Tells whether a value is a list. */
export const is: (value: unknown) => value is List = Branded.guard(List, "trace/List@1")
