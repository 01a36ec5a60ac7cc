/** The demo, as it is printed. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

describe("the demo", () => {
  it("shows one call that is committed, and three that nobody else ever saw", { timeout: 120_000 }, () => {
    const { status, stdout } = spawnSync(process.execPath, [fileURLToPath(new URL("../demo.ts", import.meta.url))])
    const lines = String(stdout).split("\n")
    assert.strictEqual(status, 0)
    const tables = lines.filter((line) => line.includes("the table:"))
    const ada = '   the table: {"seat":"4A","holder":"Ada","version":8}'
    assert.deepStrictEqual(tables, [ada, ada, ada])
    assert.include(lines, "   the folder: []")
    assert.strictEqual(lines.filter((line) => line.includes("rolled_back: ")).length, 3)
    assert.strictEqual(lines.filter((line) => line.includes("success: ")).length, 1)
  })
})
