import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import { Field } from "../src/index.ts"

const field = Field.object({
  name: { type: "string" },
  count: { type: "int" },
  ratio: { type: "float" },
  price: { type: "decimal", precision: 2 },
  done: { type: "bool" },
  any: { type: "json" },
  kind: { type: "enum", values: ["a", "b"] },
  note: { type: "string", nullable: true },
  extra: { type: "string", optional: true },
  rows: { type: "table", key: "id", row: Field.object({ n: { type: "int" } }) },
  items: { type: "list", item: { type: "int" } }
})

const good = {
  name: "x",
  count: 1,
  ratio: 0.5,
  price: "1.00",
  done: false,
  any: [null],
  kind: "a",
  note: null,
  rows: { r: { n: 1 } },
  items: [1, 2]
}

describe("Field", () => {
  it("accepts values of its type, including tables and lists", () => {
    assert.deepStrictEqual(Field.check(field, good), [])
    const stored = { ...good, any: null, rows: Table.from([["r", { n: 1 }]]), items: List.from([1, 2]) }
    assert.deepStrictEqual(Field.check(field, stored, { closed: true }), [])
  })

  it("lists every mismatch with its path", () => {
    const bad = {
      count: 1.5,
      ratio: "half",
      price: "one",
      done: 1,
      kind: "c",
      note: 3,
      extra: 4,
      rows: Table.from([["r", { n: "1" }]]),
      items: [1, "2"]
    }
    assert.deepStrictEqual(
      Field.check(field, bad).map(({ found, path }) => `${path}: ${found}`),
      [
        "name: nothing",
        "count: number 1.5",
        'ratio: string "half"',
        'price: string "one"',
        "done: number 1",
        "any: nothing",
        'kind: string "c"',
        "note: number 3",
        "extra: number 4",
        'rows.r.n: string "1"',
        'items[1]: string "2"'
      ]
    )
  })

  it("lets undeclared fields pass unless it is told to close", () => {
    assert.deepStrictEqual(Field.check(field, { ...good, more: 1 }), [])
    assert.deepStrictEqual(
      Field.check(field, { ...good, more: 1 }, { closed: true }).map(({ path }) => path),
      ["more"]
    )
  })

  it("begins with nothing: null, zero, empty, false, or the value in the pack", () => {
    assert.strictEqual(Field.initial({ type: "decimal", precision: 2 }), "0.00")
    assert.strictEqual(Field.initial({ type: "string", nullable: true }), null)
    assert.strictEqual(Field.initial({ type: "int", initial: 3 }), 3)
    assert.strictEqual(Field.initial({ type: "bool" }), false)
    assert.strictEqual(Field.initial({ type: "enum", values: ["new", "old"] }), "new")
    assert.deepStrictEqual(Field.initial(Field.object({ a: { type: "int" }, b: { type: "string" } })), { a: 0, b: "" })
    assert.strictEqual(Field.initial({ type: "table", key: "k", row: { type: "json" } }), Table.empty)
    assert.strictEqual(Field.initial({ type: "list", item: { type: "json" } }), List.empty)
    const rows = Field.initial({ type: "table", key: "k", row: { type: "json" }, initial: { a: 1 } })
    assert.isTrue(Table.is(rows) && rows.get("a") === 1)
  })

  it("describes itself in words", () => {
    assert.strictEqual(
      Field.describe({ type: "decimal", precision: 2, nullable: true }),
      "a decimal with 2 digits or null"
    )
    assert.strictEqual(Field.describe({ type: "enum", values: ["a", "b"] }), "one of a, b")
    assert.deepStrictEqual([7, 7n, Symbol("x")].map(Field.nameOf), ["number 7", "a bigint", "a symbol"])
  })
})
