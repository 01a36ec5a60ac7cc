import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Postgres from "../../../tooling/src/postgres.ts"
import * as Outage from "../server/Outage.ts"

const holds = (report: Outage.Report): void => {
  assert.deepStrictEqual(report.problems, [])
  assert.deepStrictEqual([report.ended, report.lost, report.doubled], [report.runs, 0, 0])
  assert.isAbove(report.acknowledged, report.runs)
  assert.isAbove(report.keys, 0)
  assert.strictEqual(report.recognised, report.keys)
}

// A caller gives up after two minutes, and says what it was waiting for.
describe("a server under outages", { timeout: 300_000 }, () => {
  it("loses nothing acknowledged when it is killed on SQLite, and its streams go on without a gap (L14)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "backstitch-outage-"))
    try {
      holds(await Outage.run({ store: join(folder, "trace.db"), callers: 3, blows: ["kill"], everyMillis: 2000 }))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("loses nothing acknowledged when its Postgres is restarted and killed, and its runs end (L14)", async () => {
    // A server of its own: others use the one of the test run at the same time.
    const { restart, stop, url } = await Postgres.start()
    const again = (how: "restart" | "crash", downMillis: number) =>
      restart(how === "restart" ? "SIGINT" : "SIGKILL", downMillis)
    try {
      const blows = ["restart", "kill", "crash"] as const
      holds(await Outage.run({ store: url, callers: 3, blows, everyMillis: 2000, restart: again }))
    } finally {
      await stop()
    }
  })
})
