/**
 * One connection to a SQLite file, set up so that an acknowledged commit survives a crash.
 *
 * The file is in WAL mode with `synchronous=FULL`: every commit is flushed. `busy_timeout` is 0, because it would
 * block the event loop: the caller waits for other processes, with a schedule. Statements are prepared on first use
 * and kept. After a failed flush the pages in memory cannot be trusted, so the connection can be reopened in place.
 * A file that was removed can be written as long as it is open, and whoever opens it next finds none of that. So a
 * commit is confirmed by a look at the name of the file.
 *
 * A file in a place without write access, such as a copy that is kept as evidence, is opened read-only.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import * as Limits from "../Limits.ts"
import * as Migrations from "../queries/Migrations.ts"
import type { Query } from "../queries/Queries.ts"

/** A connection. Every call is synchronous and throws the driver's error. */
export interface Sqlite {
  readonly filename: string
  readonly all: <Row>(query: Query<Row>, values: ReadonlyArray<unknown>) => ReadonlyArray<Row>
  readonly get: <Row>(query: Query<Row>, values: ReadonlyArray<unknown>) => Row | undefined
  /** Runs a statement and answers the number of changed rows. */
  readonly run: (query: Query<unknown>, values: ReadonlyArray<unknown>) => number
  readonly begin: () => void
  readonly commit: () => void
  /** Rolls the transaction back, if the driver has not done so already. */
  readonly rollback: () => void
  readonly savepoint: () => void
  readonly release: () => void
  /** Drops the changes since the savepoint. */
  readonly rollbackToSavepoint: () => void
  /** Tells whether a transaction is open. Some errors end it. */
  readonly isInTransaction: () => boolean
  /** Answers a text that changes when another connection has committed. */
  readonly version: () => string
  /** Throws {@link FileReplaced} if the name of the file is no longer that of the one that is open. */
  readonly confirm: () => void
  readonly reopen: () => void
  readonly close: () => void
}

/** Error for a file that was moved, removed or replaced while it was open: what is written to it is lost. */
export class FileReplaced extends Error {
  readonly code = "FILE_REPLACED"
}

/** Error for a database with tables of another program. */
export class ForeignDatabase extends Error {
  readonly tables: ReadonlyArray<string>
  constructor(tables: ReadonlyArray<string>) {
    const some = tables.length > 3 ? ` and ${tables.length - 3} more` : ""
    super(
      `it is a database of something else, with the tables ${tables.slice(0, 3).join(", ")}${some}. ` +
        "Nothing was written to it: name another file"
    )
    this.tables = tables
  }
}

/** Error for a store that has lost a table which every read needs. */
export class TableLost extends Error {
  constructor(tables: ReadonlyArray<string>) {
    super(`its table ${tables.join(" and its table ")} is not there. Restore a copy`)
  }
}

/**
 * Opens a file, and creates it and its folder if needed. {@link migrate} brings its tables up to date. A process may
 * change its working directory later: the file stays the one that is named now, along each folder that its name has.
 */
export const open = (filename: string): Sqlite => {
  const file =
    filename === ":memory:" || Path.isAbsolute(filename) ? filename : `${process.cwd()}${Path.sep}${filename}`
  if (file !== ":memory:") Fs.mkdirSync(Path.dirname(Path.resolve(file)), { recursive: true })
  create(file)
  let database = connect(file)
  const opened = identityOf(file)
  let isClosed = false
  let connections = 1
  const prepared = new Map<string, Prepared>()

  const confirm = () => {
    if (identityOf(file) !== opened) throw new FileReplaced(`${file} is another file, or is not there`)
  }
  /** Another file has other runs under the numbers that its users remember, and a missing one would be made. */
  const connectAgain = () => {
    confirm()
    connections++
    database = connect(file)
  }

  const prepare = (sql: string): Prepared => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    // A connection that could not be reopened is tried again here.
    if (!database.isOpen && !isClosed) connectAgain()
    const statement = database.prepare(sql) as Prepared
    // The driver's own rows are hash tables, which take longer to make and to read. Node 22 has only these.
    statement.setReturnArrays?.(true)
    prepared.set(sql, statement)
    return statement
  }
  const exec = (sql: string) => () => void prepare(sql).run()

  const disconnect = () => {
    prepared.clear()
    if (database.isOpen) database.close()
  }
  const isInTransaction = () => database.isOpen && database.isTransaction

  return {
    filename,
    all: <Row>(query: Query<Row>, values: ReadonlyArray<unknown>) => {
      const statement = prepare(query.sql)
      const rows = statement.all(...values)
      if (rows.length === 0) return []
      const names = namesOf(statement)
      return rows.map((row) => toRow(names, row) as Row)
    },
    get: <Row>(query: Query<Row>, values: ReadonlyArray<unknown>) => {
      const statement = prepare(query.sql)
      const row = statement.get(...values)
      return row && (toRow(namesOf(statement), row) as Row)
    },
    run: (query, values) => prepare(query.sql).run(...values).changes,
    begin: exec("begin immediate"),
    commit: exec("commit"),
    rollback: () => {
      if (isInTransaction()) database.exec("rollback")
    },
    savepoint: exec("savepoint part"),
    release: exec("release part"),
    rollbackToSavepoint: () => {
      exec("rollback to part")()
      exec("release part")()
    },
    isInTransaction,
    version: () => {
      const [version] = prepare("pragma data_version").get() as ReadonlyArray<number>
      // Each connection has its own count.
      return `${connections} ${version}`
    },
    confirm,
    reopen: () => {
      disconnect()
      if (!isClosed) connectAgain()
    },
    close: () => {
      isClosed = true
      disconnect()
    }
  }
}

/**
 * Brings the tables to the latest version, in one transaction. Throws the driver's errors, including `locked`, and
 * {@link Migrations.VersionUnsupported}.
 */
export const migrate = (connection: Sqlite): void => {
  if (versionOf(connection) === Migrations.current) return
  connection.begin()
  try {
    for (const sql of Migrations.statements("sqlite", versionOf(connection))) {
      connection.run({ name: "migration", sql }, [])
    }
    connection.run({ name: "version", sql: `pragma user_version = ${Migrations.current}` }, [])
    connection.commit()
  } catch (cause) {
    connection.rollback()
    throw cause
  }
}

/**
 * Opens a file and brings its tables to the latest version with {@link migrate}. If that fails, the file is closed
 * again.
 */
export const openMigrated = (filename: string): Sqlite => {
  const connection = open(filename)
  try {
    migrate(connection)
    return connection
  } catch (cause) {
    // Evidence in a read-only place is read as it was written: only tables that were added since are missing.
    if (isWriteRefused(cause) && versionOf(connection) > 0) return connection
    connection.close()
    throw cause
  }
}

/** A statement of the driver, called with the values that its query names. */
interface Prepared {
  readonly all: (...values: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown> | object>
  readonly get: (...values: ReadonlyArray<unknown>) => ReadonlyArray<unknown> | object | undefined
  readonly columns: () => ReadonlyArray<{ readonly name: string }>
  readonly setReturnArrays?: (isEnabled: boolean) => void
  readonly run: (...values: ReadonlyArray<unknown>) => { readonly changes: number }
}

const names = new WeakMap<Prepared, ReadonlyArray<string>>()

const namesOf = (statement: Prepared): ReadonlyArray<string> => {
  const known = names.get(statement)
  if (known !== undefined) return known
  const found = statement.columns().map(({ name }) => name)
  names.set(statement, found)
  return found
}

const toRow = (names: ReadonlyArray<string>, values: ReadonlyArray<unknown> | object): object => {
  if (!Array.isArray(values)) return values
  const row: Record<string, unknown> = {}
  for (let index = 0; index < names.length; index++) row[names[index]!] = values[index]
  return row
}

const versionOf = (connection: Sqlite): number =>
  connection.get<{ readonly user_version: number }>({ name: "version", sql: "pragma user_version" }, [])!.user_version

const { fileLogBytes, filePageBytes } = Limits.pacing

const connect = (filename: string): DatabaseSync => {
  try {
    return connectTo(filename, false)
  } catch (cause) {
    if (!isWriteRefused(cause) || !isFilled(filename)) throw cause
    // A log beside the file holds commits that can be read only with its index, which cannot be made here.
    if (isFilled(`${filename}-wal`)) return connectTo(filename, true)
    const address = pathToFileURL(filename)
    address.searchParams.set("immutable", "1")
    return connectTo(address, true)
  }
}

/** SQLite reports that it cannot open a file, or cannot write it. */
const isWriteRefused = (cause: unknown): boolean =>
  cause instanceof Error && "errcode" in cause && [8, 14].includes(Number(cause.errcode) & 0xff)

/** Tells one file from another of the same name; `undefined` if there is none, or if it is in memory. */
const identityOf = (filename: string): string | undefined => {
  if (filename === ":memory:") return undefined
  const found = Fs.statSync(filename, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev} ${found.ino}`
}

const isFilled = (filename: string): boolean => (Fs.statSync(filename, { throwIfNoEntry: false })?.size ?? 0) > 0

/** Creates the file readable only by its owner, and so its logs: it holds arguments and answers of tools. */
const create = (filename: string): void => {
  if (filename !== ":memory:" && !Fs.existsSync(filename)) Fs.closeSync(Fs.openSync(filename, "a", 0o600))
}

const connectTo = (address: string | URL, readOnly: boolean): DatabaseSync => {
  const database = new DatabaseSync(address, { timeout: 0, readOnly })
  try {
    // Checked before any setting is made: a file of another program stays unchanged.
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all()
    const names = tables.map(({ name }) => String(name))
    const lost = ["run", "transition"].filter((name) => !names.includes(name))
    if (names.length > 0 && lost.length > 0) {
      const isOurs = ["blob", "claim", "snapshot"].every((name) => names.includes(name))
      throw isOurs ? new TableLost(lost) : new ForeignDatabase(names)
    }
    if (readOnly) return database
    database.exec(`pragma page_size = ${filePageBytes}; pragma synchronous = full; pragma journal_mode = wal`)
    database.exec(`pragma wal_autocheckpoint = ${fileLogBytes / filePageBytes}`)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}
