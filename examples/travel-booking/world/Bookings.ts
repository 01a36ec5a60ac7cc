/**
 * Seats that travellers hold on flights.
 *
 * If the fare is not refundable, a cancellation undoes a booking only in part: the airline keeps its fee.
 */
import type { Database, Query } from "./Database.ts"
import { noOtherTarget, notFound, refused } from "./DomainError.ts"
import { cancellationFee, type Flights } from "./Flights.ts"
import type { Receipt, Twist } from "./Receipt.ts"
import * as Reference from "./Reference.ts"
import { type Order, Reservations, type Reserved } from "./Reservations.ts"
import type * as View from "./View.ts"

/** Tables of this noun. */
export const schema = `
CREATE TABLE IF NOT EXISTS bookings (
  number INTEGER PRIMARY KEY, pnr TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL,
  flight TEXT NOT NULL REFERENCES flights, traveller TEXT NOT NULL, status TEXT NOT NULL,
  price INTEGER NOT NULL, currency TEXT NOT NULL, refundable INTEGER NOT NULL, cancellationFee INTEGER NOT NULL,
  refunded INTEGER NOT NULL DEFAULT 0, createdAt INTEGER NOT NULL, changedAt INTEGER,
  statusBefore TEXT
);
`

type BookingRow = Reserved & {
  readonly pnr: string
  readonly flight: string
  readonly traveller: string
  readonly currency: string
  readonly refundable: number
}

/** The bookings of the world. */
export class Bookings {
  readonly #flights: Flights
  readonly #insert: Query<BookingRow>
  readonly #reserved: Reservations<BookingRow>
  #last: number
  #phantoms = 0

  constructor(database: Database, flights: Flights) {
    this.#flights = flights
    this.#insert = database.query(
      `INSERT INTO bookings (number, pnr, tenant, flight, traveller, status, price, currency, refundable,
       cancellationFee, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
    )
    this.#reserved = new Reservations(database, { noun: "booking", table: "bookings", column: "pnr", id: "code" })
    this.#last = this.#reserved.last
  }

  /** Books a seat. If it is done only in part, the booking is on hold and not confirmed. */
  book(
    order: { readonly tenant: string; readonly flight: string; readonly traveller: string },
    twist: Twist,
    now: number
  ): Receipt {
    const asked = this.#flights.find(order.flight)
    if (asked === undefined) {
      throw notFound("flight_not_found", `No flight ${order.flight}; search for flights first`)
    }
    const flight = twist === "wrong_target" ? this.#flights.other(order.flight) : asked
    if (flight === undefined) throw noOtherTarget(`flight ${order.flight}`)
    if (flight.sold >= flight.capacity) {
      throw refused("sold_out", `Flight ${flight.flight} has no seat left; choose another flight`)
    }
    const pnr = Reference.pnr(twist === "lie" ? Reference.phantom + ++this.#phantoms : ++this.#last)
    const claimed = {
      number: this.#last,
      pnr,
      tenant: order.tenant,
      flight: asked.flight,
      traveller: order.traveller,
      status: "confirmed",
      price: asked.price,
      currency: asked.currency,
      refundable: asked.refundable,
      cancellationFee: cancellationFee(asked),
      refunded: 0,
      createdAt: now,
      changedAt: null,
      statusBefore: null
    }
    if (twist !== "lie") {
      this.#insert.run(
        ...[this.#last, pnr, order.tenant, flight.flight, order.traveller],
        ...[twist === "partial" ? "on_hold" : "confirmed", flight.price, flight.currency, flight.refundable],
        ...[cancellationFee(flight), now]
      )
      this.#flights.sell(flight.flight, 1, now)
    }
    return { kind: "booking", id: pnr, status: 201, body: toJson(claimed, 1) }
  }

  /** Cancels a booking and returns the price minus the fee. If it is done only in part, nothing is returned. */
  cancel(order: Order, twist: Twist, now: number): Receipt {
    const claimed = this.#reserved.cancel(order, twist, now, ({ flight }) => this.#flights.sell(flight, -1, now))
    return { kind: "booking", id: order.id, status: 200, body: toJson(claimed, 2) }
  }

  /** The booking as a reader sees it. */
  read(order: Order & { readonly view: View.View }): unknown {
    const { row, version } = this.#reserved.read(order)
    return toJson(row, version)
  }
}

const toJson = (row: BookingRow, version: number) => ({
  pnr: row.pnr,
  flight: row.flight,
  traveller: row.traveller,
  status: row.status,
  price: row.price,
  currency: row.currency,
  refundable: row.refundable === 1,
  cancellationFee: row.cancellationFee,
  refunded: row.refunded,
  version
})
