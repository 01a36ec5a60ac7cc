import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type * as Canonical from "../src/bytes/Canonical.ts"
import * as Digest from "../src/bytes/Digest.ts"
import * as List from "../src/table/List.ts"
import * as Node from "../src/table/Node.ts"
import * as Table from "../src/table/Table.ts"

const Item = Schema.Literals([0, 1, 2])
const Command = Schema.TaggedUnion({
  Append: { item: Item },
  AppendMany: { count: Schema.Literals([1, 14, 15, 16, 17, 240, 256]) },
  Set: { at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9999 })), item: Item }
})
type Command = typeof Command.Type

type Items = ReadonlyArray<Canonical.Json>

const apply = (list: List.List, command: Command): List.List =>
  Command.match(command, {
    Append: ({ item }) => list.append(item),
    AppendMany: ({ count }) => Array.from({ length: count }).reduce<List.List>((grown) => grown.append("more"), list),
    Set: ({ at, item }) => (list.length === 0 ? list : list.set(at % list.length, item))
  })

const applyTo = (items: Items, command: Command): Items =>
  Command.match(command, {
    Append: ({ item }) => [...items, item],
    AppendMany: ({ count }) => [...items, ...Array.from({ length: count }, () => "more")],
    Set: ({ at, item }) => (items.length === 0 ? items : items.with(at % items.length, item))
  })

/** The digest by its definition. */
const digestOf = (items: Items): string => {
  if (items.length === 0) return Digest.zero
  let nodes: Array<string> = items.map((item) => Digest.ofJson("backstitch.list.1", ["item", item]))
  while (nodes.length > 1) {
    const parents: Array<string> = []
    while (nodes.length > 0) parents.push(Digest.ofJson("backstitch.list.1", ["branch", ...nodes.splice(0, 16)]))
    nodes = parents
  }
  return Digest.ofJson("backstitch.list.1", ["list", items.length, nodes[0]!])
}

const bruteForce = (before: Items, after: Items) =>
  Array.from({ length: Math.max(before.length, after.length) }, (_, index) => ({
    index,
    ...(index < before.length && { before: before[index] }),
    ...(index < after.length && { after: after[index] })
  })).filter((change) => change.before !== change.after)

const makeStore = () => {
  const texts = new Map<string, string>()
  const reads: Array<string> = []
  return {
    texts,
    reads,
    has: (digest: string) => texts.has(digest),
    put: (digest: string, text: string) => void texts.set(digest, text),
    get: (digest: string) => {
      reads.push(digest)
      return texts.get(digest)
    }
  }
}

const long = List.from(Array.from({ length: 5_000 }, (_, n) => ({ n })))

const thrown = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

describe("List", () => {
  it.prop(
    "answers as an array does, and digests by its definition (L2)",
    [Schema.Array(Command)],
    ([commands]) => {
      const items = commands.reduce(applyTo, [])
      const list = commands.reduce<List.List>(apply, List.empty)
      assert.strictEqual(list.length, items.length)
      assert.deepStrictEqual([...list], items)
      assert.deepStrictEqual(list.toJson(), items)
      for (const index of [-1, 0, 0.5, 1, 15, 16, 17, 255, 256, items.length - 1, items.length]) {
        assert.strictEqual(list.get(index), items[index])
      }
      assert.strictEqual(list.digest(), digestOf(items))
      assert.strictEqual(List.from(items).digest(), list.digest())
    },
    { arbitrary: { runs: 300 } }
  )

  it.each([1, 2, 15, 16, 17, 255, 256, 257, 4096, 4097])(
    "is the same built at once and item by item at %d",
    (length) => {
      const items = Array.from({ length }, (_, n) => n)
      const grown = items.reduce<List.List>((list, item) => list.append(item), List.empty)
      assert.strictEqual(grown.digest(), List.from(items).digest())
      assert.strictEqual(grown.digest(), digestOf(items))
      assert.deepStrictEqual([...grown], items)
    }
  )

  it.prop(
    "finds the changes that comparing every item finds, in memory and loaded",
    [Schema.Array(Command), Schema.Array(Command), Schema.Boolean],
    ([commands, more, isRelated]) => {
      const before = commands.reduce<List.List>(apply, List.empty)
      const after = more.reduce(apply, isRelated ? before : List.empty)
      const expected = bruteForce([...before], [...after])
      assert.deepStrictEqual([...List.changes(before, after)], expected)
      const store = makeStore()
      List.collect(before, store.has, store.put)
      List.collect(after, store.has, store.put, before)
      const loaded = List.load(after.digest(), store.get)
      assert.deepStrictEqual([...List.changes(before, loaded)], expected)
      assert.deepStrictEqual([...List.changes(List.load(before.digest(), store.get), loaded)], expected)
      assert.deepStrictEqual([...List.changes(loaded, after)], [])
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "comes back from a store as it was, and grows on from there",
    [Schema.Array(Command), Schema.Array(Command)],
    ([commands, more]) => {
      const original = commands.reduce<List.List>(apply, List.empty)
      const store = makeStore()
      const digest = List.collect(original, store.has, store.put)
      for (const [address, text] of store.texts) assert.strictEqual(Digest.ofBytes(text), address)
      const loaded = List.load(digest, store.get)
      const grown = more.reduce(apply, loaded)
      const expected = more.reduce(apply, original)
      assert.strictEqual(grown.digest(), expected.digest())
      assert.deepStrictEqual([...grown], [...expected])
      assert.deepStrictEqual([...loaded], [...original])
    },
    { arbitrary: { runs: 300 } }
  )

  it("reads only the nodes that are touched, and each of them once", () => {
    const store = makeStore()
    const loaded = List.load(List.collect(long, store.has, store.put), store.get)
    assert.strictEqual(loaded.length, 5_000)
    assert.strictEqual(loaded.digest(), long.digest())
    assert.strictEqual(store.reads.length, 1)
    assert.deepStrictEqual(loaded.get(4_321), { n: 4_321 })
    assert.strictEqual(store.reads.length, 6)
    assert.deepStrictEqual(loaded.get(4_321), { n: 4_321 })
    assert.strictEqual(store.reads.length, 6)
    assert.strictEqual(loaded.append({ n: 5_000 }).digest(), long.append({ n: 5_000 }).digest())
    assert.isAtMost(store.reads.length, 9)
    assert.strictEqual([...loaded].length, 5_000)
    assert.strictEqual(store.reads.length, store.texts.size)
    assert.strictEqual(new Set(store.reads).size, store.reads.length)
  })

  it("stores the new nodes only, each after everything below it", () => {
    const store = makeStore()
    const put = (digest: string, text: string) => {
      const [kind, ...rest] = JSON.parse(text.slice(text.indexOf("\n"))) as [string, ...Array<string>]
      if (kind === "branch") assert.isTrue(rest.every(store.has))
      if (kind === "list") assert.isTrue(store.has(rest[1]!))
      store.put(digest, text)
    }
    List.collect(long, store.has, put)
    const before = store.texts.size
    List.collect(long.append({ n: -1 }), store.has, put)
    assert.strictEqual(store.texts.size - before, 6)
  })

  it("asks only for nodes that an earlier stored list does not have", () => {
    const store = makeStore()
    for (const length of [15, 16, 17, 256, 300]) {
      const list = List.from(Array.from({ length }, (_, index) => ({ n: index })))
      List.collect(list, store.has, store.put)
      let asked = 0
      const has = (digest: string) => {
        asked++
        return store.has(digest)
      }
      const grown = list.append({ n: -1 })
      List.collect(grown, has, store.put, list)
      assert.isAtMost(asked, 5)
      assert.deepStrictEqual([...List.load(grown.digest(), store.get)], [...grown])
    }
  })

  it("names a node that is missing or was changed", () => {
    const store = makeStore()
    const digest = List.collect(long, store.has, store.put)
    const leaf = Digest.ofJson("backstitch.list.1", ["item", { n: 7 }])
    store.texts.set(leaf, store.texts.get(leaf)!.replace("7", "8"))
    const corrupt = thrown(() => List.load(digest, store.get).get(7))
    assert.instanceOf(corrupt, Node.NodeCorrupt)
    assert.strictEqual(corrupt.digest, leaf)
    store.texts.delete(leaf)
    assert.instanceOf(
      thrown(() => [...List.load(digest, store.get)]),
      Node.NodeMissing
    )
    assert.deepStrictEqual(List.load(digest, store.get).get(8), { n: 8 })
    store.texts.delete(digest)
    assert.instanceOf(
      thrown(() => List.load(digest, store.get)),
      Node.NodeMissing
    )
  })

  it("refuses nodes that belong to no list, or to another place", () => {
    const store = makeStore()
    const put = (value: Canonical.Json) => {
      const digest = Digest.ofJson("backstitch.list.1", value)
      store.put(digest, `backstitch.list.1\n${JSON.stringify(value)}`)
      return digest
    }
    const item = put(["item", 1])
    const branch = put(["branch", item, item])
    const addresses = [
      Table.collect(Table.from([["a", 1]]), store.has, store.put),
      item,
      branch,
      put(["list", 2, item]),
      put(["list", 1, branch]),
      put(["list", 3, branch]),
      put(["list", 17, put(["branch", branch, item])]),
      put({ list: 1 })
    ]
    for (const address of addresses) {
      assert.instanceOf(
        thrown(() => [...List.load(address, store.get)]),
        Node.NodeCorrupt
      )
    }
    assert.deepStrictEqual([...List.load(put(["list", 2, branch]), store.get)], [1, 1])
  })

  it("never takes an item for a node", () => {
    const item = Digest.ofJson("backstitch.list.1", ["item", 1])
    const lists = [List.from([1]), List.from(["item", 1]), List.from([["item", 1]]), List.from([["list", 1, item]])]
    assert.strictEqual(new Set(lists.map((list) => list.digest())).size, lists.length)
  })

  it("keeps the same list when an equal item is set, and refuses a position that it has not", () => {
    assert.strictEqual(long.set(9, { n: 9 }), long)
    assert.notStrictEqual(long.set(9, { n: 10 }), long)
    assert.deepStrictEqual(long.get(9), { n: 9 })
    for (const index of [-1, 0.5, 5_000]) assert.throws(() => long.set(index, 1), RangeError)
  })

  it("has no nodes when it is empty", () => {
    assert.strictEqual(List.empty.digest(), Digest.zero)
    assert.strictEqual(List.from([]), List.empty)
    assert.strictEqual(
      List.collect(
        List.empty,
        () => false,
        () => assert.fail("nothing to store")
      ),
      Digest.zero
    )
    assert.strictEqual(
      List.load(Digest.zero, () => assert.fail("nothing to read")),
      List.empty
    )
  })

  it("knows a list from an array", () => {
    assert.isTrue(List.is(long))
    for (const value of [[], new Set(), null, Table.empty]) assert.isFalse(List.is(value))
  })
})
