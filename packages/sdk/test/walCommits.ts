/** Counts the commits that a SQLite file has in its write-ahead log: each was one flush. */
import { readFileSync } from "node:fs"

/** Bytes of the header of the log, and of the header of a frame. */
const [logHeader, frameHeader] = [32, 24]

/** The commits in the log of a file, up to the first frame of an earlier use of the log. */
export const commitsOf = (database: string): number => {
  const log = readFileSync(`${database}-wal`)
  const frame = frameHeader + log.readUInt32BE(8)
  const salts = log.subarray(16, 24)
  let commits = 0
  for (let at = logHeader; at + frame <= log.length; at += frame) {
    if (!log.subarray(at + 8, at + 16).equals(salts)) break
    // The frame that ends a commit says how many pages the database has.
    if (log.readUInt32BE(at + 4) > 0) commits++
  }
  return commits
}
