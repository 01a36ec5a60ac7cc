/**
 * A statement that changes rows and answers none, on the shortest path through the driver.
 *
 * The driver's own query asks the server to describe the result, and allocates rows, fields and events for it. A
 * commit needs none of that, and happens twice for every step of an agent.
 */
import type { Connection, Submittable } from "pg"
import type { Query } from "../queries/Queries.ts"

/** Called when a change has ended, with the driver's error or the number of changed rows. */
type Done = (cause: unknown, changed: number) => void

/** A change in the form for a client of the driver. Values are texts and bytes, as they are sent. */
export class ChangeStatement implements Submittable {
  // The driver remembers by name and text which statements the server has prepared on this connection.
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
