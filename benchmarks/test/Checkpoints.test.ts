import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Checkpoints from "../throughputbench/Checkpoints.ts"

const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-checkpoints-"))

afterAll(() => Fs.rmSync(folder, { recursive: true, force: true }))

describe("bytes of checkpoints", () => {
  it("do not grow with the thread", async () => {
    const [early = 0, late = 0] = await Checkpoints.perStep(Path.join(folder, "thread.db"), [20, 140], 40)
    assert.isBelow(late, 8000)
    assert.isBelow(late / early, 1.2)
  })
})
