/** Writing files into a sandbox of the real file system. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Filesystem from "../tools/Filesystem.ts"
import type { Proven } from "../tools/Proven.ts"
import * as lab from "./lab.ts"

const folder = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-files-")))
afterAll(() => Fs.rmSync(folder, { recursive: true, force: true }))

/** A sandbox with one file, beside files of others. */
const sandbox = (name: string): string => {
  const root = Path.join(folder, name, "box")
  Fs.mkdirSync(root, { recursive: true })
  Fs.mkdirSync(Path.join(folder, name, "outside"))
  Fs.writeFileSync(Path.join(root, "kept.txt"), "kept")
  return root
}
const file: Filesystem.File = { name: "report.txt", text: "Seat 4A is Ada's.\n" }

const writes = (tool: Proven, more: Partial<Filesystem.File> = {}) =>
  lab.act(tool, Filesystem.args({ ...file, ...more }))

/** The tool, and the changes of another program to the sandbox right after it. */
const meddled = (root: string, meddle: (path: string) => void): Proven => {
  const { code, contract } = Filesystem.write(root)
  return {
    contract,
    code: {
      ...code,
      execute: async (params: Filesystem.File, context) => {
        const answer = await code.execute(params as never, context)
        meddle(Path.join(root, params.name))
        return answer
      }
    }
  }
}

describe.concurrent("a file", () => {
  it("is confirmed in its sandbox, byte for byte", async () => {
    lab.isReconciled(await writes(Filesystem.write(sandbox("plain"))))
  })

  it("leaves the sandbox by two dots: path_escapes", async () => {
    const root = sandbox("dots")
    const trial = await writes(Filesystem.write(root), { name: "../outside/report.txt" })
    assert.deepStrictEqual(lab.isHeldFor(trial, "path_escapes", "wrong_target_modified"), {
      path: Path.join(folder, "dots/outside/report.txt")
    })
  })

  it("leaves the sandbox by a link: path_escapes", async () => {
    const root = sandbox("link")
    Fs.symlinkSync(Path.join(folder, "link/outside"), Path.join(root, "inbox"))
    const trial = await writes(Filesystem.write(root), { name: "inbox/report.txt" })
    lab.isHeldFor(trial, "path_escapes", "wrong_target_modified")
    assert.isDefined(trial.evidence.find(({ indicator }) => indicator === "no_link"))
  })

  it("is not taken for inside if only the name of the folder begins alike: path_escapes", async () => {
    const root = sandbox("alike")
    const trial = await writes(Filesystem.write(root), { name: "../boxes/report.txt" })
    lab.isHeldFor(trial, "path_escapes", "wrong_target_modified")
  })

  it("is swept away by a cleaner: missing_file", async () => {
    const tool = meddled(sandbox("swept"), (path) => Fs.rmSync(path))
    lab.isHeldFor(await writes(tool), "missing_file", "no_op_failure")
  })

  it("is written over by somebody: hash_differs", async () => {
    const tool = meddled(sandbox("over"), (path) => Fs.writeFileSync(path, "Seat 4A is Eve's.\n"))
    const trial = await writes(tool)
    lab.isHeldFor(trial, "hash_differs", "value_mismatch")
    // As long as the original: only the digest differs.
    assert.isUndefined(trial.evidence.find(({ indicator }) => indicator === "size"))
  })

  it("is a program instead of a text: extension_not_allowed", async () => {
    const trial = await writes(Filesystem.write(sandbox("program")), { name: "report.sh" })
    assert.deepStrictEqual(lab.isHeldFor(trial, "extension_not_allowed", "value_mismatch"), { extension: "sh" })
  })

  it("is opened to everybody: unexpected_mode", async () => {
    const tool = meddled(sandbox("open"), (path) => Fs.chmodSync(path, 0o666))
    assert.deepStrictEqual(lab.isHeldFor(await writes(tool), "unexpected_mode", "value_mismatch"), { mode: "0666" })
  })

  it("removes another file without permission: destructive", async () => {
    const root = sandbox("removed")
    const kept = Path.join(root, "kept.txt")
    const trial = await writes(meddled(root, () => Fs.rmSync(kept)))
    assert.deepStrictEqual(lab.isHeldFor(trial, "destructive", "wrong_target_modified"), { removed: [kept] })
  })

  it("may replace the files that the contract allows to remove", async () => {
    const root = sandbox("allowed")
    const kept = Path.join(root, "kept.txt")
    const { contract } = Filesystem.write(root, [kept])
    const { code } = meddled(root, () => Fs.rmSync(kept))
    lab.isReconciled(await writes({ contract, code }))
  })
})
