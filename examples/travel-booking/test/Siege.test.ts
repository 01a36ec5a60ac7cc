import { assert, describe, it } from "@effect/vitest"
import * as Siege from "../cluster/Siege.ts"

// The server's address is in BACKSTITCH_TEST_POSTGRES.
describe("Siege", () => {
  it("leaves every run ended, every acknowledged commit stored, and each effect once (L14)", async () => {
    const report = await Siege.run({
      server: process.env["BACKSTITCH_TEST_POSTGRES"] ?? "",
      runs: 12,
      nodes: 2,
      blows: ["kill", "pause", "drain"],
      everyMillis: 700,
      shardLockMillis: 3000
    })
    assert.deepStrictEqual(report.problems, [])
    assert.deepStrictEqual([report.ended, report.lost, report.doubled], [12, 0, 0])
    assert.isAbove(report.acknowledged, 12)
  })
})
