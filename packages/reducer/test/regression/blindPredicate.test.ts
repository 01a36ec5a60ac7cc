/** A predicate that failed once was never evaluated again, so one odd value made every later violation invisible. */
import { assert, describe, it } from "@effect/vitest"
import * as Latch from "../../src/parts/Latch.ts"
import * as Lab from "../lab.ts"

describe("a predicate that could not be evaluated", () => {
  const risky = Lab.predicate({
    id: "risky",
    reads: ["working.risk"],
    holds: ({ state }) => {
      const risk = state.working["risk"]
      if (typeof risk !== "number") throw new Error("no number")
      return risk > 5
    }
  })

  it("still reports the violation that comes later (decision 0032)", () => {
    const moves = [Lab.started, Lab.did({ set: { risk: "high" } }), Lab.did({ set: { risk: 9 } })]
    assert.deepStrictEqual(Latch.of(Lab.head(Lab.fold([risky]), moves)), { "error:risky": 1, risky: 3 })
  })

  it("keeps the first tick of its failure", () => {
    const moves = [Lab.started, Lab.did({ set: { risk: "high" } }), Lab.did({ set: { risk: "low" } })]
    assert.deepStrictEqual(Latch.of(Lab.head(Lab.fold([risky]), moves)), { "error:risky": 1 })
  })
})
