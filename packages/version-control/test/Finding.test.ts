import * as Finding from "@backstitch/trace/Finding"
import { assert, describe, it } from "@effect/vitest"
import * as Codes from "../src/model/Finding.ts"

describe("Finding", () => {
  it("has codes of one form, for every reason that stops a rebase", () => {
    assert.isTrue(Object.keys(Codes.codes).every(Finding.isCode))
    assert.isTrue(Finding.isFinding(Codes.make("rebase.failed", { error: "sold out" })))
  })
})
