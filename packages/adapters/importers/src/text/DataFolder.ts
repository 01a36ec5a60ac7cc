/**
 * The database in which recorded runs began, in the layout of tau-bench: a JSON object by key for each table, below
 * `db/`.
 *
 * The folder is read once; all runs share its tables, which are stored once. Its hash is computed as in tau-bench, so
 * that the folded state of a trace can be compared with that of the original tools.
 */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as Branded from "@backstitch/trace/Branded"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as Table from "@backstitch/trace/Table"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as PythonText from "./PythonText.ts"

/** Tables by name. */
export interface DataFolder {
  readonly tables: { readonly [name: string]: Table.Table }
}

/** Error for a folder that does not hold a database. */
export class DataFolderInvalid extends Schema.TaggedError<DataFolderInvalid>("@backstitch/importers/DataFolderInvalid")(
  "DataFolderInvalid",
  { path: Schema.String, problem: Schema.String }
) {
  override get message(): string {
    return `${this.path} ${this.problem}. A folder with db/<table>.json or db/<table>.json.gz was expected`
  }
}

/** Reads every table under `db/` of a folder. */
export const read = Effect.fn("DataFolder.read")(function* (folder: string) {
  const db = join(folder, "db")
  const names = yield* Effect.tryPromise({
    try: () => readdir(db),
    catch: () => new DataFolderInvalid({ path: folder, problem: "has no folder db that can be read" })
  })
  const files = names.filter((name) => /\.json(\.gz)?$/.test(name)).sort()
  if (files.length === 0) return yield* new DataFolderInvalid({ path: db, problem: "holds no table" })
  const tables: Record<string, Table.Table> = {}
  for (const file of files) {
    tables[file.replace(/\.json(\.gz)?$/, "")] = yield* table(join(db, file))
  }
  return { tables } satisfies DataFolder
})

/**
 * Computes the hash that tau-bench records: SHA-256 of the tables, printed by Python as nested tuples.
 *
 * **Details**
 *
 * Printed rows are remembered by object, so hashing the state after each of a hundred runs costs little more than the
 * hash itself.
 */
export const hash = (tables: DataFolder["tables"]): string =>
  Digest.ofBytes(PythonText.pairs(Object.entries(tables).map(([name, rows]) => [name, printTable(rows)])))

const printTable = (rows: Table.Table): string => {
  const known = printedTables.get(rows)
  if (known !== undefined) return known
  const printed = PythonText.pairs(Array.from(rows.entries(), ([key, row]) => [key, printRow(row)]))
  printedTables.set(rows, printed)
  return printed
}

const printRow = (row: Json): string => {
  if (typeof row !== "object" || row === null) return PythonText.repr(row)
  const known = printedRows.get(row)
  if (known !== undefined) return known
  const printed = PythonText.repr(row)
  printedRows.set(row, printed)
  return printed
}

const printedTables = new WeakMap<Table.Table, string>()
const printedRows = new WeakMap<object, string>()

const table = Effect.fnUntraced(function* (path: string) {
  const limits = yield* SourceFile.Limits
  return yield* Effect.tryPromise({
    try: async () => {
      const text = await SourceFile.text(path, limits)
      const problem = SourceFile.exceeded(path, { number: 0, text }, limits)
      if (problem !== undefined) throw problem
      const rows: unknown = Canonical.parse(text)
      if (typeof rows !== "object" || rows === null || Array.isArray(rows)) throw new Error("not an object")
      return Table.from(Object.entries(rows as Record<string, Json>))
    },
    catch: (cause) =>
      Branded.isError(cause, SourceFile.LimitExceeded)
        ? cause
        : new DataFolderInvalid({
            path,
            problem: `cannot be read as a table: ${cause instanceof Error ? cause.message : String(cause)}`
          })
  })
})
