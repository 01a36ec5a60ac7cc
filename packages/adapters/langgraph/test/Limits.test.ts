import { assert, describe, it } from "@effect/vitest"
import * as Limits from "../src/Limits.ts"

describe("Limits", () => {
  it("bound what a checkpointer remembers", () => {
    for (const limit of Object.values(Limits.pacing)) assert.isTrue(Number.isSafeInteger(limit) && limit > 0)
  })
})
