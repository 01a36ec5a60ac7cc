import * as BisectResult from "@backstitch/version-control/BisectResult"
import { assert, describe, it } from "@effect/vitest"
import * as BisectView from "../src/output/versions/BisectView.ts"

describe("BisectView", () => {
  it("gives an invariant precedence, and says whether both agree", () => {
    const fall = { tick: 5, from: 1, to: 0, recovered: null }
    const said = (invariant?: { readonly id: string; readonly onset: number }) =>
      BisectView.precedence(BisectResult.fallen("score", fall, invariant))
    assert.include(said({ id: "over", onset: 9 }), "the invariant takes precedence over the heuristic")
    assert.include(said({ id: "over", onset: 5 }), "they agree")
    assert.include(said(), "a heuristic alone")
    assert.include(BisectView.precedence(BisectResult.fallen("score", undefined, undefined)), "never fell")
  })
})
