/** Reservations of a traveller: finds one, cancels it against a fee, and reads it. */
import type { Database, Query, Row } from "./Database.ts"
import { noOtherTarget, notFound, refused } from "./DomainError.ts"
import type { Twist } from "./Receipt.ts"
import * as View from "./View.ts"

/** The columns that every reservation has. */
export type Reserved = Row & {
  readonly number: number
  readonly tenant: string
  readonly status: string
  readonly price: number
  readonly cancellationFee: number
  readonly refunded: number
  readonly createdAt: number
  readonly changedAt: number | null
  readonly statusBefore: string | null
}

/** One kind of reservation: its name in messages, its table, the column of its id, and the name of its id. */
export interface Kind {
  readonly noun: string
  readonly table: string
  readonly column: string
  readonly id: string
}

/** A request of a tenant about one reservation. */
export interface Order {
  readonly tenant: string
  readonly id: string
}

/** The reservations of one kind. */
export class Reservations<A extends Reserved> {
  readonly #kind: Kind
  readonly #find: Query<A>
  readonly #other: Query<A>
  readonly #cancel: Query<A>
  /** The last number that was given. */
  readonly last: number

  constructor(database: Database, kind: Kind) {
    const { column, table } = kind
    this.#kind = kind
    this.#find = database.query(`SELECT * FROM ${table} WHERE ${column} = ? AND tenant = ?`)
    this.#other = database.query(
      `SELECT * FROM ${table} WHERE ${column} <> ? AND tenant = ? AND status <> 'cancelled' ORDER BY number DESC LIMIT 1`
    )
    this.#cancel = database.query(
      `UPDATE ${table} SET statusBefore = status, status = 'cancelled', refunded = ?2, changedAt = ?3 WHERE number = ?1`
    )
    this.last = database.query<{ last: number | null }>(`SELECT MAX(number) AS last FROM ${table}`).one()?.last ?? 0
  }

  /**
   * Cancels a reservation and returns the price minus the fee; if it is done only in part, nothing. Answers the claim
   * about it.
   */
  cancel({ id, tenant }: Order, twist: Twist, now: number, release: (row: A) => void): A {
    const { noun } = this.#kind
    const asked = this.#find.one(id, tenant)
    if (asked === undefined) throw this.#unknown(id)
    if (asked.status === "cancelled") {
      const subject = `${noun[0]?.toUpperCase()}${noun.slice(1)}`
      throw refused("already_cancelled", `${subject} ${id} is already cancelled; there is nothing to undo`)
    }
    const row = twist === "wrong_target" ? this.#other.one(id, tenant) : asked
    if (row === undefined) throw noOtherTarget(`${noun} ${id}`)
    if (twist !== "lie") {
      this.#cancel.run(row.number, twist === "partial" ? 0 : row.price - row.cancellationFee, now)
      release(row)
    }
    return { ...asked, status: "cancelled", refunded: asked.price - asked.cancellationFee }
  }

  /** A reservation as a reader sees it, and the version that this is. */
  read({ id, tenant, view }: Order & { readonly view: View.View }): { readonly row: A; readonly version: number } {
    const row = this.#find.one(id, tenant)
    if (row === undefined) throw this.#unknown(id)
    const written = row.changedAt === null ? [row.createdAt] : [row.createdAt, row.changedAt]
    const version = View.version(view, written)
    if (version === 0) throw this.#unknown(id)
    const before = row.statusBefore ?? row.status
    return { row: version === 1 ? { ...row, status: before, refunded: 0 } : row, version }
  }

  #unknown(id: string) {
    const { noun } = this.#kind
    return notFound(`${noun}_not_found`, `No ${noun} ${id}; check the ${this.#kind.id} and the tenant`)
  }
}
