/**
 * Keeps what Node compiles for the tests of one run, so that a process that a test starts need not compile it again.
 *
 * Vitest calls this once before the first test. A process writes what it has
 * compiled when it ends by itself, or asks for it; one that is killed writes
 * nothing. Compiling took half of the time in which a short process lived.
 *
 * @since 0.1.0
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

const variable = "NODE_COMPILE_CACHE"

/**
 * Names a folder to all processes of this run, and answers how to remove it. A folder that is named already is used.
 *
 * @category constructors
 * @since 0.1.0
 */
export const setup = (): (() => void) | undefined => {
  if (process.env[variable] !== undefined) return undefined
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-compiled-"))
  process.env[variable] = folder
  return () => Fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
