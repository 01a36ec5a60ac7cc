import { assert, describe, it } from "@effect/vitest"
import * as StoreFault from "../src/port/StoreFault.ts"

describe("StoreFault", () => {
  it("names the damage, its frequency, its place, and the remedy", () => {
    const of = (found: StoreFault.StoreFault["found"], count: number) =>
      StoreFault.describe({ table: "blob", found, count, example: "one of them" })
    assert.strictEqual(of("absent", 1), "The table blob is not there. Restore a copy")
    for (const found of ["orphaned", "beyond", "altered"] as const) {
      assert.match(of(found, 1), /^A row of the table blob (belongs|lies|is) .*one of them. Restore a copy$/)
      assert.match(of(found, 3), /^3 rows of the table blob (belong|lie|are) .*one of them. Restore a copy$/)
    }
    assert.include(of("corrupt", 2), "finds its file damaged: one of them")
  })
})
