import { assert, describe, it } from "@effect/vitest"
import * as CrackSearch from "../src/versioning/CrackSearch.ts"

describe("CrackSearch", () => {
  it("knows a crack by its id as a predicate, and nothing else", () => {
    assert.strictEqual(CrackSearch.crackOf("topology.stale_plan"), "stale_plan")
    for (const other of ["stale_plan", "topology.", "topology.stale", "kernel.anomaly_free"]) {
      assert.isUndefined(CrackSearch.crackOf(other))
    }
  })
})
