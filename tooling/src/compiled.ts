/**
 * Keeps the code that Node compiles for the tests of one run, so that processes which tests start need not compile it
 * again.
 *
 * Vitest calls `setup` once before the first test, and loads this module before each file. Its own workers do not use
 * the folder, because they may end late and would write into a removed folder. A process writes its compiled code
 * when it ends by itself, or on request; a killed process writes nothing. Compilation took half of the time of a
 * short process.
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

const variable = "NODE_COMPILE_CACHE"
const handed = "BACKSTITCH_TEST_COMPILED"

const folder = process.env[handed]
if (folder !== undefined) process.env[variable] ??= folder

/**
 * Names a folder for the processes of this run, which removes it at the end. A folder that Node already uses is kept.
 */
export const setup = (): void => {
  if (process.env[variable] !== undefined) return
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-compiled-"))
  process.env[handed] = folder
  process.once("exit", () => Fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
}
