/**
 * The tree behind a list: sixteen-way, by the hex digits of the position.
 *
 * Items are at level 0. A branch at level n has up to sixteen nodes of level n - 1, and all but the last are full.
 * The root has the lowest level that holds the length, so the shape depends only on the length.
 */

import * as Canonical from "../bytes/Canonical.ts"
import * as Digest from "../bytes/Digest.ts"
import * as JsonText from "../bytes/JsonText.ts"
import * as Node from "./Node.ts"

const ITEM = 0
const BRANCH = 1
const UNREAD = 2

type Json = Canonical.Json

interface Item {
  readonly kind: typeof ITEM
  readonly item: Json
  digest: Digest.Digest | undefined
}

interface Branch {
  readonly kind: typeof BRANCH
  readonly children: Array<Tree>
  digest: Digest.Digest | undefined
}

/** A node that is known by its digest and read at its first use. */
interface Unread {
  readonly kind: typeof UNREAD
  readonly digest: Digest.Digest
  readonly get: Node.Get
  readonly level: number
  /** Number of items below. */
  readonly length: number
  node: Item | Branch | undefined
}

/** A tree of items, or the address of one that was not read yet. */
export type Tree = Item | Branch | Unread

interface Change {
  readonly index: number
  readonly before: Item | undefined
  readonly after: Item | undefined
}

/** The lowest level whose nodes hold `length` items. */
export const levelOf = (length: number): number => {
  let level = 0
  while (16 ** level < length) level++
  return level
}

const makeItem = (item: Json): Item => ({ kind: ITEM, item, digest: undefined })

const makeBranch = (children: Array<Tree>): Branch => ({ kind: BRANCH, children, digest: undefined })

/** Builds the tree of items, of which there is at least one. */
export const build = (items: ReadonlyArray<Json>): Tree => {
  let nodes: Array<Tree> = items.map(makeItem)
  while (nodes.length > 1) {
    const parents: Array<Tree> = []
    for (let start = 0; start < nodes.length; start += 16) parents.push(makeBranch(nodes.slice(start, start + 16)))
    nodes = parents
  }
  return nodes[0]!
}

/** Finds the item at an index, in a tree whose root is at `level`. */
export const find = (tree: Tree, index: number, level: number): Json => {
  let node = open(tree)
  for (let at = level; node.kind === BRANCH; at--) node = childAt(node, digitAt(index, at))
  return node.item
}

/** Appends an item to a tree of `length` items, and shares all other nodes with it. */
export const append = (tree: Tree | undefined, length: number, item: Json): Tree => {
  if (tree === undefined) return makeItem(item)
  const level = levelOf(length)
  const root = 16 ** level === length ? makeBranch([tree]) : tree
  return appendAt(root, length, levelOf(length + 1), item)
}

const appendAt = (tree: Tree | undefined, index: number, level: number, item: Json): Tree => {
  if (level === 0) return makeItem(item)
  if (tree === undefined) return makeBranch([appendAt(undefined, index, level - 1, item)])
  const branch = open(tree) as Branch
  const digit = digitAt(index, level)
  const children = branch.children.slice()
  children[digit] = appendAt(branch.children[digit], index, level - 1, item)
  return makeBranch(children)
}

/** Answers the same tree if the item is there already. */
export const replace = (tree: Tree, index: number, level: number, item: Json): Tree => {
  const node = open(tree)
  if (node.kind === ITEM) return Canonical.equals(node.item, item) ? tree : makeItem(item)
  const digit = digitAt(index, level)
  const child = childAt(node, digit)
  const next = replace(child, index, level - 1, item)
  return next === child ? tree : makeBranch(node.children.with(digit, next))
}

/** Lists the items of a tree in their order. */
export function* items(tree: Tree): Generator<Json, undefined> {
  const pending = [tree]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const node = open(next)
    if (node.kind === ITEM) yield node.item
    else for (let digit = node.children.length - 1; digit >= 0; digit--) pending.push(node.children[digit]!)
  }
  return undefined
}

const digest = (tree: Tree): Digest.Digest => {
  if (tree.digest !== undefined) return tree.digest
  // An unread node has its digest, so only items and branches are passed here.
  const node = open(tree)
  node.digest = Digest.ofBytes(text(node))
  return node.digest
}

/**
 * Writes children before their parents, so that a stored node has all nodes below it stored. Nodes that the tree shares
 * with `since`, which is stored, are skipped.
 */
export const collect = (tree: Tree, has: Node.Has, put: Node.Put, since?: Tree | undefined): void => {
  if (tree === since) return
  const address = digest(tree)
  if (has(address, isUnread(tree))) return
  const node = open(tree)
  const known = since?.kind === BRANCH ? since.children : []
  if (node.kind === BRANCH) {
    for (let digit = 0; digit < node.children.length; digit++) collect(node.children[digit]!, has, put, known[digit])
  }
  put(address, text(node))
}

/** The same items in a tree with a root at the given level. */
export const raise = (tree: Tree | undefined, length: number, level: number): Tree | undefined => {
  let raised = tree
  if (raised !== undefined) for (let at = levelOf(length); at < level; at++) raised = makeBranch([raised])
  return raised
}

/** Lists the differences of two trees of the same level. Equal parts are skipped. */
export function* changes(
  before: Tree | undefined,
  after: Tree | undefined,
  level: number
): Generator<Change, undefined> {
  const pending: Array<readonly [Tree | undefined, Tree | undefined, number, number]> = [[before, after, level, 0]]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [left, right, at, index] = next
    if (isSame(left, right)) continue
    const from = left && open(left)
    const to = right && open(right)
    if (from?.kind !== BRANCH && to?.kind !== BRANCH) {
      if (from === undefined || to === undefined || !Canonical.equals(from.item, to.item)) {
        yield { index, before: from, after: to }
      }
      continue
    }
    for (let digit = 15; digit >= 0; digit--) {
      const pair = [under(from, digit), under(to, digit)] as const
      if (pair[0] === undefined && pair[1] === undefined) continue
      pending.push([pair[0], pair[1], at - 1, index + digit * 16 ** (at - 1)])
    }
  }
  return undefined
}

/** Compares by identity and by known digests. A digest is computed only if it may save a read. */
const isSame = (left: Tree | undefined, right: Tree | undefined): boolean => {
  if (left === right) return true
  if (left === undefined || right === undefined) return false
  if (isUnread(left) || isUnread(right)) return digest(left) === digest(right)
  return left.digest !== undefined && left.digest === right.digest
}

const isUnread = (tree: Tree): boolean => tree.kind === UNREAD && tree.node === undefined

const under = (node: Item | Branch | undefined, digit: number): Tree | undefined =>
  node?.kind === BRANCH ? node.children[digit] : undefined

const childAt = (branch: Branch, digit: number): Item | Branch => {
  const child = branch.children[digit]!
  if (child.kind !== UNREAD) return child
  const node = open(child)
  branch.children[digit] = node
  return node
}

const open = (tree: Tree): Item | Branch => {
  if (tree.kind !== UNREAD) return tree
  tree.node ??= parse(tree)
  return tree.node
}

const domain = "backstitch.list.1"

// The first word distinguishes an item from a branch and a root.
const text = (node: Item | Branch): string =>
  node.kind === ITEM
    ? `${domain}\n${Canonical.encode(["item", node.item])}`
    : `${domain}\n["branch","${node.children.map(digest).join('","')}"]`

/** The text of a list's root, whose digest is the address of the list. */
export const rootText = (length: number, tree: Tree): string =>
  `${domain}\n${Canonical.encode(["list", length, digest(tree)])}`

/** Reads the root of a stored list. Throws {@link Node.NodeCorrupt} if the address is that of another text. */
export const readRoot = (address: Digest.Digest, get: Node.Get): { readonly length: number; readonly tree: Tree } => {
  const [kind, length, top] = parts(address, get)
  if (kind !== "list" || typeof length !== "number" || !Digest.isDigest(top)) {
    throw new Node.NodeCorrupt({ digest: address, reason: "is not the root of a list" })
  }
  return { length, tree: { kind: UNREAD, digest: top, get, level: levelOf(length), length, node: undefined } }
}

const parse = ({ digest: address, get, length, level }: Unread): Item | Branch => {
  const [kind, ...rest] = parts(address, get)
  if (level === 0 && kind === "item" && rest.length === 1) return { kind: ITEM, item: rest[0]!, digest: address }
  const span = 16 ** (level - 1)
  if (level === 0 || kind !== "branch" || rest.length !== Math.ceil(length / span) || !rest.every(Digest.isDigest)) {
    throw new Node.NodeCorrupt({ digest: address, reason: "is not a node of a list, or not of this place in it" })
  }
  const children = rest.map(
    (child, digit): Tree => ({
      kind: UNREAD,
      digest: child,
      get,
      level: level - 1,
      length: Math.min(span, length - digit * span),
      node: undefined
    })
  )
  return { kind: BRANCH, children, digest: address }
}

const parts = (address: Digest.Digest, get: Node.Get): ReadonlyArray<Json> => {
  const stored = Node.read(get, address)
  const body = stored.slice(domain.length + 1)
  const value = stored.startsWith(`${domain}\n`) ? (JsonText.read(body) as Json) : undefined
  return Array.isArray(value) ? value : []
}

const digitAt = (index: number, level: number): number => Math.floor(index / 16 ** (level - 1)) % 16
