/** Scheduled flights and the seats left on them. */
import type { Database, Query } from "./Database.ts"
import * as Seed from "./Seed.ts"
import * as View from "./View.ts"

/** Tables of this noun. */
export const schema = `
CREATE TABLE IF NOT EXISTS flights (
  flight TEXT PRIMARY KEY, number TEXT NOT NULL,
  "from" TEXT NOT NULL, fromCity TEXT NOT NULL, "to" TEXT NOT NULL, toCity TEXT NOT NULL,
  date TEXT NOT NULL, departs TEXT NOT NULL, arrives TEXT NOT NULL,
  price INTEGER NOT NULL, currency TEXT NOT NULL, refundable INTEGER NOT NULL,
  capacity INTEGER NOT NULL, sold INTEGER NOT NULL DEFAULT 0,
  soldBefore INTEGER NOT NULL DEFAULT 0, changedAt INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS flightsByDate ON flights (date);
`

/** A stored flight. */
export type FlightRow = {
  readonly flight: string
  readonly number: string
  readonly from: string
  readonly fromCity: string
  readonly to: string
  readonly toCity: string
  readonly date: string
  readonly departs: string
  readonly arrives: string
  readonly price: number
  readonly currency: string
  readonly refundable: number
  readonly capacity: number
  readonly sold: number
  readonly soldBefore: number
  readonly changedAt: number
}

/** The flights of the world. */
export class Flights {
  readonly #insert: Query<FlightRow>
  readonly #search: Query<FlightRow>
  readonly #find: Query<FlightRow>
  readonly #other: Query<FlightRow>
  readonly #sell: Query<FlightRow>

  constructor(database: Database) {
    this.#insert = database.query(
      `INSERT OR IGNORE INTO flights (flight, number, "from", fromCity, "to", toCity, date, departs, arrives, price,
       currency, refundable, capacity) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
    )
    this.#search = database.query(
      `SELECT * FROM flights WHERE date = ?1 AND ("from" = ?2 COLLATE NOCASE OR fromCity = ?2 COLLATE NOCASE)
       AND ("to" = ?3 COLLATE NOCASE OR toCity = ?3 COLLATE NOCASE) ORDER BY departs, flight`
    )
    this.#find = database.query("SELECT * FROM flights WHERE flight = ?")
    this.#other = database.query(
      `SELECT * FROM flights WHERE flight <> ?1 AND sold < capacity
       ORDER BY date <> (SELECT date FROM flights WHERE flight = ?1), "to" <> (SELECT "to" FROM flights WHERE flight = ?1),
       flight LIMIT 1`
    )
    this.#sell = database.query(
      "UPDATE flights SET soldBefore = sold, sold = sold + ?2, changedAt = ?3 WHERE flight = ?1"
    )
  }

  /** Writes the missing rows of the seed; `capacity` replaces the seats of every flight that has any. */
  seed(capacity: number | undefined): void {
    for (const flight of Seed.flights) {
      this.#insert.run(
        ...[flight.flight, flight.number, flight.from, flight.fromCity, flight.to, flight.toCity, flight.date],
        ...[flight.departs, flight.arrives, flight.price, flight.currency, flight.refundable ? 1 : 0],
        flight.capacity === 0 ? 0 : (capacity ?? flight.capacity)
      )
    }
  }

  /** Flights on a day between two places, each named by its code or its city. */
  search(options: { readonly from: string; readonly to: string; readonly date: string; readonly view: View.View }) {
    return {
      flights: this.#search.all(options.date, options.from, options.to).map((row) => ({
        flight: row.flight,
        number: row.number,
        from: row.from,
        fromCity: row.fromCity,
        to: row.to,
        toCity: row.toCity,
        date: row.date,
        departs: row.departs,
        arrives: row.arrives,
        price: row.price,
        currency: row.currency,
        refundable: row.refundable === 1,
        cancellationFee: cancellationFee(row),
        seats: row.capacity - View.counter(options.view, row)
      }))
    }
  }

  /** The flight of that name. */
  find(flight: string): FlightRow | undefined {
    return this.#find.one(flight)
  }

  /** Another flight with a free seat, the same day and destination first. */
  other(flight: string): FlightRow | undefined {
    return this.#other.one(flight)
  }

  /** Takes (1) or returns (-1) a seat. */
  sell(flight: string, seats: 1 | -1, now: number): void {
    this.#sell.run(flight, seats, now)
  }
}

/** Computes the fee that the airline keeps when a passenger cancels. */
export const cancellationFee = (flight: FlightRow): number =>
  flight.refundable === 1 ? 0 : Math.floor((flight.price * 6) / 10)
