import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Bisect, Descent, Divergence } from "../src/index.ts"
import * as Lab from "./lab.ts"

const Story = Schema.Array(Schema.Literals(["a", "b"])).check(Schema.isMaxLength(24))

const stories = (notes: ReadonlyArray<string>, run: string, asOf: number) =>
  Lab.seal(notes.map(Lab.note), { run, asOf }).map(({ story }) => story)

describe("Divergence", () => {
  it.prop(
    "finds the first tick at which two independent runs differ, from digests alone",
    [Story, Story, Schema.Natural.check(Schema.isLessThanOrEqualTo(24))],
    ([left, other, shared]) => {
      const right = [...left.slice(0, shared), ...other]
      const longest = Math.max(left.length, right.length)
      const first = Array.from({ length: longest }, (_, index) => index).find((index) => left[index] !== right[index])
      const found = Divergence.onset(stories(left, "left", 1), stories(right, "right", 500))
      assert.strictEqual(found, first === undefined ? undefined : first + 1)
    },
    { arbitrary: { runs: 300 } }
  )

  it("probes within both runs, and within the bound of the shorter one", () => {
    const left = stories(
      Array.from({ length: 100 }, () => "same"),
      "left",
      1
    )
    const right = left.slice(0, 37)
    const start = Divergence.start({ tick: 100, story: left[99]! }, { tick: 37, story: right[36]! })
    const search = Bisect.run(start, (tick) => {
      assert.isAtMost(tick, 37)
      return left[tick - 1] !== right[tick - 1]
    })
    assert.strictEqual(Bisect.found(search), 38)
    assert.isAtMost(search.probes.length, 6)
  })

  it("evaluates nothing for runs that end alike", () => {
    const end = { tick: 9, story: "x" }
    assert.deepStrictEqual(Bisect.next(Divergence.start(end, end)), { onset: undefined })
  })
})

describe("Descent", () => {
  const main = { id: "main" }
  const fork = (id: string, left: number) => ({ id, left })

  it("knows the shared history of runs of one family without reading it", () => {
    assert.strictEqual(Descent.shared([main], [fork("b", 7), main]), 7)
    assert.strictEqual(Descent.shared([fork("b", 7), main], [main]), 7)
    assert.strictEqual(Descent.shared([fork("c", 20), fork("b", 7), main], [fork("b", 7), main]), 20)
    assert.strictEqual(Descent.shared([fork("c", 5), fork("b", 7), main], [fork("d", 30), main]), 5)
    assert.strictEqual(Descent.shared([fork("c", 9), fork("b", 7), main], [fork("d", 30), main]), 7)
    assert.strictEqual(Descent.shared([main], [{ id: "other" }]), 0)
    assert.strictEqual(Descent.shared([main], [main]), Number.POSITIVE_INFINITY)
  })
})
