/** Confirmations that were sent, and cannot be unsent. */
import type { Database, Query } from "./Database.ts"
import { notFound } from "./DomainError.ts"
import type { Receipt, Twist } from "./Receipt.ts"
import * as Reference from "./Reference.ts"
import * as View from "./View.ts"

/** Tables of this noun. */
export const schema = `
CREATE TABLE IF NOT EXISTS messages (
  number INTEGER PRIMARY KEY, message TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, "to" TEXT NOT NULL,
  template TEXT NOT NULL, body TEXT, status TEXT NOT NULL, createdAt INTEGER NOT NULL
);
`

type MessageRow = {
  readonly number: number
  readonly message: string
  readonly tenant: string
  readonly to: string
  readonly template: string
  readonly body: string | null
  readonly status: string
  readonly createdAt: number
}

/** The recipient of a message that goes to the wrong person. */
const stranger = "someone-else@example.com"

/** The messages of the world. */
export class Messages {
  readonly #insert: Query<MessageRow>
  readonly #find: Query<MessageRow>
  #last: number
  #phantoms = 0

  constructor(database: Database) {
    this.#insert = database.query("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    this.#find = database.query("SELECT * FROM messages WHERE message = ? AND tenant = ?")
    this.#last = database.query<{ last: number | null }>("SELECT MAX(number) AS last FROM messages").one()?.last ?? 0
  }

  /** Sends a message. If it is done only in part, the message stays queued and is not delivered. */
  send(
    order: { readonly tenant: string; readonly to: string; readonly template: string; readonly body: string | null },
    twist: Twist,
    now: number
  ): Receipt {
    const message = Reference.numbered("MS", twist === "lie" ? Reference.phantom + ++this.#phantoms : ++this.#last)
    if (twist !== "lie") {
      const to = twist === "wrong_target" ? stranger : order.to
      const status = twist === "partial" ? "queued" : "delivered"
      this.#insert.run(this.#last, message, order.tenant, to, order.template, order.body, status, now)
    }
    return { kind: "message", id: message, status: 201, body: toJson({ ...order, message, status: "delivered" }) }
  }

  /** The message as a reader sees it. */
  read(options: { readonly tenant: string; readonly id: string; readonly view: View.View }): unknown {
    const row = this.#find.one(options.id, options.tenant)
    if (row === undefined || View.version(options.view, [row.createdAt]) === 0) {
      throw notFound("message_not_found", `No message ${options.id}; check the id and the tenant`)
    }
    return toJson(row)
  }
}

const toJson = (row: Pick<MessageRow, "message" | "to" | "template" | "body" | "status">) => ({
  message: row.message,
  to: row.to,
  template: row.template,
  body: row.body,
  status: row.status,
  version: 1
})
