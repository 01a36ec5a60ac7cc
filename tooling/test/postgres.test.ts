import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"

const module = new URL("../src/postgres.ts", import.meta.url).href

/** Runs a program that starts and stops a server, as a run of the tests does, and ends with an exit code of its own. */
const exitCode = (code: number): number | null => {
  const program = `import { start } from "${module}"; const { stop } = await start(); await stop(); process.exitCode = ${code}`
  return spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }).status
}

describe("postgres", () => {
  it("leaves the exit code to the process, so that failed tests fail the run", () => {
    assert.strictEqual(exitCode(3), 3)
    assert.strictEqual(exitCode(0), 0)
  })
})
