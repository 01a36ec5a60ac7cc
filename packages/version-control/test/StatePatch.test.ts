import * as State from "@backstitch/reducer/State"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as JsonPatch from "effect/JsonPatch"
import * as Schema from "effect/Schema"
import { StatePatch } from "../src/index.ts"

const small = Schema.Natural.check(Schema.isLessThanOrEqualTo(3))

const Sides = Schema.Struct({
  rows: Schema.Array(Schema.Tuple([small, small])),
  items: Schema.Array(small),
  value: Schema.NullOr(small),
  nested: Schema.Array(Schema.Struct({ a: small }))
})

const stateOf = ({ items, nested, rows, value }: typeof Sides.Type): State.State => ({
  ...State.empty,
  world: { rows: Table.from(rows.map(([key, n]) => [`k/${key}`, { n }])), ...(value === null ? {} : { value }) },
  working: { items: List.from(items), nested: nested.map(({ a }) => ({ a })) }
})

describe("StatePatch", () => {
  it.prop(
    "turns the one state into the other, by RFC 6902, and is empty between equal states",
    { left: Sides, right: Sides },
    ({ left, right }) => {
      const [before, after] = [stateOf(left), stateOf(right)]
      const patched = JsonPatch.apply(StatePatch.between(before, after), StatePatch.document(before) as Schema.Json)
      assert.deepStrictEqual(patched, StatePatch.document(after) as Schema.Json)
      assert.deepStrictEqual(StatePatch.between(before, stateOf(left)), [])
    },
    { arbitrary: { runs: 300 } }
  )

  it("names each value that was set, changed and removed, at its place", () => {
    const before = { ...State.empty, world: { gone: 1, spent: 2 } }
    const after = { ...State.empty, world: { spent: 3, "a/b": 1 } }
    assert.sameDeepMembers(
      [...StatePatch.between(before, after)],
      [
        { op: "remove", path: "/world/gone" },
        { op: "replace", path: "/world/spent", value: 3 },
        { op: "add", path: "/world/a~1b", value: 1 }
      ]
    )
  })
})
