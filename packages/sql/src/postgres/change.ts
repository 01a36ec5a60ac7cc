/**
 * A statement that changes rows and answers none, as short a way through the driver as it has.
 *
 * The driver's own query asks the server to describe what it will answer, and
 * keeps rows, fields and events for it. A commit needs none of that, and is
 * made twice for every step of an agent.
 */
import type { Connection, Submittable } from "pg"
import type { Query } from "../queries/Queries.ts"

/** Called when a change has ended: with the driver's error, or with how many rows were changed. */
type Done = (cause: unknown, changed: number) => void

/** A change that a client of the driver can be given. Values are texts and bytes, as they are sent. */
export class Change implements Submittable {
  // The driver remembers by name and text what the server has prepared on this connection.
  readonly name: string
  readonly text: string
  readonly #values: Array<string | Buffer>
  readonly #done: Done
  #changed = 0

  constructor(query: Query<unknown>, values: ReadonlyArray<string | Buffer>, done: Done) {
    this.name = query.name
    this.text = query.sql
    this.#values = values as Array<string | Buffer>
    this.#done = done
  }

  submit(connection: Connection & { readonly parsedStatements?: Readonly<Record<string, string>> }): void {
    // One write for all messages.
    connection.stream.cork()
    if (connection.parsedStatements?.[this.name] === undefined) {
      connection.parse({ name: this.name, text: this.text, types: [] }, true)
    }
    connection.bind({ statement: this.name, values: this.#values }, true)
    connection.execute({}, true)
    connection.sync()
    connection.stream.uncork()
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#changed = Number(text.slice(text.lastIndexOf(" ") + 1))
  }

  handleError(cause: unknown): void {
    this.#done(cause, 0)
  }

  handleReadyForQuery(): void {
    this.#done(undefined, this.#changed)
  }
}
