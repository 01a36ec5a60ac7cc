import * as State from "@backstitch/reducer/State"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import type { Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as JsonPatch from "effect/JsonPatch"
import * as Schema from "effect/Schema"
import { Changes, StatePatch, Step } from "../src/index.ts"
import * as Lab from "./lab.ts"

const Small = Schema.Natural.check(Schema.isLessThanOrEqualTo(2))
const Row = Schema.Struct({ price: Small, seats: Schema.Array(Small).check(Schema.isMaxLength(3)) })
const Sections = Schema.Struct({
  rows: Schema.Struct({ a: Schema.optionalKey(Row), b: Schema.optionalKey(Row), "c/d": Schema.optionalKey(Row) }),
  items: Schema.Array(Small).check(Schema.isMaxLength(20)),
  plan: Row
})

const stateOf = ({ items, plan, rows }: typeof Sections.Type): State.State => ({
  world: { rows: Table.from(Object.entries(rows)) },
  working: { items: List.from(items), plan },
  kernel: {}
})

describe("Changes", () => {
  it.prop(
    "finds nothing between equal states, and something between states of different digest",
    [Sections, Sections],
    ([left, right]) => {
      assert.deepStrictEqual([...Changes.between(stateOf(left), stateOf(left))], [])
      const [before, after] = [stateOf(left), stateOf(right)]
      const changed = [...Changes.between(before, after)].length > 0
      assert.strictEqual(changed, State.digest(before) !== State.digest(after))
      assert.strictEqual(changed, Changes.fields(before, after).length > 0)
    },
    { arbitrary: { runs: 300 } }
  )

  it("finds no value on the side that lacks a name which every object inherits", () => {
    const none: State.State = { ...State.empty, working: { plan: {} } }
    const some: State.State = { ...State.empty, working: { constructor: 1, plan: { toString: 2 } } }
    const paths = ["/working/constructor", "/working/plan/toString"]
    assert.deepStrictEqual(
      [...Changes.between(none, some)],
      [
        { path: paths[0]!, after: 1 },
        { path: paths[1]!, after: 2 }
      ]
    )
    assert.deepStrictEqual(
      [...Changes.between(some, none)],
      [
        { path: paths[0]!, before: 1 },
        { path: paths[1]!, before: 2 }
      ]
    )
    const patch = StatePatch.between(none, some)
    const patched = JsonPatch.apply(patch, StatePatch.document(none) as Schema.Json)
    assert.deepStrictEqual(patched, StatePatch.document(some) as Schema.Json)
  })

  it.prop(
    "swaps before and after when the sides are swapped",
    [Sections, Sections],
    ([left, right]) => {
      const forward = [...Changes.between(stateOf(left), stateOf(right))]
      const backward = [...Changes.between(stateOf(right), stateOf(left))]
      assert.deepStrictEqual(
        backward,
        forward.map(({ after, before, path }) => ({
          path,
          ...(after === undefined ? {} : { before: after }),
          ...(before === undefined ? {} : { after: before })
        }))
      )
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "points at the values that changed, so that replacing them gives the other state",
    [Row, Row],
    ([left, right]) => {
      const replaced = [...Changes.betweenJson("", left, right)]
        .filter(({ after, before }) => after !== undefined && before !== undefined)
        .map(({ after, path }) => ({ op: "replace" as const, path, value: after as Schema.Json }))
      const grown = JsonPatch.apply(replaced, left) as typeof Row.Type
      assert.strictEqual(grown.price, right.price)
      assert.deepStrictEqual(grown.seats.slice(0, right.seats.length), right.seats.slice(0, left.seats.length))
    },
    { arbitrary: { runs: 300 } }
  )

  it("escapes keys in pointers and names rows and items", () => {
    const before = stateOf({ rows: { "c/d": { price: 1, seats: [] } }, items: [1], plan: { price: 0, seats: [] } })
    const after = stateOf({ rows: { "c/d": { price: 2, seats: [] } }, items: [1, 2], plan: { price: 0, seats: [] } })
    assert.deepStrictEqual(
      [...Changes.between(before, after)],
      [
        { path: "/world/rows/c~1d/price", before: 1, after: 2 },
        { path: "/working/items/1", after: 2 }
      ]
    )
    assert.deepStrictEqual(Changes.fields(before, after), ["world.rows", "working.items"])
  })

  it("tells an absent table or list from an empty one, in both directions", () => {
    const empty = { kernel: {}, working: { items: List.empty }, world: { rows: Table.empty } }
    assert.deepStrictEqual(
      [...Changes.between(State.empty, empty)],
      [
        { path: "/world/rows", after: {} },
        { path: "/working/items", after: [] }
      ]
    )
    assert.deepStrictEqual(
      [...Changes.between(empty, State.empty)].map(({ before, path }) => [path, before]),
      [
        ["/world/rows", {}],
        ["/working/items", []]
      ]
    )
    assert.deepStrictEqual(Changes.fields(State.empty, empty), ["world.rows", "working.items"])
  })
})

describe("Step", () => {
  it("lists three changes and that there are more, and three alone where that is all", () => {
    const codesOf = (fields: Readonly<Record<string, number>>) =>
      Step.effects(Lab.steps(Lab.fold(), [Lab.started, Lab.set(fields)]).at(-1)!).map(({ code }) => code)
    assert.deepStrictEqual(codesOf({ a: 1, b: 2, c: 3 }), ["changed", "changed", "changed"])
    assert.deepStrictEqual(codesOf({ a: 1, b: 2, c: 3, d: 4, e: 5 }), ["changed", "changed", "changed", "more"])
  })

  it("names the subject of a transition that changed nothing", () => {
    const effectsOf = (body: Transition["body"]) => Step.effects(Lab.steps(Lab.fold(), [Lab.started, body]).at(-1)!)
    const asked = { author: "agent", type: "anomaly.flag" } as const
    assert.deepStrictEqual(effectsOf(asked), [{ code: "type", type: "anomaly.flag" }])
    assert.deepStrictEqual(effectsOf({ ...asked, intent: { description: "look" } }), [
      { code: "intent", description: "look" }
    ])
  })
})
