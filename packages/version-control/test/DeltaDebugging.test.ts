import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { DeltaDebugging } from "../src/index.ts"

const size = (max: number) => Schema.Natural.check(Schema.isLessThanOrEqualTo(max))

describe("DeltaDebugging", () => {
  it.prop(
    "keeps elements that are needed together and nothing else, if they are one set",
    { length: size(60), needed: Schema.Array(size(59)) },
    ({ length, needed }) => {
      const items = Array.from({ length }, (_, index) => index)
      const wanted = [...new Set(needed)].filter((index) => index < length).sort((left, right) => left - right)
      if (wanted.length === 0) return
      const passes = (kept: ReadonlyArray<number>) => wanted.every((index) => kept.includes(index))
      const reduced = DeltaDebugging.reduce(items, passes, { budget: 100_000 })
      assert.deepStrictEqual(reduced.items, wanted)
      assert.isTrue(reduced.minimal)
    },
    { arbitrary: { runs: 300 } }
  )

  it("finds a part that passes if all items together do not", () => {
    const passes = (kept: ReadonlyArray<number>) => kept.includes(3) && !kept.includes(6)
    const items = [1, 2, 3, 4, 5, 6, 7, 8]
    assert.deepStrictEqual(DeltaDebugging.reduce(items, passes, { budget: 100 }).items, [3])
    assert.isUndefined(DeltaDebugging.reduce(items, () => false, { budget: 100 }).items)
    assert.isUndefined(DeltaDebugging.reduce([], () => true, { budget: 100 }).items)
  })

  it.prop(
    "answers a set that passes and from which nothing can be left out, for properties that are not monotone",
    { length: size(14), accepted: Schema.Array(Schema.Natural) },
    ({ accepted, length }) => {
      const items = Array.from({ length: length + 1 }, (_, index) => index)
      const mask = (kept: ReadonlyArray<number>) => kept.reduce((bits, index) => bits | (1 << index), 0)
      const whole = mask(items)
      const good = new Set([whole, ...accepted.map((bits) => bits % (whole + 1)).filter((bits) => bits !== 0)])
      const passes = (kept: ReadonlyArray<number>) => good.has(mask(kept))
      const { items: kept, minimal } = DeltaDebugging.reduce(items, passes, { budget: 100_000 })
      assert.isTrue(minimal)
      if (kept === undefined) throw new Error("all items pass together")
      assert.isTrue(passes(kept))
      if (kept.length > 1) for (const item of kept) assert.isFalse(passes(kept.filter((other) => other !== item)))
    },
    { arbitrary: { runs: 300 } }
  )

  it("makes no more tests than its budget, and does not call its last result minimal", () => {
    let tests = 0
    const passes = (kept: ReadonlyArray<number>) => {
      tests++
      return kept.includes(3) && kept.includes(90)
    }
    const items = Array.from({ length: 100 }, (_, index) => index)
    const { items: kept, minimal } = DeltaDebugging.reduce(items, passes, { budget: 10 })
    assert.isFalse(minimal)
    assert.isAtMost(tests, 10)
    assert.includeMembers([...(kept ?? [])], [3, 90])
    assert.isBelow(kept?.length ?? 100, 100)
  })

  it("asks about no set twice", () => {
    const asked = new Set<string>()
    const passes = (kept: ReadonlyArray<number>) => {
      assert.isFalse(asked.has(kept.join()))
      asked.add(kept.join())
      return kept.includes(5) && kept.includes(11) && kept.includes(12)
    }
    const items = Array.from({ length: 16 }, (_, index) => index)
    assert.deepStrictEqual(DeltaDebugging.reduce(items, passes, { budget: 1000 }).items, [5, 11, 12])
  })
})
