import { assert, describe, it } from "@effect/vitest"
import * as Absorption from "../src/Absorption.ts"
import * as AdaptationCost from "../src/AdaptationCost.ts"
import { act, conflict } from "./lab.ts"

describe("AdaptationCost", () => {
  it("is what the undone acts and the discarded acts cost by a measure (equation 2)", () => {
    const acts = [act(1), act(2, { class: "K", verdict: conflict("venue") }), act(3), act(4, { class: "R" })]
    const plan = Absorption.plan(acts, { rule: "earliest_conflict", reversible: "leave" })
    assert.deepStrictEqual(AdaptationCost.of(acts, plan), { compensation: 2, waste: 3, total: 5 })
    const fees = { undoing: ({ tick }: { tick: number }) => tick * 10, waste: ({ tick }: { tick: number }) => tick }
    assert.deepStrictEqual(AdaptationCost.of(acts, plan, fees), { compensation: 60, waste: 9, total: 69 })
  })
})
