/**
 * Faults of a whole store that the chains of its runs do not show.
 *
 * A chain proves the bytes of a run. It cannot show a run of which only transitions are left, a missing table, or a
 * text that does not match its digest, because these belong to no chain. So a store lists them itself.
 */
import * as Schema from "effect/Schema"

/** Tables of a store in a database. */
export const tables = [
  "run",
  "transition",
  "claim",
  "blob",
  "snapshot",
  "lease",
  "note",
  "fingerprint",
  "tool_identity",
  "subject_key",
  "sealed_value",
  "recognition",
  "erased_key"
] as const

/**
 * One kind of damage in one table, with the number of cases and an example.
 *
 * - `absent`: the table is missing.
 * - `orphaned`: rows belong to a run or a transition that is missing.
 * - `beyond`: transitions lie outside of the range that the row of their run gives.
 * - `altered`: texts do not match their digests.
 * - `corrupt`: the database itself finds its file damaged.
 */
export const StoreFault = Schema.Struct({
  table: Schema.Literals([...tables, "file"]),
  found: Schema.Literals(["absent", "orphaned", "beyond", "altered", "corrupt"]),
  count: Schema.Natural,
  example: Schema.String
})

/** One kind of damage in one table. */
export type StoreFault = typeof StoreFault.Type

/** Describes the damage and the remedy, in one or two sentences. */
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
