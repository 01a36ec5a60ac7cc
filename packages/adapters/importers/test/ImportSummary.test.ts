import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as ImportSummary from "../src/run/ImportSummary.ts"

describe("ImportSummary", () => {
  it.prop(
    "sums every count over runs, and counts the runs that are flagged",
    [Schema.Array(ImportSummary.Run)],
    ([runs]) => {
      const { totals } = ImportSummary.make(runs)
      assert.strictEqual(totals.runs, runs.length)
      assert.strictEqual(totals.repeatedToolCallIds, runs.filter((run) => run.repeatedToolCallIds).length)
      assert.strictEqual(totals.repeats, runs.flatMap((run) => run.repeats).length)
      assert.strictEqual(totals.present, runs.filter((run) => run.present).length)
      for (const name of [
        "messages",
        "toolCalls",
        "outputsReproduced",
        "mutatingCalls",
        "stateChanges",
        "errors"
      ] as const) {
        assert.strictEqual(
          totals[name],
          runs.reduce((sum, run) => sum + run[name], 0)
        )
      }
    },
    { arbitrary: { runs: 100 } }
  )

  it.prop("reports to programs the recorded facts of each run and of all alone", [ImportSummary.Run], ([run]) => {
    const { runs, totals } = ImportSummary.document(ImportSummary.make([run]))
    const counts = [
      "errors",
      "failedCalls",
      "lost",
      "messages",
      "mutatingCalls",
      "outputsReproduced",
      "repeatedToolCallIds",
      "repeats",
      "stateChanges"
    ]
    assert.sameMembers(Object.keys(totals), [...counts, "toolCalls"])
    assert.sameMembers(Object.keys(runs[0]!), [...counts, "toolCalls", "finalStateHash", "id"])
    assert.strictEqual(totals.repeatedToolCallIds, Number(run.repeatedToolCallIds))
  })
})
