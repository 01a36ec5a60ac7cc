import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Flushes from "../throughputbench/Flushes.ts"

const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-flushes-"))

afterAll(() => Fs.rmSync(folder, { recursive: true, force: true }))

describe("counts that no machine can distort", () => {
  it("flushes once for a step whose intent is durable first, with the settlement of the step before (L5)", async () => {
    const flushes = await Flushes.flushesOf(Path.join(folder, "write.db"), "write", 100)
    assert.isAtLeast(flushes, 1)
    assert.isAtMost(flushes, 1.1)
  })

  it("flushes at most once for a step that only reads, however slow the machine is (decision 0055)", async () => {
    assert.isAtMost(await Flushes.flushesOf(Path.join(folder, "look.db"), "look", 100), 1.1)
  })

  it("stores a transition in at most a quarter more than its canonical bytes", async () => {
    assert.isAtMost(await Flushes.bytes(Path.join(folder, "bytes.db"), Flushes.steps(250)), 1.25)
  })
})
