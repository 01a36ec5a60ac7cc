import * as FindingForm from "@backstitch/trace/FindingForm"
import { assert, describe, it } from "@effect/vitest"
import * as HistoryCodes from "../src/codes/HistoryCodes.ts"

describe("HistoryCodes", () => {
  it("has codes of one form, for every reason that stops a rebase", () => {
    assert.isTrue(Object.keys(HistoryCodes.codes).every(FindingForm.isCode))
    assert.isTrue(FindingForm.isFinding(HistoryCodes.make("rebase.failed", { error: "sold out" })))
  })
})
