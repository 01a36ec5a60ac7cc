import { assert, describe, it } from "@effect/vitest"
import * as Limits from "../src/Limits.ts"

describe("Limits", () => {
  it("bound every loop and every wait for a model", () => {
    for (const limit of Object.values({ ...Limits.refusing, ...Limits.pacing, ...Limits.showing })) {
      assert.isAbove(limit, 0)
      assert.isTrue(Number.isSafeInteger(limit))
    }
  })
})
