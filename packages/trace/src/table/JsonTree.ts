/**
 * JSON texts as trees of nodes, for values that grow or change a little at a time.
 *
 * A conversation of two thousand messages that gains one is stored again as one message and the path to it. Texts,
 * and not values, are kept: what is read back has the keys in the order, and the numbers in the form, in which they
 * were written. Equal texts have equal addresses, whatever they were made from.
 *
 * | text | stored as |
 * | --- | --- |
 * | up to 256 characters | itself, in its address |
 * | up to 4,096 characters, or without parts | one node |
 * | a longer array or object | a list of its items, or of its keys and values in turn |
 */
import * as Digest from "../bytes/Digest.ts"
import * as JsonText from "../bytes/JsonText.ts"
import * as Limits from "../Limits.ts"
import * as List from "./List.ts"
import * as Node from "./Node.ts"

/** Address of a text: `=` and the text itself, or `#` and the digest of its node. */
export type TextAddress = string

/** A text that was taken apart. */
export type JsonTree = Leaf | Sequence

interface Leaf {
  readonly kind: "leaf"
  readonly text: string
}

interface Sequence {
  readonly kind: "array" | "object"
  /** Number of neighbours that share an item of the list. */
  readonly by: number
  readonly items: ReadonlyArray<JsonTree>
  readonly texts: ReadonlyArray<string>
  readonly list: List.List<TextAddress>
}

const leafDomain = "backstitch.text.1"
const sequenceDomain = "backstitch.json.1"

const { jsonInlineCharactersMax, jsonItemsPerNode, jsonLeafCharactersMax, jsonLevelsMax, jsonSmallItemCharactersMax } =
  Limits.pacing

/**
 * Takes a text apart. With `since`, the tree of an earlier text, only what differs from it is digested.
 *
 * **Details**
 *
 * Text that is no JSON, not as `JSON.stringify` writes it, or nested too deeply for that, stays whole.
 */
export const make = (text: string, since?: JsonTree): JsonTree => {
  if (text.length <= jsonLeafCharactersMax) return { kind: "leaf", text }
  try {
    return branch(text, JsonText.read(text), { since, level: 1 })
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof RangeError) return { kind: "leaf", text }
    throw cause
  }
}

interface At {
  readonly since: JsonTree | undefined
  readonly level: number
}

const branch = (text: string, value: unknown, { level, since }: At): JsonTree => {
  if (text.length <= jsonLeafCharactersMax || level > jsonLevelsMax) return { kind: "leaf", text }
  const parts = apart(text, value)
  if (parts === undefined) return { kind: "leaf", text }
  const { by, kind, texts, values } = parts
  const earlier = since?.kind === kind && since.by === by ? since : undefined
  const items = texts.map((each, index) =>
    earlier?.texts[index] === each
      ? earlier.items[index]!
      : branch(each, values[index], { since: earlier?.items[index], level: level + 1 })
  )
  return { kind, by, items, texts, list: listed(items, earlier) }
}

/** Address of a text by its tree. */
export const addressOf = (self: JsonTree): TextAddress =>
  self.kind === "leaf" && self.text.length <= jsonInlineCharactersMax
    ? `=${self.text}`
    : `#${Digest.ofBytes(nodeOf(self))}`

/**
 * Stores the missing nodes of a tree, and answers its address. With `since`, an earlier tree that is stored, its nodes
 * are neither asked for nor stored again.
 */
export const collect = (self: JsonTree, has: Node.Has, put: Node.Put, since?: JsonTree): TextAddress => {
  const address = addressOf(self)
  const digest = digestOf(address)
  if (self === since || digest === undefined || has(digest)) return address
  if (self.kind !== "leaf") {
    const earlier = since !== undefined && since.kind !== "leaf" ? since : undefined
    for (const [index, item] of self.items.entries()) {
      if (item.kind !== "leaf" || item.text.length > jsonLeafCharactersMax)
        collect(item, has, put, earlier?.items[index])
    }
    List.collect(self.list, has, put, earlier?.list)
  }
  put(digest, nodeOf(self))
  return address
}

/** The digest that an address names; `undefined` for a text that is its own address. */
export const digestOf = (address: TextAddress): Digest.Digest | undefined =>
  address.startsWith("#") ? (address.slice(1) as Digest.Digest) : undefined

/** Digests of the nodes directly below a node of a tree, so that a store can be read level by level. */
export const children = (node: string): ReadonlyArray<Digest.Digest> => {
  if (node.startsWith(sequenceDomain)) return [node.slice(-66, -2) as Digest.Digest]
  return node.startsWith(farItem) ? [node.slice(farItem.length, -2) as Digest.Digest] : Node.children(node)
}

const farItem = 'backstitch.list.1\n["item","#'

/** Puts a text together again. Throws `NodeMissing` or `NodeCorrupt`. */
export const read = (address: TextAddress, get: Node.Get): string => {
  const digest = digestOf(address)
  if (digest === undefined) return address.slice(1)
  const node = Node.read(get, digest)
  const body = node.slice(node.indexOf("\n") + 1)
  if (node.startsWith(`${leafDomain}\n`)) return body
  const [kind, by, root] = sequenceOf(digest, node, body)
  const items = Array.from(List.load<TextAddress>(root, get), (item) => read(item, get))
  const texts = by === 1 ? items : items.flatMap((item) => partsOf(item))
  return kind === "array" ? `[${texts.join(",")}]` : `{${members(texts)}}`
}

const partsOf = (text: string): ReadonlyArray<string> =>
  (JsonText.read(text) as ReadonlyArray<unknown>).map((part) => JSON.stringify(part))

const nodeOf = (self: JsonTree): string =>
  self.kind === "leaf"
    ? `${leafDomain}\n${self.text}`
    : `${sequenceDomain}\n["${self.kind}",${self.by},"${self.list.digest()}"]`

const sequenceOf = (digest: Digest.Digest, node: string, body: string): readonly [string, number, Digest.Digest] => {
  const match = node.startsWith(`${sequenceDomain}\n`)
    ? /^\["(array|object)",(\d+),"([0-9a-f]{64})"\]$/.exec(body)
    : null
  if (match === null) throw new Node.NodeCorrupt({ digest, reason: "is no part of a text" })
  return [match[1]!, Number(match[2]), match[3] as Digest.Digest]
}

/** Addresses of the items, with those that an earlier list has at the same places taken from it. */
const listed = (items: ReadonlyArray<JsonTree>, earlier: Sequence | undefined): List.List<TextAddress> => {
  if (earlier === undefined || earlier.items.length > items.length) return List.from(items.map(itemAddress))
  let list = earlier.list
  for (const [index, item] of items.entries()) {
    if (index >= list.length) list = list.append(itemAddress(item))
    else if (item !== earlier.items[index]) list = list.set(index, itemAddress(item))
  }
  return list
}

/** An item has a node of its own, which holds a leaf as it is. */
const itemAddress = (item: JsonTree): TextAddress =>
  item.kind === "leaf" && item.text.length <= jsonLeafCharactersMax ? `=${item.text}` : addressOf(item)

interface Parts extends Pick<Sequence, "by" | "kind" | "texts"> {
  readonly values: ReadonlyArray<unknown>
}

/** The items of an array, or the keys and values of an object. */
const apart = (text: string, value: unknown): Parts | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const kind = Array.isArray(value) ? "array" : "object"
  const values: ReadonlyArray<unknown> = Array.isArray(value) ? value : Object.entries(value).flat()
  const texts = values.map((part) => JSON.stringify(part))
  if ((kind === "array" ? `[${texts.join(",")}]` : `{${members(texts)}}`) !== text) return undefined
  if (text.length >= texts.length * jsonSmallItemCharactersMax) return { kind, by: 1, texts, values }
  const groups = Array.from({ length: Math.ceil(texts.length / jsonItemsPerNode) }, (_, index) => {
    const range = [index * jsonItemsPerNode, (index + 1) * jsonItemsPerNode] as const
    return { text: `[${texts.slice(...range).join(",")}]`, value: values.slice(...range) }
  })
  return {
    kind,
    by: jsonItemsPerNode,
    texts: groups.map((group) => group.text),
    values: groups.map((group) => group.value)
  }
}

/** Members of an object from the texts of its keys and values in turn. */
const members = (texts: ReadonlyArray<string>): string =>
  texts
    .map((text, index) => (index % 2 === 0 ? `${text}:` : `${text},`))
    .join("")
    .slice(0, -1)
