/**
 * The requests for which keys stand, and their answers.
 *
 * A key belongs to one tenant. It is written in the transaction of the mutation that it names, so the world has
 * either both or neither. After the retention it is forgotten, and the same key executes again.
 */
import { hash } from "node:crypto"
import type { Command } from "./Command.ts"
import type { Database, Query } from "./Database.ts"
import type { Mutation } from "./Tool.ts"

/** Tables of this noun. */
export const schema = `
CREATE TABLE IF NOT EXISTS keys (
  tenant TEXT NOT NULL, key TEXT NOT NULL, tool TEXT NOT NULL, requestHash TEXT NOT NULL, state TEXT NOT NULL,
  kind TEXT, id TEXT, status INTEGER, response TEXT, createdAt INTEGER NOT NULL,
  PRIMARY KEY (tenant, key)
) WITHOUT ROWID;
`

/** A stored key. `response` is the body as it was sent. */
export type KeyRow = {
  readonly tenant: string
  readonly key: string
  readonly tool: Mutation
  readonly requestHash: string
  readonly state: "pending" | "done"
  readonly kind: string | null
  readonly id: string | null
  readonly status: number | null
  readonly response: string | null
  readonly createdAt: number
}

/** The row that is stored when a request is settled; `kind` and `id` are null if the request was refused. */
export interface Settled {
  readonly kind: string | null
  readonly id: string | null
  readonly status: number
  readonly response: string
}

/** The idempotency keys of all tenants. */
export class IdempotencyKeys {
  readonly #find: Query<KeyRow>
  readonly #put: Query<KeyRow>
  readonly #forget: Query<KeyRow>
  readonly #dropPending: Query<KeyRow>
  readonly #retentionMillis: number

  constructor(database: Database, retentionMillis: number) {
    this.#retentionMillis = retentionMillis
    this.#find = database.query("SELECT * FROM keys WHERE tenant = ? AND key = ?")
    this.#put = database.query("INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    this.#forget = database.query("DELETE FROM keys WHERE tenant = ? AND key = ?")
    this.#dropPending = database.query("DELETE FROM keys WHERE state = 'pending'")
  }

  /** The key, unless it is unknown to the tenant or its retention is over. */
  find(tenant: string, key: string, now: number): KeyRow | undefined {
    const row = this.#find.one(tenant, key)
    if (row === undefined || row.state === "pending" || now - row.createdAt < this.#retentionMillis) return row
    this.#forget.run(tenant, key)
    return undefined
  }

  /** Reserves a key for a commit that is under way. */
  reserve(request: { readonly tenant: string; readonly key: string; readonly command: Command }, now: number): void {
    const { command, key, tenant } = request
    this.#put.run(tenant, key, command.tool, requestHash(command), "pending", null, null, null, null, now)
  }

  /** Stores the answer under its key. */
  settle(
    request: { readonly tenant: string; readonly key: string; readonly command: Command },
    settled: Settled,
    now: number
  ): void {
    const { command, key, tenant } = request
    this.#put.run(
      ...[tenant, key, command.tool, requestHash(command), "done"],
      ...[settled.kind, settled.id, settled.status, settled.response, now]
    )
  }

  /** Forgets a key. */
  forget(tenant: string, key: string): void {
    this.#forget.run(tenant, key)
  }

  /** Forgets the keys of commits whose process died before it made them. */
  dropPending(): void {
    this.#dropPending.run()
  }
}

/** Digest of the content of a request, independent of the order and spacing of its body. */
export const requestHash = (command: Command): string => hash("sha256", JSON.stringify(command))
