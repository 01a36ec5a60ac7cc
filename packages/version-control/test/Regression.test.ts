import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Regression } from "../src/index.ts"

const pass = (values: ReadonlyArray<number | undefined>) =>
  values.reduce((self, value, index) => Regression.step(self, index + 1, value), Regression.start("score"))

describe("Regression", () => {
  it("finds the first tick below the best so far, and the tick at which it was back", () => {
    const { evaluations, first, missing } = pass([undefined, 0.2, 0.5, 0.5, 0.4, 0.45, 0.5, 0.1])
    assert.deepStrictEqual(first, { tick: 5, from: 0.5, to: 0.4, recovered: 7 })
    assert.deepStrictEqual([evaluations, missing], [7, 1])
  })

  it("says that a fall was not made up for", () => {
    assert.deepStrictEqual(pass([1, 0.9, 0.95]).first, { tick: 2, from: 1, to: 0.9, recovered: null })
  })

  it.prop(
    "names a tick at which the metric is below its earlier value, and none for a metric that never falls",
    { values: Schema.Array(Schema.Natural.check(Schema.isLessThanOrEqualTo(5))) },
    ({ values }) => {
      const expected = values.findIndex((value, index) => values.slice(0, index).some((before) => before > value))
      assert.strictEqual(pass(values).first?.tick, expected < 0 ? undefined : expected + 1)
    }
  )
})
