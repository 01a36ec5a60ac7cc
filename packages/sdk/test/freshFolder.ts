/** Folders of the tests of one file, which are removed after them. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll } from "vitest"

const folders: Array<string> = []
afterAll(() => {
  for (const folder of folders) Fs.rmSync(folder, { recursive: true, force: true })
})

/** Makes an empty folder. */
export const freshFolder = (): string => {
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-sdk-"))
  folders.push(folder)
  return folder
}
