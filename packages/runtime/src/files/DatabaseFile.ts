/** Recognises files that begin like a SQLite database, such as stores of runs. */
import { closeSync, openSync, readSync, statSync } from "node:fs"

const magic = "SQLite format 3\0"

/** Tells whether a file exists that begins like a database. Throws the error of the system if it cannot be read. */
export const isOne = (file: string): boolean => {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false
  const opened = openSync(file, "r")
  try {
    const buffer = Buffer.alloc(magic.length)
    return buffer.toString("latin1", 0, readSync(opened, buffer)) === magic
  } finally {
    closeSync(opened)
  }
}
