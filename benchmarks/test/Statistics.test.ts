import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Statistics from "../src/Statistics.ts"

const Samples = Schema.NonEmptyArray(Schema.Literals([0, 0.5, 1, 2, 3, 100]))

describe("Statistics", () => {
  it("answers the middle one, or the mean of the two in the middle", () => {
    assert.strictEqual(Statistics.median([3, 1, 2]), 2)
    assert.strictEqual(Statistics.median([4, 1, 2, 3]), 2.5)
    assert.isNaN(Statistics.median([]))
  })

  it("answers the value that a share of the samples does not exceed", () => {
    assert.strictEqual(Statistics.quantile([3, 1, 2], 0.5), 2)
    assert.strictEqual(Statistics.quantile([3, 1, 2], 0.99), 3)
    assert.strictEqual(Statistics.quantile([3, 1, 2], 0), 1)
    assert.isNaN(Statistics.quantile([], 0.5))
  })

  it.prop("has at most half of the samples on either side of the median", [Samples], ([samples]) => {
    const middle = Statistics.median(samples)
    const half = samples.length / 2
    assert.isAtMost(samples.filter((sample) => sample < middle).length, half)
    assert.isAtMost(samples.filter((sample) => sample > middle).length, half)
  })

  it.prop("does not depend on the order of the samples", [Samples], ([samples]) => {
    assert.deepStrictEqual(Statistics.summarise(samples), Statistics.summarise([...samples].reverse()))
  })

  it("gives the mean, and the deviation of a sample", () => {
    assert.strictEqual(Statistics.mean([1, 2, 6]), 3)
    assert.isNaN(Statistics.mean([]))
    assert.closeTo(Statistics.deviation([2, 4, 4, 4, 5, 5, 7, 9]), Math.sqrt(32 / 7), 1e-12)
    assert.strictEqual(Statistics.deviation([3]), 0)
  })

  it("finds the slope of a line, and of points around it", () => {
    const at = (...ys: ReadonlyArray<number>) => ys.map((y, x) => ({ x, y }))
    assert.closeTo(Statistics.slope(at(5, 7, 9)), 2, 1e-12)
    assert.closeTo(Statistics.slope(at(1, 0, 0, 1)), 0, 1e-12)
    assert.strictEqual(Statistics.slope([{ x: 1, y: 4 }]), 0)
  })

  it("takes the ratio within each pair, so that a slow hour cancels out", () => {
    const { ours, ratios, theirs } = Statistics.paired([
      { ours: 10, theirs: 5 },
      { ours: 2, theirs: 1 }
    ])
    assert.deepStrictEqual(ratios, [2, 2])
    assert.strictEqual(ours, 6)
    assert.strictEqual(theirs, 3)
  })

  it("lets each side go first in turn, and counts all pairs but the first", async () => {
    const order: Array<string> = []
    const side = (name: string, value: number) => () => {
      order.push(name)
      return value
    }
    const { ratios } = await Statistics.interleave(2, { ours: side("a", 4), theirs: side("b", 2) })
    assert.deepStrictEqual(ratios, [2, 2])
    assert.deepStrictEqual(order, ["b", "a", "a", "b", "b", "a"])
    assert.strictEqual((await Statistics.interleave(2, { ours: () => 1, theirs: () => 1 }, 3)).ratios.length, 2)
  })
})
