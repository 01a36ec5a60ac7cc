import { assert, describe, it } from "@effect/vitest"
import * as Limits from "../src/Limits.ts"

describe("Limits", () => {
  it("let a request unpack to more than it is sent as, and hold more than one span", () => {
    assert.isAbove(Limits.refusing.spansTextBytesMax, Limits.refusing.spansBytesMax)
    assert.isAbove(Limits.refusing.spansMax, 1)
    assert.isAbove(Limits.pacing.spanAttemptsMax, 1)
  })
})
