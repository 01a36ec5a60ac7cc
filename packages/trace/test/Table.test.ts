import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Canonical from "../src/bytes/Canonical.ts"
import * as Digest from "../src/bytes/Digest.ts"
import * as List from "../src/table/List.ts"
import * as Node from "../src/table/Node.ts"
import * as Table from "../src/table/Table.ts"

/** The digits of a key, by their definition. */
const at = (key: string): string => Digest.ofBytes(`backstitch.row.1\n${key}`)

/** Keys of which many share three or more hex digits, so that branches form and collapse at depth. */
const keys = (() => {
  const buckets = new Map<string, Array<string>>()
  for (let key = 0; key < 8_000; key++) {
    const prefix = at(`${key}`).slice(0, 3)
    buckets.set(prefix, [...(buckets.get(prefix) ?? []), `${key}`])
  }
  const crowded = [...buckets.values()].sort((left, right) => right.length - left.length)
  return [...crowded[0]!.slice(0, 5), ...crowded[1]!.slice(0, 3), "a", "b", "", "é😀"]
})()

const Key = Schema.Literals(keys)
const Row = Schema.Struct({ n: Schema.Literals([0, 1, 2]), text: Schema.optionalKey(Schema.Literals(["x", "y"])) })
const Command = Schema.TaggedUnion({ Set: { key: Key, row: Row }, Delete: { key: Key } })
type Command = typeof Command.Type

type Rows = Map<string, Canonical.Json>

const apply = (table: Table.Table, command: Command): Table.Table =>
  Command.match(command, { Set: ({ key, row }) => table.set(key, row), Delete: ({ key }) => table.delete(key) })

const applyTo = (rows: Rows, command: Command): Rows => {
  const next = new Map(rows)
  Command.match(command, { Set: ({ key, row }) => next.set(key, row), Delete: ({ key }) => next.delete(key) })
  return next
}

const table = (commands: ReadonlyArray<Command>): Table.Table => commands.reduce<Table.Table>(apply, Table.empty)

/** The digest by its definition. */
const digestOf = (rows: ReadonlyArray<readonly [string, Canonical.Json]>, depth = 0): string => {
  if (rows.length === 0) return depth === 0 ? Digest.zero : "-"
  if (rows.length === 1) return Digest.ofBytes(`backstitch.leaf.1\n${Canonical.encode([...rows[0]!])}`)
  const children = [..."0123456789abcdef"].map((digit) =>
    digestOf(
      rows.filter(([key]) => at(key)[depth] === digit),
      depth + 1
    )
  )
  return Digest.ofBytes(`backstitch.branch.1\n${children.join(",")}`)
}

/** Lists the differences by comparing every row. */
const bruteForce = (before: Table.Table, after: Table.Table) =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => JSON.stringify(before.get(key)) !== JSON.stringify(after.get(key)))
    .sort((left, right) => (at(left) < at(right) ? -1 : 1))
    .map((key) => ({
      key,
      ...(before.has(key) && { before: before.get(key) }),
      ...(after.has(key) && { after: after.get(key) })
    }))

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

const wide = Table.from(Array.from({ length: 2_000 }, (_, n) => [`row-${n}`, { n }] as const))

const thrown = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

describe("Table", () => {
  it.prop(
    "answers as a map does, and digests by its definition (L2)",
    [Schema.Array(Command)],
    ([commands]) => {
      let rows: Rows = new Map()
      let current: Table.Table = Table.empty
      for (const command of commands) {
        const next = apply(current, command)
        const nextRows = applyTo(rows, command)
        const isSame = Canonical.encode([...rows]) === Canonical.encode([...nextRows])
        assert.strictEqual(next === current, isSame, "the same table comes back when nothing changes")
        current = next
        rows = nextRows
        assert.strictEqual(current.digest(), digestOf([...rows]))
      }
      assert.strictEqual(current.size, rows.size)
      assert.deepStrictEqual(current.toJson(), Object.fromEntries(rows))
      assert.deepStrictEqual(
        current.sortedEntries(),
        [...rows].sort(([left], [right]) => (left < right ? -1 : 1))
      )
      for (const key of keys) {
        assert.deepStrictEqual(current.get(key), rows.get(key))
        assert.strictEqual(current.has(key), rows.has(key))
      }
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "has one digest and one order for its contents, whatever the order of inserts and deletes (L2, decision 0033)",
    [Schema.Array(Command), Schema.Array(Key)],
    ([commands, detour]) => {
      const direct = table(commands)
      const entries = [...direct.entries()]
      const backwards = entries.reduceRight<Table.Table>((built, [key, row]) => built.set(key, row), Table.empty)
      const visited = detour.reduce<Table.Table>((built, key) => built.set(key, { n: "detour" }), backwards)
      const returned = detour.reduce<Table.Table>((built, key) => {
        const row = direct.get(key)
        return row === undefined ? built.delete(key) : built.set(key, row)
      }, visited)
      for (const other of [Table.from(entries), Table.from(entries.toReversed()), backwards, returned]) {
        assert.strictEqual(other.digest(), direct.digest())
        assert.strictEqual(other.size, direct.size)
        assert.deepStrictEqual([...other], entries)
      }
      const hashes = [...direct.keys()].map(at)
      assert.deepStrictEqual(hashes, hashes.toSorted())
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "leaves the tables that it was made from as they were",
    [Schema.Array(Command), Command],
    ([commands, command]) => {
      const before = table(commands)
      const entries = [...before]
      apply(before, command)
      assert.deepStrictEqual([...before], entries)
      assert.strictEqual(before.digest(), digestOf(entries))
    }
  )

  it.prop(
    "finds the changes that comparing every row finds, in memory and loaded",
    [Schema.Array(Command), Schema.Array(Command), Schema.Boolean],
    ([commands, more, isRelated]) => {
      const before = table(commands)
      const after = more.reduce(apply, isRelated ? before : Table.empty)
      const expected = bruteForce(before, after)
      assert.deepStrictEqual([...Table.changes(before, after)], expected)
      const store = makeStore()
      Table.collect(before, store.has, store.put)
      Table.collect(after, store.has, store.put, before)
      const loaded = Table.load(after.digest(), store.get)
      assert.deepStrictEqual([...Table.changes(before, loaded)], expected)
      assert.deepStrictEqual([...Table.changes(Table.load(before.digest(), store.get), loaded)], expected)
      assert.deepStrictEqual([...Table.changes(loaded, after)], [])
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "comes back from a store as it was, and grows on from there",
    [Schema.Array(Command), Schema.Array(Command)],
    ([commands, more]) => {
      const original = table(commands)
      const store = makeStore()
      const digest = Table.collect(original, store.has, store.put)
      for (const [address, text] of store.texts) assert.strictEqual(Digest.ofBytes(text), address)
      const loaded = Table.load(digest, store.get)
      const grown = more.reduce(apply, loaded)
      const expected = more.reduce(apply, original)
      assert.strictEqual(grown.digest(), expected.digest())
      assert.deepStrictEqual([...grown], [...expected])
      assert.strictEqual(grown.size, expected.size)
      assert.deepStrictEqual([...loaded], [...original])
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "finds the same rows with a label as a scan of every row, after any earlier search",
    [Schema.Array(Command), Schema.Array(Command)],
    ([commands, more]) => {
      const labelOf = (row: Canonical.Json) => (Canonical.objectOf(row)["text"] as string | undefined) ?? undefined
      const find = Table.finder(labelOf)
      const original = table(commands)
      for (const each of [original, more.reduce(apply, original), original]) {
        for (const label of ["x", "y", "z"]) {
          const expected = [...each].filter(([, row]) => labelOf(row) === label)
          assert.deepStrictEqual([...find(each, label)], expected)
        }
      }
    },
    { arbitrary: { runs: 300 } }
  )

  it("looks at few rows to find a label again once another row is set", () => {
    let looked = 0
    const find = Table.finder(({ n }: { readonly n: number }) => {
      looked++
      return n === 7 ? "seven" : undefined
    })
    const numbers = Table.from(Array.from({ length: 2_000 }, (_, n) => [`row-${n}`, { n }] as const))
    assert.deepStrictEqual([...find(numbers, "seven")], [["row-7", { n: 7 }]])
    assert.isAtLeast(looked, 2_000)
    looked = 0
    assert.lengthOf([...find(numbers.set("row-2000", { n: 7 }), "seven")], 2)
    assert.isAtMost(looked, 64)
  })

  it("reads only the nodes that are touched, and each of them once", () => {
    const store = makeStore()
    const loaded = Table.load(Table.collect(wide, store.has, store.put), store.get)
    assert.strictEqual(loaded.digest(), wide.digest())
    assert.strictEqual(store.reads.length, 0)
    assert.deepStrictEqual(loaded.get("row-7"), { n: 7 })
    const first = store.reads.length
    assert.isAtMost(first, 6)
    assert.deepStrictEqual(loaded.get("row-7"), { n: 7 })
    assert.strictEqual(store.reads.length, first)
    assert.strictEqual(loaded.set("row-7", { n: -7 }).digest(), wide.set("row-7", { n: -7 }).digest())
    assert.strictEqual(store.reads.length, first)
    assert.strictEqual([...loaded].length, 2_000)
    assert.strictEqual(loaded.size, 2_000)
    assert.strictEqual(store.reads.length, store.texts.size)
    assert.strictEqual(new Set(store.reads).size, store.reads.length)
  })

  it("stores the new nodes only", () => {
    const store = makeStore()
    Table.collect(wide, store.has, store.put)
    const before = store.texts.size
    const changed = wide.set("row-7", { n: -7 })
    Table.collect(changed, store.has, store.put)
    assert.isAtMost(store.texts.size - before, 6)
    const loaded = Table.load(wide.digest(), store.get)
    Table.collect(loaded.set("row-7", { n: -7 }), store.has, () => assert.fail("every node is stored already"))
  })

  it("asks only for nodes that an earlier stored table does not have", () => {
    const store = makeStore()
    Table.collect(wide, store.has, store.put)
    const asked: Array<string> = []
    const has = (digest: string) => {
      asked.push(digest)
      return store.has(digest)
    }
    const changed = wide.set("row-7", { n: -7 })
    Table.collect(changed, has, store.put, wide)
    assert.isAtMost(asked.length, 6)
    assert.deepStrictEqual(Table.load(changed.digest(), store.get).get("row-7"), { n: -7 })
    Table.collect(wide, () => assert.fail("the earlier table is this one"), store.put, wide)
  })

  it("reads little to find a small change between two stored tables", () => {
    const store = makeStore()
    const changed = wide.set("row-7", { n: -7 }).delete("row-8")
    for (const each of [wide, changed]) Table.collect(each, store.has, store.put)
    const changes = [...Table.changes(Table.load(wide.digest(), store.get), Table.load(changed.digest(), store.get))]
    assert.sameDeepMembers(changes, [
      { key: "row-7", before: { n: 7 }, after: { n: -7 } },
      { key: "row-8", before: { n: 8 } }
    ])
    assert.isAtMost(store.reads.length, 24)
    store.reads.length = 0
    const undigested = Table.from(changed.entries())
    assert.strictEqual([...Table.changes(Table.load(wide.digest(), store.get), undigested)].length, 2)
    assert.isAtMost(store.reads.length, 12)
  })

  it("puts a node after everything below it", () => {
    const stored = new Set<string>()
    const put = (digest: string, text: string) => {
      const [domain, body] = text.split("\n")
      const children = domain === "backstitch.branch.1" ? body!.split(",").filter((part) => part !== "-") : []
      assert.isTrue(children.every((child) => stored.has(child)))
      stored.add(digest)
    }
    assert.strictEqual(
      Table.collect(wide, (digest) => stored.has(digest), put),
      wide.digest()
    )
    assert.isTrue(stored.has(wide.digest()))
  })

  it("names a node that is missing, and one whose text was changed or exchanged", () => {
    const store = makeStore()
    const digest = Table.collect(wide, store.has, store.put)
    const root = store.texts.get(digest)!
    const loaded = () => Table.load(digest, store.get)

    store.texts.delete(digest)
    const missing = thrown(() => loaded().get("row-7"))
    assert.instanceOf(missing, Node.NodeMissing)
    assert.strictEqual(missing.digest, digest)

    const leaf = Digest.ofJson("backstitch.leaf.1", ["row-7", { n: 7 }])
    const other = Digest.ofJson("backstitch.leaf.1", ["row-8", { n: 8 }])
    store.texts.set(digest, root)
    const original = store.texts.get(leaf)!
    for (const text of [original.replace("7}", "8}"), store.texts.get(other)!, ""]) {
      store.texts.set(leaf, text)
      const corrupt = thrown(() => loaded().get("row-7"))
      assert.instanceOf(corrupt, Node.NodeCorrupt)
      assert.strictEqual(corrupt.digest, leaf)
      assert.deepStrictEqual(loaded().get("row-8"), { n: 8 })
    }
  })

  it("refuses nodes that belong to no table, or to another place", () => {
    const store = makeStore()
    const list = List.collect(List.from([1, 2]), store.has, store.put)
    const leaf = Table.collect(Table.from([["a", 1]]), store.has, store.put)
    const misplaced = [..."0123456789abcdef"].map((digit) => (at("a").startsWith(digit) ? "-" : leaf))
    const texts = [`backstitch.branch.1\n${misplaced.join(",")}`, `backstitch.branch.1\n${leaf}`, "backstitch.leaf.2\n"]
    const addresses = texts.map((text) => {
      store.put(Digest.ofBytes(text), text)
      return Digest.ofBytes(text)
    })
    for (const address of [list, ...addresses]) {
      assert.instanceOf(
        thrown(() => [...Table.load(address, store.get)]),
        Node.NodeCorrupt
      )
    }
  })

  it("has no nodes when it is empty", () => {
    assert.strictEqual(Table.empty.digest(), Digest.zero)
    assert.strictEqual(Table.from([["a", 1]]).delete("a"), Table.empty)
    assert.strictEqual(
      Table.collect(
        Table.empty,
        () => false,
        () => assert.fail("nothing to store")
      ),
      Digest.zero
    )
    assert.strictEqual(
      Table.load(Digest.zero, () => assert.fail("nothing to read")),
      Table.empty
    )
  })

  it("lets the last of several entries with one key count", () => {
    assert.deepStrictEqual(
      Table.from([
        ["a", 1],
        ["b", 2],
        ["a", 3]
      ]).sortedEntries(),
      [
        ["a", 3],
        ["b", 2]
      ]
    )
  })

  it("finds each of more keys than it remembers the hashes of, the short and the long", () => {
    const names = Array.from({ length: 5000 }, (_, index) => (index % 7 === 0 ? `${index}`.repeat(200) : `${index}`))
    const table = Table.from(names.map((name, index) => [name, index]))
    assert.deepStrictEqual(
      names.map((name) => table.get(name)),
      names.map((_, index) => index)
    )
    assert.strictEqual(table.delete(names[0]!).size, names.length - 1)
  })

  it("refuses a key that has no bytes of its own", () => {
    assert.instanceOf(
      thrown(() => Table.empty.set("\ud800", 1)),
      Canonical.NotCanonical
    )
    const replacement = Table.from([["\ufffd", 1]])
    assert.isFalse(replacement.has("\ud800"))
    assert.strictEqual(replacement.delete("\ud800"), replacement)
  })

  it("reads as a ReadonlyMap", () => {
    const read: ReadonlyMap<string, Canonical.Json> = wide
    const visited: Array<unknown> = []
    read.forEach((row, key, self) => {
      visited.push([key, row, self === wide])
    })
    assert.deepStrictEqual(
      visited,
      [...read.entries()].map(([key, row]) => [key, row, true])
    )
    assert.deepStrictEqual(
      [...read.values()],
      [...read.keys()].map((key) => read.get(key))
    )
  })

  it("knows a table from a map", () => {
    assert.isTrue(Table.is(wide))
    for (const value of [new Map(), {}, null, List.empty]) assert.isFalse(Table.is(value))
  })
})
