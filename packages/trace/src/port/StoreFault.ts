/**
 * Faults of a store as a whole, beside the chains of its runs.
 *
 * A chain proves the bytes of a run. It cannot name a run of which only
 * transitions are left, a table that is gone, or a text that no longer is what
 * its digest says: those belong to no chain. A store lists them itself.
 */
import * as Schema from "effect/Schema"

/**
 * One kind of damage in one table, with how often it was found and an example.
 *
 * - `absent`: the table is not there.
 * - `orphaned`: rows belong to a run or a transition that is not there.
 * - `beyond`: transitions lie outside of what the row of their run says that it has committed.
 * - `altered`: texts are not what their digests say.
 * - `corrupt`: the database itself finds its file damaged.
 */
export const StoreFault = Schema.Struct({
  table: Schema.Literals([
    "run",
    "transition",
    "claim",
    "blob",
    "snapshot",
    "lease",
    "fingerprint",
    "subject_key",
    "sealed_value",
    "recognition",
    "erased_key",
    "file"
  ]),
  found: Schema.Literals(["absent", "orphaned", "beyond", "altered", "corrupt"]),
  count: Schema.Natural,
  example: Schema.String
})

/** One kind of damage in one table. */
export type StoreFault = typeof StoreFault.Type

/** Says what is damaged and what to do, in one sentence or two. */
export const describe = ({ count, example, found, table }: StoreFault): string => {
  const rows = count === 1 ? `A row of the table ${table}` : `${count} rows of the table ${table}`
  switch (found) {
    case "absent":
      return `The table ${table} is not there. Restore a copy`
    case "orphaned":
      return `${rows} belong${count === 1 ? "s" : ""} to what is not there, such as ${example}. Restore a copy`
    case "beyond":
      return `${rows} lie${count === 1 ? "s" : ""} outside of the ticks of the run, such as ${example}. Restore a copy`
    case "altered":
      return `${rows} ${count === 1 ? "is" : "are"} not what the digest says, such as ${example}. Restore a copy`
    case "corrupt":
      return `The database finds its file damaged: ${example}. Restore a copy`
  }
}
