/** Outcomes as messages: a model is told no more than is known. */
import type { Outcome } from "@backstitch/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as OutcomeMessage from "../src/tools/outcomeMessage.ts"

const failed = (effect: "none" | "undone" | "unknown"): Outcome => ({
  status: "failed",
  run: "t",
  why: "looked",
  next: [],
  error: "looked",
  effect
})

describe("the message of a call that failed", () => {
  it("says that it had no effect only where that is known", () => {
    const said = (["none", "undone", "unknown"] as const).map((effect) => {
      const { content, status } = OutcomeMessage.ofOutcome(failed(effect))
      const { effect: told, note } = JSON.parse(content) as { readonly effect: string; readonly note: string }
      assert.deepStrictEqual([status, told], ["error", effect])
      return note
    })
    assert.match(said[0] ?? "", /^It has no effect/)
    assert.match(said[1] ?? "", /^It was done, and is undone since/)
    assert.match(said[2] ?? "", /it may have happened.*Do not claim that it was done or failed/)
  })
})
