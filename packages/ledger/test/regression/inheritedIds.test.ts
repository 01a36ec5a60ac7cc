/** An action named like something that every object inherits passed for an open one. */
import type { Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as OpenActions from "../../src/state/OpenActions.ts"

describe("OpenActions", () => {
  it("takes an id that every object inherits for one that is not open", () => {
    const result: Transition = {
      tick: 1,
      body: {
        action: { id: "constructor" },
        author: "kernel",
        result: { output: "x", status: "ok" },
        type: "action.result"
      },
      envelope: { ts: 1 },
      stamp: { asOf: 1 }
    }
    const self = OpenActions.part.init
    const evolve = OpenActions.part.on["action.result"]
    assert.strictEqual(evolve?.(self, result, { world: {}, working: {}, kernel: {} }), self)
  })
})
