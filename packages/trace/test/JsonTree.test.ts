import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Digest from "../src/bytes/Digest.ts"
import * as JsonTree from "../src/table/JsonTree.ts"
import * as Node from "../src/table/Node.ts"

const makeStore = () => {
  const texts = new Map<Digest.Digest, string>()
  const get = (digest: Digest.Digest) => texts.get(digest)
  const keep = (tree: JsonTree.JsonTree, since?: JsonTree.JsonTree) => {
    const before = texts.size
    const has = (digest: Digest.Digest) => texts.has(digest)
    const address = JsonTree.collect(tree, has, (digest, text) => void texts.set(digest, text), since)
    return { address, nodes: texts.size - before }
  }
  /** Reads level by level, as a store without synchronous reads does. */
  const reachable = (address: JsonTree.TextAddress) => {
    const found = new Map<Digest.Digest, string>()
    let below = [JsonTree.digestOf(address)].filter((digest) => digest !== undefined)
    while (below.length > 0) {
      for (const digest of below) found.set(digest, Node.read(get, digest))
      below = below.flatMap((digest) => JsonTree.children(found.get(digest)!)).filter((digest) => !found.has(digest))
    }
    return found
  }
  return { texts, get, keep, reachable }
}

const message = (index: number) => ({ id: `m${index}`, content: "a result of a tool; ".repeat(20), index })
const conversation = (length: number) => JSON.stringify(Array.from({ length }, (_, index) => message(index)))

const Value: Schema.Codec<unknown> = Schema.suspend(() =>
  Schema.Union([
    Schema.Null,
    Schema.Boolean,
    Schema.Finite,
    Schema.String,
    Schema.Array(Value).check(Schema.isMaxLength(4)),
    Schema.Record(Schema.String, Value)
  ])
)

describe("JsonTree", () => {
  it.prop(
    "reads back what was written, character for character",
    { value: Value, times: Schema.Literals([1, 9, 300]) },
    ({ times, value }) => {
      const text = JSON.stringify(Array.from({ length: times }, () => ({ value, pad: "x".repeat(30) })))
      const store = makeStore()
      const { address } = store.keep(JsonTree.make(text))
      assert.strictEqual(JsonTree.read(address, store.get), text)
      const found = store.reachable(address)
      assert.strictEqual(
        JsonTree.read(address, (digest) => found.get(digest)),
        text
      )
      assert.strictEqual(found.size, store.texts.size)
    }
  )

  it("keeps the order of keys, and small items together", () => {
    const store = makeStore()
    const object = JSON.stringify(
      Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`z${2000 - index}`, index]))
    )
    const kept = store.keep(JsonTree.make(object))
    assert.strictEqual(JsonTree.read(kept.address, store.get), object)
    assert.isBelow(kept.nodes, 80)
  })

  it("keeps texts whole that are not as JSON.stringify writes them", () => {
    const store = makeStore()
    for (const text of [
      `[ ${"1,".repeat(4000)}1]`,
      "x".repeat(5000),
      `[-0,${"1,".repeat(4000)}1]`,
      "[".repeat(200_000)
    ]) {
      const { address, nodes } = store.keep(JsonTree.make(text))
      assert.strictEqual(JsonTree.read(address, store.get), text)
      assert.strictEqual(nodes, 1)
    }
    const deep = `${"[".repeat(5000)}1${"]".repeat(5000)}`
    assert.strictEqual(JsonTree.read(store.keep(JsonTree.make(deep)).address, store.get), deep)
  })

  it("stores an added message as that message and the path to it, however long the conversation is", () => {
    const store = makeStore()
    let tree: JsonTree.JsonTree | undefined
    let most = 0
    for (let length = 1; length <= 600; length++) {
      const next = JsonTree.make(conversation(length), tree)
      const { address, nodes } = store.keep(next, tree)
      if (length > 20) most = Math.max(most, nodes)
      assert.strictEqual(address, JsonTree.addressOf(next))
      tree = next
    }
    assert.isAtMost(most, 6)
    assert.strictEqual(JsonTree.addressOf(JsonTree.make(conversation(600))), JsonTree.addressOf(tree!))
    assert.strictEqual(JsonTree.read(JsonTree.addressOf(tree!), store.get), conversation(600))
  })

  it("has one address for a text, whatever it was made from", () => {
    const store = makeStore()
    const texts = [
      conversation(40),
      conversation(12),
      conversation(40).replace("m7", "mX"),
      '{"a":1}',
      conversation(60)
    ]
    let since: JsonTree.JsonTree | undefined
    for (const text of texts) {
      const tree = JsonTree.make(text, since)
      const { address } = store.keep(tree, since)
      assert.strictEqual(address, JsonTree.addressOf(JsonTree.make(text)))
      assert.strictEqual(JsonTree.read(address, store.get), text)
      since = tree
    }
  })

  it("names a node that is missing, or that is no part of a text", () => {
    const store = makeStore()
    const { address } = store.keep(JsonTree.make(conversation(40)))
    const digest = JsonTree.digestOf(address)!
    assert.throws(() => JsonTree.read(address, () => undefined), Node.NodeMissing)
    assert.throws(
      () => JsonTree.read(address, (each) => (each === digest ? "other" : store.get(each))),
      Node.NodeCorrupt
    )
    const foreign = Digest.ofBytes("backstitch.leaf.1\n{}")
    assert.throws(() => JsonTree.read(`#${foreign}`, () => "backstitch.leaf.1\n{}"), Node.NodeCorrupt)
  })
})
