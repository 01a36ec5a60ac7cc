import * as State from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Blame } from "../src/index.ts"
import * as Lab from "./lab.ts"

const path = (text: string): Blame.Path => Result.getOrThrow(Blame.parse(text))

const state: State.State = {
  ...State.empty,
  world: { bookings: Table.from([["a.b", { price: 80, legs: [{ from: "ZRH" }] }]]), spent: 80 },
  working: { notes: List.from(["rain", "sun"]) }
}

describe("Blame", () => {
  it("reads names with dots, and JSON pointers if a key holds dots or slashes", () => {
    assert.deepStrictEqual(path("world.orders.milk"), { section: "world", field: "orders", keys: ["milk"] })
    assert.deepStrictEqual(path("/world/bookings/a.b/price").keys, ["a.b", "price"])
    assert.deepStrictEqual(path("/world/x/a~1b~0c").keys, ["a/b~c"])
    assert.strictEqual(Blame.pointer(path("/world/x/a~1b~0c")), "/world/x/a~1b~0c")
    for (const text of ["", "spent", "world", "world.", "somewhere.else"]) {
      assert.isTrue(Result.isFailure(Blame.parse(text)), text)
    }
  })

  it("finds rows of tables, items of lists, and inner values, and nothing at an empty place", () => {
    const at = (text: string) => Blame.valueAt(state, path(text))
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
      "world.constructor"
    ]) {
      assert.isUndefined(at(text), text)
    }
  })

  it.prop(
    "names exactly the ticks at which the value becomes another",
    { values: Schema.Array(Schema.Natural.check(Schema.isLessThanOrEqualTo(3))) },
    ({ values }) => {
      const steps = Lab.steps(Lab.fold(), [Lab.started, ...values.map((value) => Lab.set({ mood: { value } }))])
      const set = steps.flatMap((step) => Blame.settingOf(step, path("working.mood.value")) ?? [])
      const expected = values.flatMap((value, index) => (value === values[index - 1] ? [] : [index + 2]))
      assert.deepStrictEqual(
        set.map(({ tick }) => tick),
        expected
      )
      for (const { after, before } of set) {
        assert.isFalse(before !== undefined && after !== undefined && Canonical.equals(before, after))
      }
    }
  )

  it("names the author of a value, and the transition that set it", () => {
    const [, step] = Lab.steps(Lab.fold(), [Lab.started, Lab.set({ mood: 1 }, { intent: { description: "look" } })])
    assert.deepStrictEqual(Blame.settingOf(step!, path("working.mood")), {
      tick: 2,
      type: "observation.add",
      author: "agent",
      about: "look",
      after: 1
    })
  })

  it("names the earlier value, and nothing if there was none", () => {
    const bodies = [Lab.started, Lab.set({ mood: 1 }), Lab.set({ mood: 2 }), Lab.set({ other: 3 })]
    const set = Lab.steps(Lab.fold(), bodies).map((step) => Blame.settingOf(step, path("working.mood")))
    assert.deepStrictEqual([set[0], set[3]], [undefined, undefined])
    assert.notProperty(set[1], "before")
    assert.deepInclude(set[2], { before: 1, after: 2 })
  })

  it("names the existing fields, if the requested one was never set", () => {
    const told = (known: ReadonlyArray<string>) =>
      new Blame.FieldUnknown({ field: "world.x", run: "r", known: [...known], upTo: 3 }).message
    assert.include(told(["world.spent", "world.paid"]), "The fields are world.spent, world.paid")
    assert.include(told([]), "has no fields")
  })
})
