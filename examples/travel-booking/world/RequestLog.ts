/** Every request that named a tool, in the order in which the world received them. */
import type { Database, Query } from "./Database.ts"
import type { Kind } from "./Faults.ts"
import type { Tool } from "./Tool.ts"

/** Tables of this noun. */
export const schema = `
CREATE TABLE IF NOT EXISTS requests (
  number INTEGER PRIMARY KEY, at INTEGER NOT NULL, tenant TEXT NOT NULL, tool TEXT NOT NULL, key TEXT, fault TEXT,
  outcome TEXT NOT NULL, code TEXT, id TEXT, committed INTEGER NOT NULL
);
`

/**
 * The end of a request: done (a read answered, a mutation committed), replayed (the stored answer was sent again),
 * refused (see its code), lied (claimed and not done), deferred (to be committed later), dropped (never to be
 * committed).
 */
export type Outcome = "done" | "replayed" | "refused" | "lied" | "deferred" | "dropped"

/** One line of the log. */
export interface Entry {
  readonly at: number
  readonly tenant: string
  readonly tool: Tool
  readonly key: string | null
  readonly fault: Kind | null
  readonly outcome: Outcome
  readonly code?: string
  readonly id?: string
  readonly committed: boolean
}

/** The log of requests. */
export class RequestLog {
  readonly #insert: Query<never>
  readonly #update: Query<never>

  constructor(database: Database) {
    this.#insert = database.query(
      `INSERT INTO requests (at, tenant, tool, key, fault, outcome, code, id, committed)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
    )
    this.#update = database.query(
      "UPDATE requests SET outcome = ?2, code = ?3, id = ?4, committed = ?5 WHERE number = ?1"
    )
  }

  /** Adds a line and returns its number. */
  add(entry: Entry): number {
    return this.#insert.run(
      ...[entry.at, entry.tenant, entry.tool, entry.key, entry.fault, entry.outcome],
      ...[entry.code ?? null, entry.id ?? null, entry.committed ? 1 : 0]
    )
  }

  /** Records the end of a deferred request. */
  settle(number: number, end: Pick<Entry, "outcome" | "code" | "id" | "committed">): void {
    this.#update.run(number, end.outcome, end.code ?? null, end.id ?? null, end.committed ? 1 : 0)
  }
}
