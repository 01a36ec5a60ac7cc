import { assert, describe, it } from "@effect/vitest"
import * as Crack from "../src/event/Crack.ts"

describe("Crack", () => {
  it("sorts its evidence, with its own tick, and leaves out what is not known", () => {
    assert.deepStrictEqual(Crack.make("runaway", "no_progress", { tick: 9, evidence: [7, 3, 7] }), {
      crack: "runaway",
      signal: "no_progress",
      tick: 9,
      evidence: [3, 7, 9]
    })
  })

  it("latches by task, stage or object", () => {
    assert.notStrictEqual(
      Crack.latchOf({ crack: "lost_handoff", subject: "t1" }),
      Crack.latchOf({ crack: "lost_handoff", subject: "t2" })
    )
  })

  it("has a topology and a signal for every name", () => {
    for (const name of Crack.names) {
      assert.isAbove(Crack.signals[name].length, 0)
      assert.isString(Crack.topologies[name])
    }
  })
})
