import { existsSync } from "node:fs"
import { afterEach, assert, describe, it } from "vitest"
import { setup } from "../src/compiled.ts"

const variable = "NODE_COMPILE_CACHE"
const before = process.env[variable]

afterEach(() => {
  if (before === undefined) delete process.env[variable]
  else process.env[variable] = before
})

describe("compiled", () => {
  it("names a folder to the processes of a run, and removes it at the end", () => {
    delete process.env[variable]
    const remove = setup()
    const folder = process.env[variable] ?? ""
    assert.isTrue(existsSync(folder))
    remove?.()
    assert.isFalse(existsSync(folder))
  })

  it("leaves a folder that was named before as it is", () => {
    process.env[variable] = import.meta.dirname
    assert.isUndefined(setup())
    assert.strictEqual(process.env[variable], import.meta.dirname)
  })
})
