import { assert, describe, it } from "@effect/vitest"
import { defined } from "../src/bytes/Defined.ts"

describe("Defined", () => {
  it("keeps every field that is not undefined, in its order", () => {
    const kept = defined({ none: undefined, z: null, a: false, empty: "", zero: 0, gone: undefined })
    assert.deepStrictEqual(Object.entries(kept), [
      ["z", null],
      ["a", false],
      ["empty", ""],
      ["zero", 0]
    ])
  })
})
