import * as Field from "@backstitch/expressions/Field"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { AdHocPredicate, Scan } from "../src/index.ts"
import * as Lab from "./lab.ts"

describe("AdHocPredicate", () => {
  const bodies = [Lab.started, Lab.set({ total: 100, limit: 500 }), Lab.set({ total: 650 }), Lab.set({ total: 90 })]
  const steps = Lab.steps(Lab.fold(), bodies)

  it("finds where an expression held first, although it recovered", () => {
    for (const source of [
      "working.total > 600",
      "state.total > 600",
      "has(working.total) && working.total > working.limit"
    ]) {
      assert.strictEqual(Scan.run(Result.getOrThrow(AdHocPredicate.compile(source)), steps).onset, 3)
    }
  })

  it("sees both sides of a step", () => {
    const falling = Result.getOrThrow(
      AdHocPredicate.compile("has(before.working.total) && after.working.total < before.working.total")
    )
    assert.strictEqual(Scan.run(falling, steps).onset, 4)
  })

  it("names the fields that it reads", () => {
    const { reads } = Result.getOrThrow(AdHocPredicate.compile("working.total > 1 && state.limit > 2"))
    assert.sameMembers([...reads!], ["working.total", "working.limit", "world.limit"])
  })

  it("refuses a field that the pack does not declare, before anything is folded", () => {
    const names = { working: Field.object({ total: { type: "int" } }) }
    const refused = AdHocPredicate.compile("working.totl > 600", { names })
    assert.isTrue(Result.isFailure(refused))
    assert.include(Result.getOrThrow(Result.flip(refused)).message, "totl")
  })
})
