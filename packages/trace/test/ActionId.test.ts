import { assert, describe, it } from "@effect/vitest"
import * as ActionId from "../src/transition/ActionId.ts"

describe("ActionId", () => {
  it("leads from an id back to its tick", () => {
    for (const tick of [1, 9, 10, 12_345]) assert.strictEqual(ActionId.tickOf(ActionId.at(tick)), tick)
  })

  it("knows no tick of an id that no request has", () => {
    for (const id of ["", "a", "a0", "a07", "a-1", "a1.5", "b1", "a1 ", "A1", "7"]) {
      assert.isUndefined(ActionId.tickOf(id), id)
    }
  })
})
