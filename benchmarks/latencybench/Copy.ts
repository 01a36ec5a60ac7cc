/** A copy of a database file for one measurement, so that each begins with the same bytes. */
import * as Fs from "node:fs"

/** Passes a copy to a body, and removes it afterwards. */
export const of = <A>(filename: string, use: (copy: string) => A): A => {
  const copy = `${filename}.copy`
  Fs.copyFileSync(filename, copy)
  try {
    return use(copy)
  } finally {
    for (const end of ["", "-wal", "-shm"]) Fs.rmSync(`${copy}${end}`, { force: true })
  }
}
