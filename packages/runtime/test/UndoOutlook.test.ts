import { assert, describe, it } from "@effect/vitest"
import * as UndoOutlook from "../src/undo/UndoOutlook.ts"
import * as UndoWindow from "../src/undo/UndoWindow.ts"

const now = Date.parse("2026-01-01T12:00:00Z")
const window = UndoWindow.make(now + 90_000, now)
const known = {
  now,
  proofs: [{ tool: "reserve", by: "release", standing: "stale" }],
  windows: [{ action: "a4", tool: "reserve", ...window }],
  relied: new Map([["a4", "fork-1"]])
} as const

describe("UndoOutlook", () => {
  it("tells the proof of an undo, and the time that is left for it", () => {
    assert.deepStrictEqual(UndoOutlook.of(known, { action: "a4", tool: "reserve" }), {
      endsAt: "2026-01-01T12:01:30.000Z",
      leftMillis: 90_000,
      proof: "stale",
      reliedOnBy: "fork-1"
    })
  })

  it("has no time where the contract sets none, and no proof where the pack declares no undo", () => {
    assert.deepStrictEqual(UndoOutlook.of(known, { action: "a9", tool: "reserve" }), { proof: "stale" })
    assert.deepStrictEqual(UndoOutlook.of(known, { action: "a9", tool: "send" }), {})
  })

  it("takes the time of an effect that is not settled yet from the effect", () => {
    const { leftMillis } = UndoOutlook.of(known, { action: "a9", endsAt: now - 1, tool: "reserve" })
    assert.strictEqual(leftMillis, 0)
    assert.isTrue(UndoWindow.isOver(UndoWindow.make(now - 1, now)))
    assert.isFalse(UndoWindow.isOver(window))
  })
})
