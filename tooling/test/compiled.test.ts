import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"

const source = new URL("../src/compiled.ts", import.meta.url).href

/** A process in which `script` continues from the given value. */
const run = (env: NodeJS.ProcessEnv, script: string): unknown => {
  const { BACKSTITCH_TEST_COMPILED: _, NODE_COMPILE_CACHE: __, ...rest } = process.env
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", `import { existsSync } from "node:fs"; import { setup } from "${source}"; ${script}`],
    { encoding: "utf8", env: { ...rest, ...env } }
  )
  assert.strictEqual(status, 0, stderr)
  return JSON.parse(stdout)
}

const told = "process.env.NODE_COMPILE_CACHE ?? null"

describe("compiled", () => {
  it("names a folder, which is removed when the run ends", () => {
    const at = "process.env.BACKSTITCH_TEST_COMPILED"
    const script = `setup(); console.log(JSON.stringify([${at}, existsSync(${at})]))`
    const [folder, isThere] = run({}, script) as [string, boolean]
    assert.isTrue(isThere)
    assert.isFalse(existsSync(folder))
  })

  it("tells Node of the folder that it is handed, unless it has been told of another", () => {
    const says = `console.log(JSON.stringify(${told}))`
    assert.isNull(run({}, says))
    assert.strictEqual(run({ BACKSTITCH_TEST_COMPILED: "/nowhere/a" }, says), "/nowhere/a")
    const own = mkdtempSync(join(tmpdir(), "backstitch-own-"))
    const both = { BACKSTITCH_TEST_COMPILED: "/nowhere/a", NODE_COMPILE_CACHE: own }
    assert.strictEqual(run(both, says), own)
    rmSync(own, { recursive: true })
  })
})
