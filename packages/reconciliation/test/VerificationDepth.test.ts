import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as VerificationSource from "@backstitch/contracts/VerificationSource"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as VerificationDepth from "../src/evidence/VerificationDepth.ts"

const SideEffect = Schema.Literals(ToolContract.sideEffects)

describe("VerificationDepth", () => {
  it("has six rows of five columns", () => {
    assert.sameMembers(Object.keys(VerificationDepth.table), [...ToolContract.sideEffects])
    for (const depth of Object.values(VerificationDepth.table)) {
      for (const column of [depth.checks, depth.sources, depth.fallback, depth.review]) assert.isAbove(column.length, 0)
      assert.include(["synchronous", "moderate", "asynchronous"], depth.latency)
    }
  })

  it.prop(
    "takes no replica and no cache for proof, in any class (HS-07, HS-08)",
    [SideEffect, Schema.Literals(["replica", "cache"])],
    ([sideEffect, source]) => !VerificationSource.admits(sideEffect, source),
    { arbitrary: { runs: 300 } }
  )

  it("demands two sources for a critical action, and one for any other", () => {
    for (const sideEffect of ToolContract.sideEffects) {
      const isConfirmed = [0, 1, 2].map((agreeing) => VerificationDepth.confirms(sideEffect, agreeing))
      assert.deepStrictEqual(isConfirmed, [false, sideEffect !== "critical_mutation", true], sideEffect)
    }
  })

  it("checks the tenant of everything that leaves the sandbox, and of that alone", () => {
    for (const sideEffect of ToolContract.sideEffects) {
      const isChecked = VerificationDepth.of(sideEffect).checks.includes("tenant")
      assert.strictEqual(isChecked, sideEffect !== "ephemeral_write", sideEffect)
    }
  })

  it("falls back in order, and never to a weaker source for a write", () => {
    assert.strictEqual(VerificationDepth.fallback("read_only", 1), "other_source")
    assert.isUndefined(VerificationDepth.fallback("read_only", 3))
    assert.strictEqual(VerificationDepth.fallback("critical_mutation", 0), "fail_closed")
    for (const sideEffect of ToolContract.sideEffects.slice(1)) {
      assert.notInclude(VerificationDepth.of(sideEffect).fallback, "other_source")
    }
  })

  it("involves a person by trigger, and always for a critical action", () => {
    assert.isFalse(VerificationDepth.isReviewed("medium_risk_write", ["mismatch"]))
    assert.isTrue(VerificationDepth.isReviewed("medium_risk_write", ["partial"]))
    assert.isTrue(VerificationDepth.isReviewed("critical_mutation", []))
  })

  it("starts nothing critical without an approval before, or a recorded break-glass with a reason", () => {
    const start = (permission: VerificationDepth.Permission) =>
      VerificationDepth.beforeStart("critical_mutation", permission)._tag
    assert.strictEqual(start({}), "Refused")
    assert.strictEqual(start({ breakGlass: { by: "eve", reason: "  ", recordedAt: 1 } }), "Refused")
    assert.strictEqual(start({ breakGlass: { by: "eve", reason: "the region is down", recordedAt: 1 } }), "ReviewAfter")
    assert.strictEqual(start({ approval: "ok-1" }), "Approved")
    assert.strictEqual(VerificationDepth.beforeStart("low_risk_internal", {})._tag, "OnTrigger")
  })
})
