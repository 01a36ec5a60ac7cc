import { assert, describe, it } from "vitest"
import * as Role from "../src/access/Role.ts"

describe("Role", () => {
  it("permits what a lower role may do, and nothing of a higher one", () => {
    for (const [held, one] of Role.all.entries()) {
      for (const [required, other] of Role.all.entries()) {
        assert.strictEqual(Role.permits(one, other), held >= required, `${one} for ${other}`)
      }
    }
  })
})
