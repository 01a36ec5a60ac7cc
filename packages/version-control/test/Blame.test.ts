import * as Canonical from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Blame, FieldPath } from "../src/index.ts"
import * as Lab from "./lab.ts"

const path = (text: string): FieldPath.FieldPath => Result.getOrThrow(FieldPath.parse(text))

describe("Blame", () => {
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
