import { assert, describe, it } from "@effect/vitest"
import * as Reversibility from "../src/Reversibility.ts"

describe("Reversibility", () => {
  it("is the share of the tools that change nothing or can be undone exactly (definition 4)", () => {
    assert.strictEqual(Reversibility.ratio(["I", "R", "K", "X"]), 0.5)
    assert.strictEqual(Reversibility.ratio(["I"]), 1)
    assert.strictEqual(Reversibility.ratio([]), 1)
  })

  it("names the tools that lower it, and does not count those that only undo others", () => {
    const found = Reversibility.of([
      { name: "search", undo: { class: "I", with: {} } },
      { name: "book", undo: { class: "K", by: "cancel", with: {} } },
      { name: "cancel", undo: { class: "X", with: {} } },
      { name: "pay", undo: { class: "X", with: {} } },
      { name: "write", undo: { class: "R", by: "write", with: {} } }
    ])
    assert.deepStrictEqual(found, {
      ratio: 0.5,
      counts: { I: 1, R: 1, K: 1, X: 1 },
      lowering: [
        { tool: "book", class: "K", ratioIfInverted: 0.75, lacksCompensation: false },
        { tool: "pay", class: "X", ratioIfInverted: 0.75, lacksCompensation: true }
      ],
      reversals: ["cancel"]
    })
  })
})
