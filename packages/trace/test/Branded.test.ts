import { assert, describe, it } from "@effect/vitest"
import { vi } from "vitest"
import * as Branded from "../src/bytes/Branded.ts"
import * as Digest from "../src/bytes/Digest.ts"
import * as Claims from "../src/chain/Claims.ts"
import * as Run from "../src/chain/Run.ts"
import * as List from "../src/table/List.ts"
import * as Node from "../src/table/Node.ts"
import * as Table from "../src/table/Table.ts"

/** A second copy of the modules, as a bundled program has it beside the agent that it loads. */
const copied = async () => {
  vi.resetModules()
  return {
    list: await import("../src/table/List.ts"),
    node: await import("../src/table/Node.ts"),
    table: await import("../src/table/Table.ts")
  }
}

describe("Branded", () => {
  it("knows a table, a list and an error of another copy of the package", async () => {
    const { list, node, table } = await copied()
    const [rows, items] = [table.from([["a", { n: 1 }]]), list.from([1, 2])]
    assert.isFalse(rows instanceof Table.Table || items instanceof List.List)
    assert.isTrue(Table.is(rows) && table.is(Table.from([["a", 1]])))
    assert.isTrue(List.is(items) && list.is(List.from([1])))
    assert.isFalse(Table.is(items) || List.is(rows))
    const error = new node.NodeMissing({ digest: Digest.zero })
    assert.isFalse(error instanceof Node.NodeMissing)
    assert.isTrue(Branded.isError(error, Node.NodeMissing))
    assert.isFalse(Branded.isError(error, Node.NodeCorrupt))
  })

  it("knows an error whose own field is called name", () => {
    const holder = { run: Run.make("main").id, owner: "a1", tick: 2 }
    const refused = new Claims.ClaimRefused({ namespace: "target", claim: "seat/1", holder })
    assert.isTrue(Branded.isError(refused, Claims.ClaimRefused))
    assert.isFalse(Branded.isError(refused, Node.NodeMissing))
  })

  it("reads, changes and digests a value that another copy made as its own", async () => {
    const { list, table } = await copied()
    const rows = table.from([
      ["a", { n: 1 }],
      ["b", { n: 2 }]
    ])
    const own = Table.from([["b", { n: 2 }]])
    assert.deepStrictEqual([...Table.changes(own, rows)], [{ key: "a", after: { n: 1 } }])
    assert.strictEqual(own.set("a", { n: 1 }).digest(), rows.digest())
    const stored = new Map<string, string>()
    Table.collect(
      rows,
      () => false,
      (digest, text) => stored.set(digest, text)
    )
    assert.deepStrictEqual(Table.load(rows.digest(), (digest) => stored.get(digest)).toJson(), rows.toJson())
    const items = list.from([1, 2, 3])
    assert.strictEqual(List.from([1, 2]).append(3).digest(), items.digest())
    assert.deepStrictEqual([...List.changes(List.from([1, 2]), items)], [{ index: 2, after: 3 }])
  })

  it("takes no plain value for a branded one: a brand is a symbol, and JSON carries none", () => {
    const rows = Table.from([["a", 1]])
    const look = { tree: rows.tree, "@backstitch/trace/Table@1": true, size: 1 }
    for (const value of [look, JSON.parse(JSON.stringify(rows)), null, undefined, "a", 1, [], () => rows]) {
      assert.isFalse(Table.is(value) || List.is(value))
    }
    for (const thrown of [{ name: Node.NodeMissing.identifier, message: "" }, new Error("no"), null, "no"]) {
      assert.isFalse(Branded.isError(thrown, Node.NodeMissing))
    }
    assert.deepStrictEqual(Object.keys(rows), ["tree"])
  })

  it("tells values with different brands apart", () => {
    class Old {}
    class New {}
    const isOld = Branded.guard(Old, "test/Thing@1")
    const isNew = Branded.guard(New, "test/Thing@2")
    assert.deepStrictEqual(
      [isOld(new Old()), isOld(new New()), isNew(new Old()), isNew(new New())],
      [true, false, false, true]
    )
  })
})
