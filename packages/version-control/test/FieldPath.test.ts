import * as State from "@backstitch/reducer/State"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { FieldPath } from "../src/index.ts"

const path = (text: string): FieldPath.FieldPath => Result.getOrThrow(FieldPath.parse(text))

const state: State.State = {
  ...State.empty,
  world: { bookings: Table.from([["a.b", { price: 80, legs: [{ from: "ZRH" }] }]]), spent: 80 },
  working: { notes: List.from(["rain", "sun"]) }
}

describe("FieldPath", () => {
  it("reads names with dots, and JSON pointers if a key holds dots or slashes", () => {
    assert.deepStrictEqual(path("world.orders.milk"), { section: "world", field: "orders", keys: ["milk"] })
    assert.deepStrictEqual(path("/world/bookings/a.b/price").keys, ["a.b", "price"])
    assert.deepStrictEqual(path("/world/x/a~1b~0c").keys, ["a/b~c"])
    assert.strictEqual(FieldPath.pointer(path("/world/x/a~1b~0c")), "/world/x/a~1b~0c")
    for (const text of ["", "spent", "world", "world.", "somewhere.else"]) {
      assert.isTrue(Result.isFailure(FieldPath.parse(text)), text)
    }
  })

  it("finds rows of tables, items of lists, and inner values, and nothing at an empty place", () => {
    const at = (text: string) => FieldPath.valueAt(state, path(text))
    assert.strictEqual(at("world.spent"), 80)
    assert.strictEqual(at("/world/bookings/a.b/price"), 80)
    assert.strictEqual(at("/world/bookings/a.b/legs/0/from"), "ZRH")
    assert.strictEqual(at("working.notes.1"), "sun")
    assert.deepStrictEqual(at("working.notes"), ["rain", "sun"])
    for (const text of [
      "world.none",
      "world.spent.deeper",
      "working.notes.7",
      "working.notes.x",
      "working.notes.01",
      "/world/bookings/a.b/legs/00/from",
      "world.constructor"
    ]) {
      assert.isUndefined(at(text), text)
    }
  })
})
