import { describe, expect, it } from "vitest"
import * as UndoStop from "../src/undo/UndoStop.ts"

describe("An undo plan that stopped", () => {
  it("says by a code why it waits for a person", () => {
    const codes = (["altered", "denied", undefined] as const).map((stop) => UndoStop.stopped({ stop }).code)

    expect(codes).toEqual(["reversal.altered", "reversal.not_approved", "reversal.failed"])
  })
})
