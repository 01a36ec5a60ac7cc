import { assert, describe, it } from "@effect/vitest"
import * as ConsumerRules from "../recoverbench/audits/ConsumerRules.ts"

describe("ConsumerRules", () => {
  it("tells the published rule from the standard one by the witness of a finished form (appendix F.4)", async () => {
    const rows = await ConsumerRules.witness()
    const verdicts = (policy: string) =>
      Object.fromEntries(rows.filter((each) => each.policy === policy).map(({ rule, verdict }) => [rule, verdict]))
    assert.deepStrictEqual(verdicts("entry"), {
      instance: "blocked",
      checkpoint: "blocked",
      values: "blocked",
      none: "admitted"
    })
    assert.deepStrictEqual(verdicts("commit"), {
      instance: "blocked",
      checkpoint: "admitted",
      values: "admitted",
      none: "admitted"
    })
    for (const { consumers, reasons } of rows.filter(({ verdict }) => verdict === "blocked")) {
      assert.deepStrictEqual(reasons, ["committed_consumers_present"])
      assert.deepStrictEqual(consumers, ["ResolveSlot::1::0", "FinalizeSchedule::final::0"])
    }
  })
})
