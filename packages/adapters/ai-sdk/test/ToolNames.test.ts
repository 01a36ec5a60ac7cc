import { assert, describe, it } from "@effect/vitest"
import * as ToolNames from "../src/ToolNames.ts"

describe("ToolNames", () => {
  it("keeps a name that a provider accepts, and gives others one that no tool has", () => {
    const names = ToolNames.of(["pay", "plan.update", "plan_update", "plan update", "", "pay"])
    assert.deepStrictEqual(["pay", "plan.update", "plan_update", "plan update", ""].map(names.offered), [
      "pay",
      "plan_update",
      "plan_update_2",
      "plan_update_3",
      "tool"
    ])
    assert.strictEqual(names.meant("plan_update_2"), "plan_update")
    assert.isUndefined(names.meant("toString"))
  })

  it("shortens a long name, and tells two long names apart", () => {
    const long = "a".repeat(100)
    const names = ToolNames.of([long, `${long}b`])
    assert.lengthOf(names.offered(long), 64)
    assert.lengthOf(names.offered(`${long}b`), 64)
    assert.strictEqual(names.meant(names.offered(`${long}b`)), `${long}b`)
  })
})
