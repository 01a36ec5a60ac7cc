import * as Finding from "@backstitch/trace/Finding"
import { assert, describe, it } from "@effect/vitest"
import * as Codes from "../src/payload/Finding.ts"

describe("Finding", () => {
  it("has codes of one form, for every reason against an undoing", () => {
    assert.isTrue(Object.keys(Codes.codes).every(Finding.isCode))
    assert.isTrue(Finding.isFinding(Codes.make("undo.plan_open", { plan: "u7" })))
  })
})
