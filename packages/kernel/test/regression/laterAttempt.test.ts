import { assert, describe, it } from "@effect/vitest"
import { Bench, bookOf, call, ends, ok } from "../lab.ts"

/** A booking of which two processes sent one attempt each: the first was refused, and is heard of last. */
const settledByTheSecond = () => {
  const bench = new Bench()
  const { action } = call(bench.proposes(bookOf("LX1")))
  const first = bench.now
  bench.now += 4_000
  call(bench.answers(action, { _tag: "NotFound" }, "status"))
  const second = bench.now
  bench.answers(action, ok({ id: "LX1" }))
  ends(bench.readsBack(action, ok({ id: "LX1", price: 80 })), "Done")
  const hears = (askedAt?: number) => {
    const tick = bench.at.head.tick
    const refused = { _tag: "Answered", action, via: "call", evidence: { _tag: "Error", error: "full" } } as const
    ends(bench.does(askedAt === undefined ? refused : { ...refused, askedAt }), "Done")
    return bench.types(tick)
  }
  return { first, hears, second }
}

describe("a refusal that is heard once its action is settled", () => {
  it("contradicts nothing if an attempt that began later has settled it (L14)", () => {
    const { first, hears, second } = settledByTheSecond()
    assert.deepStrictEqual(hears(first), [])
    assert.deepStrictEqual(hears(second - 1), [])
  })

  it("is an anomaly if it belongs to the attempt that has settled it, or to an unknown attempt", () => {
    const { hears, second } = settledByTheSecond()
    assert.deepStrictEqual(hears(second), ["kernel.anomaly"])
    assert.deepStrictEqual(hears(), ["kernel.anomaly"])
  })
})
