/**
 * Immutable tables of JSON rows by key. Their digest depends only on their contents.
 *
 * A state holds a table in place of an object with many fields: bookings by id, users by name. A table after a change
 * shares all but a few nodes with the table before, and their digests. So changing one row of a hundred thousand
 * costs microseconds, and copying and hashing an object would cost milliseconds. The same nodes, kept by digest, are
 * the snapshot of the table and its difference from another one.
 *
 * Rows are the unit of hashing, and are kept as they would be read back, with their keys in canonical order. A row in
 * that form is neither copied nor frozen: do not change a row after it was set.
 */
import * as Branded from "../bytes/Branded.ts"
import * as Canonical from "../bytes/Canonical.ts"
import * as Digest from "../bytes/Digest.ts"
import type * as Node from "./Node.ts"
import * as Trie from "./trie.ts"

/**
 * Rows by key. Reads as a `ReadonlyMap`.
 *
 * **Details**
 *
 * Keys come in the order of their digests, which does not depend on the history of the table. Use {@link
 * Table.sortedEntries} for people.
 *
 * **Gotchas**
 *
 * Reading a table that was loaded may throw `NodeMissing` or `NodeCorrupt`.
 */
export class Table<out Row extends Canonical.Json = Canonical.Json> implements ReadonlyMap<string, Row> {
  /** @internal */
  readonly tree: Trie.Tree | undefined

  /** @internal */
  constructor(tree: Trie.Tree | undefined) {
    this.tree = tree
  }

  /** Number of rows. Counting a loaded table reads all of its nodes, once. */
  get size(): number {
    return Trie.size(this.tree)
  }

  /** Row of a key. */
  get(key: string): Row | undefined {
    return Trie.find(this.tree, key)?.row as Row | undefined
  }

  /** Tells whether a key has a row. */
  has(key: string): boolean {
    return Trie.find(this.tree, key) !== undefined
  }

  /** Sets the row of a key. Answers the same table if it already has an equal row. Throws `NotCanonical`. */
  set<Next extends Canonical.Json>(key: string, row: Next): Table<Row | Next> {
    const tree = Trie.insert(this.tree, Trie.makeLeaf(key, Canonical.settled(row)), 0)
    return tree === this.tree ? this : new Table<Row | Next>(tree)
  }

  /** Removes a key. Answers the same table if it has no such key. */
  delete(key: string): Table<Row> {
    const tree = Trie.remove(this.tree, Trie.hashOf(key), key, 0)
    return tree === this.tree ? this : tree === undefined ? empty : new Table<Row>(tree)
  }

  /** Digest of the contents. It is remembered in each node. */
  digest(): Digest.Digest {
    return Trie.digest(this.tree)
  }

  /** Keys in table order. */
  *keys(): Generator<string, undefined> {
    for (const leaf of Trie.leaves(this.tree)) yield leaf.key
    return undefined
  }

  /** Rows in table order. */
  *values(): Generator<Row, undefined> {
    for (const leaf of Trie.leaves(this.tree)) yield leaf.row as Row
    return undefined
  }

  /** Keys with their rows, in table order. */
  *entries(): Generator<[string, Row], undefined> {
    for (const leaf of Trie.leaves(this.tree)) yield [leaf.key, leaf.row as Row]
    return undefined
  }

  /** Iterates over `entries`. */
  [Symbol.iterator](): Generator<[string, Row], undefined> {
    return this.entries()
  }

  /** Visits each row in table order. */
  forEach(visit: (row: Row, key: string, table: ReadonlyMap<string, Row>) => void): void {
    for (const leaf of Trie.leaves(this.tree)) visit(leaf.row as Row, leaf.key, this)
  }

  /** Entries by key, in the order of UTF-16 code units. */
  sortedEntries(): Array<[string, Row]> {
    return Array.from(this.entries()).sort(([left], [right]) => (left < right ? -1 : 1))
  }

  /** The table as a plain object by sorted key, for printing. Integer-like keys come first, as always in JavaScript. */
  toJson(): { readonly [key: string]: Row } {
    return Object.fromEntries(this.sortedEntries())
  }

  /** Answers the rows alone, for `JSON.stringify`. */
  toJSON(): { readonly [key: string]: Row } {
    return this.toJson()
  }
}

/** A row that differs between two tables. An absent side means that the table has no such key. */
export interface RowChange<out Row extends Canonical.Json = Canonical.Json> {
  readonly key: string
  readonly before?: Row
  readonly after?: Row
}

/** The table without rows. Its digest is `Digest.zero`. */
export const empty: Table<never> = new Table<never>(undefined)

/**
 * Builds a table from entries. Of several entries with the same key, the last one counts.
 *
 * **Example** (Digesting contents, not history)
 *
 * ```ts import.meta.vitest
 * import { Table } from "@backstitch/trace"
 *
 * const built = Table.from([["seat-4", { price: 120 }], ["seat-5", { price: 90 }]])
 * const grown = Table.empty.set("seat-5", { price: 90 }).set("seat-4", { price: 1 }).set("seat-4", { price: 120 })
 *
 * built.digest() === grown.digest() // => true
 * ```
 */
export const from = <Row extends Canonical.Json>(entries: Iterable<readonly [string, Row]>): Table<Row> => {
  const rows = new Map(entries)
  return rows.size === 0
    ? empty
    : new Table(
        Trie.build(
          Array.from(rows, ([key, row]) => Trie.makeLeaf(key, Canonical.settled(row))),
          0
        )
      )
}

/**
 * Opens a stored table by its digest.
 *
 * **Details**
 *
 * Nothing is read yet. Each node is read at its first use, checked against its digest, and remembered. The type of
 * the rows is not checked.
 *
 * @see {@link collect} for storing a table
 */
export const load = <Row extends Canonical.Json = Canonical.Json>(digest: Digest.Digest, get: Node.Get): Table<Row> =>
  digest === Digest.zero ? empty : new Table(Trie.makeUnread(digest, get, ""))

/**
 * Stores the missing nodes of a table, and answers its digest.
 *
 * **Details**
 *
 * A node is stored after all nodes below it, so an interruption leaves no node without its children. An empty table
 * has no nodes. With `since`, an earlier table that is stored, `has` is asked only for nodes that are not in it.
 */
export const collect = (table: Table, has: Node.Has, put: Node.Put, since: Table = empty): Digest.Digest => {
  if (table.tree !== undefined) Trie.collect(table.tree, has, put, since.tree)
  return table.digest()
}

/**
 * Finds the rows that differ, in the order of the SHA-256 of their keys.
 *
 * **Details**
 *
 * Parts that both tables share, and parts with equal known digests, are skipped: the cost grows with the difference,
 * not with the tables.
 */
export function* changes<Row extends Canonical.Json>(
  before: Table<Row>,
  after: Table<Row>
): Generator<RowChange<Row>, undefined> {
  for (const change of Trie.changes(before.tree, after.tree)) {
    yield {
      key: (change.before ?? change.after)!.key,
      ...(change.before && { before: change.before.row as Row }),
      ...(change.after && { after: change.after.row as Row })
    }
  }
  return undefined
}

/**
 * Finds rows by a label that is computed from each row: answers the rows with the label, in table order.
 *
 * **Details**
 *
 * The labels below a node are remembered once for all tables that share it. After a row is set, finding a rare label
 * reads few nodes: the cost grows with the result. Meant for a small number of labels.
 */
export const finder = <Row extends Canonical.Json>(
  labelOf: (row: Row) => string | undefined
): ((self: Table<Row>, label: string) => Generator<[string, Row], undefined>) => {
  const labels: Trie.Labels = { of: ({ row }) => labelOf(row as Row), below: new WeakMap() }
  return function* (self, label) {
    for (const { key, row } of Trie.labelled(self.tree, labels, label)) yield [key, row as Row]
    return undefined
  }
}

/** Tells whether a value is a table. */
export const is: (value: unknown) => value is Table = Branded.guard(Table, "trace/Table@1")
