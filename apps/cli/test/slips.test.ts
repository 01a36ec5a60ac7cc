/** Every command with one word exchanged for another: what is there, is not, cannot be read, or is something else. */
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

/** Of some ten thousand slips, one of so many is tried; `EVERY=1` tries all. */
const every = process.env["EVERY"] ?? "17"

describe("a slip in a command", () => {
  it("is foreseen, answers one document, and leaves the store where it is", () => {
    const folder = shell.path("slips")
    mkdirSync(folder)
    const { status, stderr, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, "slips.ts"), folder], {
      encoding: "utf8",
      env: { ...process.env, EVERY: every, NO_COLOR: "1" }
    })
    assert.strictEqual(status, 0, stderr)
    const told = stdout.trimEnd().split("\n")
    const { count } = JSON.parse(told.pop() ?? "{}") as { readonly count?: number }
    assert.isAbove(count ?? 0, 10_000)
    assert.deepStrictEqual(told, [], "each line is a slip that nobody foresaw, or a command that has no line there")
  }, 600_000)
})
