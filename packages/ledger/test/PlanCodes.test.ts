import * as FindingForm from "@backstitch/trace/FindingForm"
import { assert, describe, it } from "@effect/vitest"
import * as PlanCodes from "../src/payload/PlanCodes.ts"

describe("PlanCodes", () => {
  it("has codes of one form, for every reason against an undoing", () => {
    assert.isTrue(Object.keys(PlanCodes.codes).every(FindingForm.isCode))
    assert.isTrue(FindingForm.isFinding(PlanCodes.make("undo.plan_open", { plan: "u7" })))
  })
})
