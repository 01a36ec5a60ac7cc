import { assert, describe, it } from "vitest"
import * as KeyRole from "../src/port/KeyRole.ts"

describe("KeyRole", () => {
  it("permits what a lower role may do, and nothing of a higher one", () => {
    for (const [held, one] of KeyRole.all.entries()) {
      for (const [required, other] of KeyRole.all.entries()) {
        assert.strictEqual(KeyRole.permits(one, other), held >= required, `${one} for ${other}`)
      }
    }
  })
})
