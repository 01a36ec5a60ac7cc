/**
 * The books of the bank: accounts, transfers, reversals and letters, in a SQLite file of its own.
 *
 * A transfer or a reversal is booked under the key that came with it, once, in
 * one transaction. A letter has no key: each request is one more letter.
 */
import { DatabaseSync, type SQLOutputValue } from "node:sqlite"

type Row = Record<string, SQLOutputValue>

/** A booked transfer. Amounts are in centimes. */
export type Transfer = {
  readonly id: string
  readonly source: string
  readonly target: string
  readonly amount: number
  readonly key: string
  readonly status: "booked" | "reversed"
}

/** The booking that reverses a transfer. */
export type Reversal = {
  readonly id: string
  readonly transfer: string
  readonly key: string
}

/** A letter that was posted. */
export type Letter = {
  readonly id: string
  readonly recipient: string
  readonly text: string
}

/** Everything that the bank has on its books. */
export interface Everything {
  readonly transfers: ReadonlyArray<Transfer>
  readonly reversals: ReadonlyArray<Reversal>
  readonly letters: ReadonlyArray<Letter>
}

/** A request that the bank understood and declines: nothing was booked. */
export class Declined extends Error {
  readonly status: 404 | 409 | 422

  constructor(status: 404 | 409 | 422, message: string) {
    super(message)
    this.status = status
  }
}

const schema = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS account (name TEXT PRIMARY KEY, balance INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS transfer (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, target TEXT NOT NULL, amount INTEGER NOT NULL,
    key TEXT NOT NULL UNIQUE, status TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS reversal (id TEXT PRIMARY KEY, transfer TEXT NOT NULL, key TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS letter (id TEXT PRIMARY KEY, recipient TEXT NOT NULL, text TEXT NOT NULL);
  INSERT OR IGNORE INTO account VALUES ('household', 500000), ('landlord', 0), ('power', 0), ('savings', 0);
`

/** Open books. */
export class Books {
  readonly #database: DatabaseSync

  constructor(filename: string) {
    this.#database = new DatabaseSync(filename)
    this.#database.exec(schema)
  }

  balance(name: string): { readonly account: string; readonly balance: number } | undefined {
    const row = this.#database.prepare("SELECT balance FROM account WHERE name = ?").get(name)
    return row === undefined ? undefined : { account: name, balance: Number(row["balance"]) }
  }

  transferOf(key: string): Transfer | undefined {
    return this.#one<Transfer>("SELECT * FROM transfer WHERE key = ?", key)
  }

  transfer(id: string): Transfer | undefined {
    return this.#one<Transfer>("SELECT * FROM transfer WHERE id = ?", id)
  }

  reversalOf(key: string): Reversal | undefined {
    return this.#one<Reversal>("SELECT * FROM reversal WHERE key = ?", key)
  }

  everything(): Everything {
    return {
      letters: this.#all<Letter>("SELECT * FROM letter"),
      reversals: this.#all<Reversal>("SELECT * FROM reversal"),
      transfers: this.#all<Transfer>("SELECT * FROM transfer")
    }
  }

  /** Books a transfer, or answers the one that was booked under the key. */
  book(asked: { readonly source: string; readonly target: string; readonly amount: number }, key: string): Transfer {
    return this.#atomically(() => {
      const { amount, source, target } = asked
      const known = this.transferOf(key)
      if (known !== undefined) {
        if (known.source === source && known.target === target && known.amount === amount) return known
        throw new Declined(409, `key ${key} stands for another transfer`)
      }
      if (!Number.isInteger(amount) || amount <= 0) throw new Declined(422, `no amount: ${amount}`)
      const from = this.balance(source)
      if (from === undefined || this.balance(target) === undefined) throw new Declined(404, "no such account")
      if (from.balance < amount) throw new Declined(422, `${source} has ${from.balance}, and not ${amount}`)
      this.#move(source, target, amount)
      const id = `T${this.#count("transfer") + 1}`
      this.#database
        .prepare("INSERT INTO transfer VALUES (?, ?, ?, ?, ?, 'booked')")
        .run(id, source, target, amount, key)
      return { amount, id, key, source, status: "booked", target }
    })
  }

  /** Reverses a transfer, or answers the reversal that was booked under the key. */
  reverse(id: string, key: string): Reversal {
    return this.#atomically(() => {
      const known = this.reversalOf(key)
      if (known !== undefined) {
        if (known.transfer === id) return known
        throw new Declined(409, `key ${key} stands for another reversal`)
      }
      const transfer = this.transfer(id)
      if (transfer === undefined) throw new Declined(404, `no transfer ${id}`)
      if (transfer.status === "reversed") throw new Declined(409, `${id} is reversed already`)
      this.#move(transfer.target, transfer.source, transfer.amount)
      this.#database.prepare("UPDATE transfer SET status = 'reversed' WHERE id = ?").run(id)
      const reversal = { id: `R${this.#count("reversal") + 1}`, key, transfer: id }
      this.#database.prepare("INSERT INTO reversal VALUES (?, ?, ?)").run(reversal.id, id, key)
      return reversal
    })
  }

  /** Posts one more letter with each call. */
  post(recipient: string, text: string): Letter {
    return this.#atomically(() => {
      const letter = { id: `L${this.#count("letter") + 1}`, recipient, text }
      this.#database.prepare("INSERT INTO letter VALUES (?, ?, ?)").run(letter.id, recipient, text)
      return letter
    })
  }

  close(): void {
    this.#database.close()
  }

  #move(source: string, target: string, amount: number): void {
    const change = this.#database.prepare("UPDATE account SET balance = balance + ? WHERE name = ?")
    change.run(-amount, source)
    change.run(amount, target)
  }

  #count(table: "letter" | "reversal" | "transfer"): number {
    return Number(this.#database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"])
  }

  #one<A>(sql: string, value: string): A | undefined {
    return this.#database.prepare(sql).get(value) as A | undefined
  }

  #all<A extends Row>(sql: string): ReadonlyArray<A> {
    return this.#database.prepare(sql).all() as Array<A>
  }

  #atomically<A>(body: () => A): A {
    this.#database.exec("BEGIN IMMEDIATE")
    try {
      const answer = body()
      this.#database.exec("COMMIT")
      return answer
    } catch (error) {
      this.#database.exec("ROLLBACK")
      throw error
    }
  }
}
