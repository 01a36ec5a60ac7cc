import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Field from "@backstitch/expressions/Field"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as PackSamples from "../src/pack/PackSamples.ts"

const row = { price: { decimal: 2 }, paid: "bool", note: { type: "string", nullable: true } } as const
const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "acme.samples",
    version: "1.0.0",
    state: {
      world: { orders: { table: { key: "id", row } }, log: { list: "int" }, kind: { enum: ["a", "b"] } },
      working: { free: "json", ratio: { float: 3 } }
    },
    specification: { limit: { holds: "working.ratio <= clause.limit", value: "int" } },
    tools: {
      pay: {
        class: "read_only",
        input: { id: "string", tip: { type: "int", optional: true } },
        output: { sum: "int" }
      },
      look: { class: "read_only", input: { q: "string" } }
    }
  })
)

const held = (value: unknown): unknown => (Table.is(value) ? value.toJson() : List.is(value) ? value.toJson() : value)

describe("PackSamples", () => {
  it("makes up values that fit the types of the pack", () => {
    for (const sample of PackSamples.of(pack, { on: ["pay"], each: "world.orders" })) {
      for (const section of ["world", "working"] as const) {
        const values = sample[section] as Readonly<Record<string, unknown>>
        for (const [name, field] of Object.entries(pack.fields[section])) {
          assert.deepStrictEqual(Field.check(field, held(values[name])), [], name)
        }
      }
      assert.deepStrictEqual(Field.check(Field.object(pack.tools["pay"]!.input), sample["args"]), [])
      assert.deepStrictEqual(Field.check(pack.tools["pay"]!.output!, sample["observed"]), [])
    }
  })

  it("makes up the same ones each time, with empty and full tables, and both changed and unchanged states", () => {
    const asked = { on: [], each: "world.orders" }
    const samples = PackSamples.of(pack, asked)
    assert.strictEqual(JSON.stringify(samples), JSON.stringify(PackSamples.of(pack, asked)))
    const sizes = samples.map(({ world }) => (world as { readonly orders: Table.Table }).orders.size)
    assert.includeMembers(sizes, [0, 1, 3])
    assert.includeMembers(
      samples.map(({ after, before }) => after === before),
      [true, false]
    )
    assert.isTrue(samples.some(({ args }) => Object.hasOwn(args as object, "q")))
    assert.isTrue(samples.some(({ args }) => Object.hasOwn(args as object, "tip")))
  })
})
