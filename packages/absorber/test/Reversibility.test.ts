import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Reversibility from "../src/Reversibility.ts"

describe("Reversibility", () => {
  it("is the share of the tools that change nothing or can be undone exactly (definition 4)", () => {
    assert.strictEqual(Reversibility.ratio(["I", "R", "K", "X"]), 0.5)
    assert.strictEqual(Reversibility.ratio(["I"]), 1)
    assert.strictEqual(Reversibility.ratio([]), 1)
  })

  it("names the tools that lower it, and does not count those that only undo others", () => {
    const changing = { class: "low_risk_internal", idempotency: "effectful", identity: "none" } as const
    const pack = TaskPack.make({
      pack: "acme.trips",
      version: "1.0.0",
      tools: {
        search: { class: "read_only" },
        book: { ...changing, undo: { class: "K", by: "cancel", narrows: "observed.free ? 'R' : 'K'" } },
        cancel: changing,
        pay: changing,
        write: {
          ...changing,
          input: { text: "string" },
          undo: { class: "R", by: "write", with: { text: "observed.before" } }
        }
      }
    })
    const found = Reversibility.of(Object.values(Result.getOrThrow(pack).tools))
    assert.deepStrictEqual(found, {
      ratio: 0.5,
      counts: { I: 1, R: 1, K: 1, X: 1 },
      tools: [
        { tool: "book", class: "K", narrows: true },
        { tool: "pay", class: "X", narrows: false },
        { tool: "search", class: "I", narrows: false },
        { tool: "write", class: "R", narrows: false }
      ],
      lowering: [
        { tool: "book", class: "K", narrows: true, ratioIfInverted: 0.75, lacksCompensation: false },
        { tool: "pay", class: "X", narrows: false, ratioIfInverted: 0.75, lacksCompensation: true }
      ],
      reversals: ["cancel"]
    })
  })
})
