import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Machine from "../src/Machine.ts"

describe("Machine", () => {
  it("gives a folder on a RAM disk for as long as the work takes, if there is such a disk", async (test) => {
    const found = await Machine.onRamDisk(async (folder) => {
      Fs.writeFileSync(Path.join(folder, "file"), "kept in memory")
      return { folder, files: Fs.readdirSync(folder) }
    })
    if (found === undefined) return test.skip("there is no RAM disk")
    assert.deepStrictEqual(found.files, ["file"])
    assert.isFalse(Fs.existsSync(found.folder))
  })

  it("removes the folder when the work fails", async (test) => {
    let used: string | undefined
    const failure = await Machine.onRamDisk(async (folder) => {
      used = folder
      throw new Error("no luck")
    }).catch((cause: Error) => cause.message)
    if (used === undefined) return test.skip("there is no RAM disk")
    assert.strictEqual(failure, "no luck")
    assert.isFalse(Fs.existsSync(used))
  })
})
