/**
 * The tree behind a table: sixteen-way, by the hex digits of the digest of each key.
 *
 * Its shape depends only on the set of keys. There is a branch wherever two or more keys share a prefix, and a leaf
 * at the smallest depth at which no other key shares its prefix. Nodes never change once they are built, except for
 * remembered values: a digest, a size, a node that was read.
 */

import * as Canonical from "../bytes/Canonical.ts"
import * as Digest from "../bytes/Digest.ts"
import * as JsonText from "../bytes/JsonText.ts"
import * as Limits from "../Limits.ts"
import * as Node from "./Node.ts"

const LEAF = 0
const BRANCH = 1
const UNREAD = 2

type Json = Canonical.Json

interface Leaf {
  readonly kind: typeof LEAF
  /** Digest of the key, which determines the place of the leaf. */
  readonly hash: string
  readonly key: string
  readonly row: Json
  digest: Digest.Digest | undefined
}

interface Branch {
  readonly kind: typeof BRANCH
  /** Sixteen slots, by the digit at this depth. */
  readonly children: Array<Tree | undefined>
  /** Number of leaves, or -1 while it is unknown. */
  size: number
  digest: Digest.Digest | undefined
}

/** A node that is known by its digest and read at its first use. */
interface Unread {
  readonly kind: typeof UNREAD
  readonly digest: Digest.Digest
  readonly get: Node.Get
  /** The digits that lead to this node. */
  readonly path: string
  node: Leaf | Branch | undefined
}

/** A tree of rows, or the address of one that was not read yet. */
export type Tree = Leaf | Branch | Unread

interface Change {
  readonly before: Leaf | undefined
  readonly after: Leaf | undefined
}

/** Makes the leaf of a row. Throws {@link Canonical.NotCanonical} for a key that is no well-formed text. */
export const makeLeaf = (key: string, row: Json): Leaf => {
  // Every lone surrogate becomes the same bytes, so two such keys could share all 64 digits.
  if (!key.isWellFormed()) throw new Canonical.NotCanonical({ path: "$", found: "a key with a lone surrogate" })
  return { kind: LEAF, hash: hashOf(key), key, row, digest: undefined }
}

const hashes = new Map<string, string>()
const { hashedKeyCharactersMax, rowHashesMax } = Limits.pacing

/** The same keys are looked up often, so the hashes of a limited number are remembered. */
export const hashOf = (key: string): string => {
  const known = hashes.get(key)
  if (known !== undefined) return known
  const hash = Digest.ofText("backstitch.row.1", key)
  if (key.length > hashedKeyCharactersMax) return hash
  if (hashes.size === rowHashesMax) hashes.clear()
  hashes.set(key, hash)
  return hash
}

/** Makes a tree that is read once it is needed. */
export const makeUnread = (digest: Digest.Digest, get: Node.Get, path: string): Tree => ({
  kind: UNREAD,
  digest,
  get,
  path,
  node: undefined
})

const makeBranch = (children: Array<Tree | undefined>): Branch => ({
  kind: BRANCH,
  children,
  size: -1,
  digest: undefined
})

/** Builds the tree of leaves that share the first `depth` digits of their hashes. */
export const build = (found: ReadonlyArray<Leaf>, depth: number): Tree | undefined => {
  if (found.length < 2) return found[0]
  const slots: Array<Array<Leaf> | undefined> = new Array(16).fill(undefined)
  for (const leaf of found) {
    const digit = digitAt(leaf.hash, depth)
    const slot = slots[digit]
    if (slot === undefined) slots[digit] = [leaf]
    else slot.push(leaf)
  }
  return makeBranch(slots.map((slot) => (slot === undefined ? undefined : build(slot, depth + 1))))
}

/** Finds the leaf of a key. */
export const find = (tree: Tree | undefined, key: string): Leaf | undefined => {
  if (tree === undefined) return undefined
  const hash = hashOf(key)
  let node: Tree | undefined = open(tree)
  for (let depth = 0; node !== undefined && node.kind === BRANCH; depth++) {
    node = childAt(node, digitAt(hash, depth))
  }
  return node !== undefined && node.kind === LEAF && node.key === key ? node : undefined
}

/** Answers the same tree if the leaf is there already. */
export const insert = (tree: Tree | undefined, leaf: Leaf, depth: number): Tree => {
  if (tree === undefined) return leaf
  const node = open(tree)
  if (node.kind === LEAF) {
    if (node.hash !== leaf.hash) return build([node, leaf], depth)!
    return Canonical.equals(node.row, leaf.row) ? tree : leaf
  }
  const digit = digitAt(leaf.hash, depth)
  const child = childAt(node, digit)
  const next = insert(child, leaf, depth + 1)
  return next === child ? tree : makeBranch(node.children.with(digit, next))
}

/** Answers the same tree if the key is not there. */
export const remove = (tree: Tree | undefined, hash: string, key: string, depth: number): Tree | undefined => {
  if (tree === undefined) return undefined
  const node = open(tree)
  if (node.kind === LEAF) return node.key === key ? undefined : tree
  const digit = digitAt(hash, depth)
  const child = childAt(node, digit)
  const next = remove(child, hash, key, depth + 1)
  if (next === child) return tree
  const children = node.children.with(digit, next)
  return collapse(children) ?? makeBranch(children)
}

/** A single leaf moves up. A single branch stays, because its keys still share this prefix. */
const collapse = (children: ReadonlyArray<Tree | undefined>): Leaf | undefined => {
  let only: Tree | undefined
  for (const child of children) {
    if (child === undefined) continue
    if (only !== undefined) return undefined
    only = child
  }
  if (only === undefined) return undefined
  const node = open(only)
  return node.kind === LEAF ? node : undefined
}

/** Counts the rows of a tree. */
export const size = (tree: Tree | undefined): number => {
  if (tree === undefined) return 0
  const node = open(tree)
  if (node.kind === LEAF) return 1
  if (node.size < 0) node.size = node.children.reduce((sum, child) => sum + size(child), 0)
  return node.size
}

/** The digest of a tree, which depends on its rows alone. */
export const digest = (tree: Tree | undefined): Digest.Digest => {
  if (tree === undefined) return Digest.zero
  if (tree.digest !== undefined) return tree.digest
  // An unread node has its digest, so only leaves and branches are passed here.
  const node = open(tree)
  node.digest =
    node.kind === LEAF ? Digest.ofText(leafDomain, leafBody(node)) : Digest.ofText(branchDomain, branchBody(node))
  return node.digest
}

/** Leaves in the order of the hashes of their keys. */
export function* leaves(tree: Tree | undefined): Generator<Leaf, undefined> {
  const pending: Array<Tree> = tree === undefined ? [] : [tree]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const node = open(next)
    if (node.kind === LEAF) {
      yield node
      continue
    }
    for (let digit = 15; digit >= 0; digit--) {
      const child = node.children[digit]
      if (child !== undefined) pending.push(child)
    }
  }
  return undefined
}

/** Labels of the leaves below a node, remembered in the node, so that trees which share nodes share them. */
export interface Labels {
  readonly of: (leaf: Leaf) => string | undefined
  readonly below: WeakMap<Branch, ReadonlySet<string>>
}

/** Leaves with a label, in the order of {@link leaves}. Parts without any are skipped. */
export function* labelled(tree: Tree | undefined, labels: Labels, label: string): Generator<Leaf, undefined> {
  const node = tree && open(tree)
  if (node === undefined) return undefined
  if (node.kind === LEAF) {
    if (labels.of(node) === label) yield node
  } else if (labelsBelow(node, labels).has(label)) {
    for (const child of node.children) yield* labelled(child, labels, label)
  }
  return undefined
}

const labelsBelow = (branch: Branch, labels: Labels): ReadonlySet<string> => {
  const known = labels.below.get(branch)
  if (known !== undefined) return known
  const found = new Set<string>()
  for (const child of branch.children) {
    const node = child && open(child)
    if (node?.kind === BRANCH) for (const label of labelsBelow(node, labels)) found.add(label)
    const own = node?.kind === LEAF ? labels.of(node) : undefined
    if (own !== undefined) found.add(own)
  }
  labels.below.set(branch, found)
  return found
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
  if (node.kind === LEAF) {
    put(address, `${leafDomain}\n${leafBody(node)}`)
    return
  }
  const known = since?.kind === BRANCH ? since.children : []
  for (let digit = 0; digit < 16; digit++) {
    const child = node.children[digit]
    if (child !== undefined && child !== known[digit]) collect(child, has, put, known[digit])
  }
  put(address, `${branchDomain}\n${branchBody(node)}`)
}

/** Lists the differences, in the order of the hashes of the keys. Equal parts are skipped. */
export function* changes(before: Tree | undefined, after: Tree | undefined): Generator<Change, undefined> {
  const pending: Array<readonly [Tree | undefined, Tree | undefined, number]> = [[before, after, 0]]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [left, right, depth] = next
    if (isSame(left, right)) continue
    const from = left && open(left)
    const to = right && open(right)
    if (from?.kind !== BRANCH && to?.kind !== BRANCH) {
      yield* leafChanges(from, to)
      continue
    }
    for (let digit = 15; digit >= 0; digit--) {
      const pair = [under(from, depth, digit), under(to, depth, digit)] as const
      if (pair[0] !== undefined || pair[1] !== undefined) pending.push([pair[0], pair[1], depth + 1])
    }
  }
  return undefined
}

function* leafChanges(before: Leaf | undefined, after: Leaf | undefined): Generator<Change, void> {
  if (before === undefined || after === undefined) {
    yield { before, after }
  } else if (before.hash !== after.hash) {
    const removed = { before, after: undefined }
    const added = { before: undefined, after }
    yield* before.hash < after.hash ? [removed, added] : [added, removed]
  } else if (!Canonical.equals(before.row, after.row)) {
    yield { before, after }
  }
}

/** Compares by identity and by known digests. A digest is computed only if it may save a read. */
const isSame = (left: Tree | undefined, right: Tree | undefined): boolean => {
  if (left === right) return true
  if (left === undefined || right === undefined) return false
  if (isUnread(left) || isUnread(right)) return digest(left) === digest(right)
  return left.digest !== undefined && left.digest === right.digest
}

const isUnread = (tree: Tree): boolean => tree.kind === UNREAD && tree.node === undefined

/** The part of a tree below a digit. A leaf counts as a branch that leads only to itself. */
const under = (node: Leaf | Branch | undefined, depth: number, digit: number): Tree | undefined => {
  if (node === undefined) return undefined
  if (node.kind === BRANCH) return node.children[digit]
  return digitAt(node.hash, depth) === digit ? node : undefined
}

const childAt = (branch: Branch, digit: number): Leaf | Branch | undefined => {
  const child = branch.children[digit]
  if (child === undefined || child.kind !== UNREAD) return child
  const node = open(child)
  branch.children[digit] = node
  return node
}

const open = (tree: Tree): Leaf | Branch => {
  if (tree.kind !== UNREAD) return tree
  tree.node ??= parse(tree)
  return tree.node
}

const leafDomain = "backstitch.leaf.1"
const branchDomain = "backstitch.branch.1"

const leafBody = (leaf: Leaf): string => Canonical.encode([leaf.key, leaf.row])

const branchBody = (branch: Branch): string => {
  let body = ""
  for (let digit = 0; digit < 16; digit++) {
    const child = branch.children[digit]
    if (digit > 0) body += ","
    body += child === undefined ? "-" : digest(child)
  }
  return body
}

const parse = (unread: Unread): Leaf | Branch => {
  const text = Node.read(unread.get, unread.digest)
  const end = text.indexOf("\n")
  const body = text.slice(end + 1)
  const node =
    text.slice(0, end) === leafDomain
      ? parseLeaf(unread, body)
      : text.slice(0, end) === branchDomain
        ? parseBranch(unread, body)
        : undefined
  if (node === undefined) {
    throw new Node.NodeCorrupt({
      digest: unread.digest,
      reason: "is not a node of a table, or not of this place in it"
    })
  }
  return node
}

const parseLeaf = ({ digest, path }: Unread, body: string): Leaf | undefined => {
  const [key, row] = JsonText.read(body) as [string, Json]
  const leaf = makeLeaf(key, row)
  if (!leaf.hash.startsWith(path)) return undefined
  leaf.digest = digest
  return leaf
}

const parseBranch = ({ digest, get, path }: Unread, body: string): Branch | undefined => {
  const parts = body.split(",")
  if (parts.length !== 16) return undefined
  const children: Array<Tree | undefined> = new Array(16).fill(undefined)
  for (const [digit, part] of parts.entries()) {
    if (Digest.isDigest(part)) children[digit] = makeUnread(part, get, path + digit.toString(16))
    else if (part !== "-") return undefined
  }
  const branch = makeBranch(children)
  branch.digest = digest
  return branch
}

const digitAt = (hash: string, depth: number): number => {
  const code = hash.charCodeAt(depth)
  return code < 58 ? code - 48 : code - 87
}
