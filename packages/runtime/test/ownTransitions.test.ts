import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import type { Sealed } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as OwnTransitions from "../src/history/ownTransitions.ts"

/** A chain of transitions from a tick on, each with a text of a hundred characters. */
const sealed = (from: number, count: number): ReadonlyArray<Sealed> => {
  const all: Array<Sealed> = []
  let head: HashChain.Head = { ...HashChain.genesis(Run.make("trip")), tick: from - 1 }
  for (let at = 0; at < count; at++) {
    const next = HashChain.seal(head, {
      body: { author: "agent", type: "observation.add", data: { text: "x".repeat(100) } },
      stamp: { asOf: 0 },
      envelope: { ts: 0 }
    })
    all.push(next)
    head = HashChain.headOf(next)
  }
  return all
}

const ticks = (found: ReturnType<OwnTransitions.OwnTransitions["between"]>) => found?.map(({ tick }) => tick)

describe("ownTransitions", () => {
  it("answers a range of what was committed here, and nothing of what came before", () => {
    const own = OwnTransitions.make()
    assert.isUndefined(own.between(5, 5))
    own.add(sealed(5, 2))
    own.add(sealed(7, 3))
    assert.deepStrictEqual(ticks(own.between(6, 8)), [6, 7, 8])
    assert.deepStrictEqual(ticks(own.between(5, 9)), [5, 6, 7, 8, 9])
    assert.isUndefined(own.between(4, 9))
  })

  it("forgets everything once another process has committed in between", () => {
    const own = OwnTransitions.make()
    own.add(sealed(5, 2))
    own.forget()
    assert.isUndefined(own.between(5, 6))
    own.add(sealed(9, 1))
    assert.deepStrictEqual(ticks(own.between(9, 9)), [9])
    assert.isUndefined(own.between(5, 9))
  })

  it("keeps no more than it may: the oldest go first, and all of them if one is too long", () => {
    const own = OwnTransitions.make(1000)
    own.add(sealed(1, 20))
    const [first = 0] = Array.from({ length: 20 }, (_, at) => at + 1).filter((tick) => own.between(tick, 20))
    assert.isAbove(first, 10)
    assert.isAtMost(first, 20)
    own.add([{ ...sealed(21, 1)[0]!, body: "x".repeat(2000) }])
    assert.isUndefined(own.between(21, 21))
    own.add(sealed(22, 1))
    assert.deepStrictEqual(ticks(own.between(22, 22)), [22])
  })

  it("hands a value of its own to each reader", () => {
    const own = OwnTransitions.make()
    own.add(sealed(1, 1))
    const [one] = own.between(1, 1) ?? []
    ;(one!.body.data as { text: string }).text = "changed"
    assert.deepStrictEqual(own.between(1, 1)?.[0]?.body.data, { text: "x".repeat(100) })
  })
})
