/**
 * Keeps what Node compiles for the tests of one run, so that a process that a test starts need not compile it again.
 *
 * Vitest calls `setup` once before the first test, and loads this module before
 * each file. Its own workers are not told: they end when they like, and would
 * write into a folder that is just removed. A process writes what it has
 * compiled when it ends by itself, or asks for it; one that is killed writes
 * nothing. Compiling took half of the time in which a short process lived.
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

const variable = "NODE_COMPILE_CACHE"
const handed = "BACKSTITCH_TEST_COMPILED"

const folder = process.env[handed]
if (folder !== undefined) process.env[variable] ??= folder

/**
 * Names a folder to the processes of this run, which this one removes when it ends. Where Node has been told of one
 * already, that is used, and left.
 */
export const setup = (): void => {
  if (process.env[variable] !== undefined) return
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-compiled-"))
  process.env[handed] = folder
  process.once("exit", () => Fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
}
