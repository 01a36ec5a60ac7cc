import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as PairedStatistics from "../src/PairedStatistics.ts"

const Samples = Schema.NonEmptyArray(Schema.Literals([-3, -1, 0, 0.5, 2, 9]))

describe("PairedStatistics", () => {
  it("gives the probabilities of signs that a table of the binomial distribution has", () => {
    const signs = (ahead: number, behind: number) => [...Array(ahead).fill(1), ...Array(behind).fill(-1)]
    assert.strictEqual(PairedStatistics.signTest(signs(0, 20)), 2 / 2 ** 20)
    assert.strictEqual(PairedStatistics.signTest(signs(1, 5)), 14 / 64)
    assert.strictEqual(PairedStatistics.signTest(signs(3, 3)), 1)
    assert.strictEqual(PairedStatistics.signTest([...signs(0, 4), 0, 0]), 2 / 16)
    assert.strictEqual(PairedStatistics.signTest([0]), 1)
  })

  it("adjusts like the published example of the procedure, in any order", () => {
    const close = (found: ReadonlyArray<number>, wanted: ReadonlyArray<number>) => {
      for (const [index, each] of found.entries()) assert.closeTo(each, wanted[index] ?? Number.NaN, 1e-12)
    }
    close(PairedStatistics.holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    close(PairedStatistics.holm([0.9, 0.8]), [1, 1])
  })

  it("gives the effect size of differences, and none if nothing deviates", () => {
    assert.closeTo(PairedStatistics.effectSize([1, 2, 3]) ?? Number.NaN, 2, 1e-12)
    assert.isNull(PairedStatistics.effectSize([2, 2, 2]))
  })

  it.prop("holds an interval within the samples, and around a median of the same seed", [Samples], ([samples]) => {
    const [low, high] = PairedStatistics.interval(samples, "seed")
    assert.isAtLeast(low, Math.min(...samples))
    assert.isAtMost(high, Math.max(...samples))
    assert.isAtMost(low, high)
    assert.deepStrictEqual(PairedStatistics.interval(samples, "seed"), [low, high])
  })

  it("gives the effect size of two means over their pooled deviation, and none if nothing deviates", () => {
    assert.closeTo(PairedStatistics.cohensD([3, 4, 5], [1, 2, 3]) ?? Number.NaN, 2, 1e-12)
    assert.isNull(PairedStatistics.cohensD([1, 1], [2, 2]))
  })

  it("calls a small difference equivalent, and neither a large one nor one that is hardly known", () => {
    const spread = [-0.2, 0.2, -0.1, 0.1, 0, 0, 0.05, -0.05]
    assert.isTrue(PairedStatistics.isEquivalent(spread, 0.25, "seed"))
    assert.isFalse(
      PairedStatistics.isEquivalent(
        spread.map((each) => each + 0.3),
        0.25,
        "seed"
      )
    )
    assert.isFalse(PairedStatistics.isEquivalent([-4, 4, -3, 3], 0.25, "seed"))
  })

  it("narrows an interval with its share", () => {
    const resampling = { seed: "seed", statistic: (samples: ReadonlyArray<number>) => Math.max(...samples) }
    assert.deepStrictEqual(PairedStatistics.intervalOf([7], resampling), [7, 7])
    const samples = Array.from({ length: 30 }, (_, index) => index)
    const width = (share: number) => {
      const [least, most] = PairedStatistics.intervalOf(samples, { ...resampling, share })
      return most - least
    }
    assert.isBelow(width(0.5), width(0.95))
  })

  it("draws numbers that fill the range and follow from the seed", () => {
    const draw = (seed: string) => {
      const random = PairedStatistics.randomOf(seed)
      return Array.from({ length: 10_000 }, random)
    }
    const drawn = draw("one")
    assert.deepStrictEqual(drawn, draw("one"))
    assert.notDeepEqual(drawn, draw("two"))
    for (let tenth = 0; tenth < 10; tenth++) {
      assert.closeTo(drawn.filter((each) => Math.floor(each * 10) === tenth).length, 1000, 120)
    }
  })
})
