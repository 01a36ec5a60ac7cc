/**
 * The world's own SQLite file, apart from any store of the agent.
 *
 * One process owns the file. Writes go through `transaction`, so a mutation, its idempotency key and its line in the
 * request log are committed together or not at all. A commit survives the end of the process.
 */
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite"

/** One row as SQLite returns it. */
export type Row = Record<string, SQLOutputValue>

/** A prepared statement whose rows have a known shape. */
export class Query<A extends Row> {
  readonly #statement: StatementSync

  constructor(statement: StatementSync) {
    this.#statement = statement
  }

  /** The first row, if any. */
  one(...parameters: ReadonlyArray<SQLInputValue>): A | undefined {
    return this.#statement.get(...parameters) as A | undefined
  }

  /** All rows. */
  all(...parameters: ReadonlyArray<SQLInputValue>): ReadonlyArray<A> {
    return this.#statement.all(...parameters) as Array<A>
  }

  /** Executes the statement and returns the rowid of the last insert. */
  run(...parameters: ReadonlyArray<SQLInputValue>): number {
    return Number(this.#statement.run(...parameters).lastInsertRowid)
  }
}

/** An open database file. */
export class Database {
  readonly #connection: DatabaseSync
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #rollback: StatementSync

  constructor(filename: string, schema: ReadonlyArray<string>) {
    this.#connection = new DatabaseSync(filename)
    this.#connection.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;")
    for (const statements of schema) this.#connection.exec(statements)
    this.#begin = this.#connection.prepare("BEGIN IMMEDIATE")
    this.#commit = this.#connection.prepare("COMMIT")
    this.#rollback = this.#connection.prepare("ROLLBACK")
  }

  /** Prepares a statement once, to be used many times. */
  query<A extends Row = Row>(sql: string): Query<A> {
    return new Query<A>(this.#connection.prepare(sql))
  }

  /** Commits everything that `body` writes, or nothing if it throws. */
  transaction<A>(body: () => A): A {
    this.#begin.run()
    try {
      const result = body()
      this.#commit.run()
      return result
    } catch (error) {
      this.#rollback.run()
      throw error
    }
  }

  /** Closes the file; SQLite removes its `-wal` and `-shm` companions. */
  close(): void {
    this.#connection.close()
  }
}
