/** Hotels and the rooms left in them, night by night. */
import * as CalendarDate from "./CalendarDate.ts"
import type { Database, Query } from "./Database.ts"
import * as Seed from "./Seed.ts"
import * as View from "./View.ts"

/** Tables of this noun. */
export const schema = `
CREATE TABLE IF NOT EXISTS hotels (
  hotel TEXT PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL,
  price INTEGER NOT NULL, currency TEXT NOT NULL, refundable INTEGER NOT NULL, capacity INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS nights (
  hotel TEXT NOT NULL REFERENCES hotels, date TEXT NOT NULL,
  sold INTEGER NOT NULL, soldBefore INTEGER NOT NULL, changedAt INTEGER NOT NULL,
  PRIMARY KEY (hotel, date)
) WITHOUT ROWID;
`

/** A stored hotel. */
export type HotelRow = {
  readonly hotel: string
  readonly name: string
  readonly city: string
  readonly price: number
  readonly currency: string
  readonly refundable: number
  readonly capacity: number
}

type NightRow = { readonly sold: number; readonly soldBefore: number; readonly changedAt: number }

/** Consecutive nights, the first by its date. */
export interface Nights {
  readonly from: string
  readonly nights: number
}

/** The hotels of the world. */
export class Hotels {
  readonly #insert: Query<HotelRow>
  readonly #search: Query<HotelRow>
  readonly #find: Query<HotelRow>
  readonly #others: Query<HotelRow>
  readonly #night: Query<NightRow>
  readonly #sell: Query<NightRow>

  constructor(database: Database) {
    this.#insert = database.query("INSERT OR IGNORE INTO hotels VALUES (?, ?, ?, ?, ?, ?, ?)")
    this.#search = database.query("SELECT * FROM hotels WHERE city = ? COLLATE NOCASE ORDER BY hotel")
    this.#find = database.query("SELECT * FROM hotels WHERE hotel = ?")
    this.#others = database.query(
      `SELECT * FROM hotels WHERE hotel <> ?1 AND capacity > 0
       ORDER BY city <> (SELECT city FROM hotels WHERE hotel = ?1), hotel`
    )
    this.#night = database.query("SELECT sold, soldBefore, changedAt FROM nights WHERE hotel = ? AND date = ?")
    this.#sell = database.query(
      `INSERT INTO nights VALUES (?1, ?2, ?3, 0, ?4)
       ON CONFLICT DO UPDATE SET soldBefore = sold, sold = sold + ?3, changedAt = ?4`
    )
  }

  /** Writes the missing rows of the seed; `capacity` replaces the rooms of every hotel that has any. */
  seed(capacity: number | undefined): void {
    for (const hotel of Seed.hotels) {
      this.#insert.run(
        ...[hotel.hotel, hotel.name, hotel.city, hotel.price, hotel.currency, hotel.refundable ? 1 : 0],
        hotel.capacity === 0 ? 0 : (capacity ?? hotel.capacity)
      )
    }
  }

  /** Hotels of a city with the rooms that are free on all the nights. */
  search(options: Nights & { readonly city: string; readonly view: View.View }) {
    return {
      hotels: this.#search.all(options.city).map((row) => ({
        hotel: row.hotel,
        name: row.name,
        city: row.city,
        from: options.from,
        nights: options.nights,
        pricePerNight: row.price,
        price: row.price * options.nights,
        currency: row.currency,
        refundable: row.refundable === 1,
        cancellationFee: cancellationFee(row),
        rooms: this.rooms(row, options, options.view)
      }))
    }
  }

  /** Rooms that are free on all the nights. */
  rooms(hotel: HotelRow, stay: Nights, view: View.View): number {
    let sold = 0
    for (let night = 0; night < stay.nights; night++) {
      const row = this.#night.one(hotel.hotel, CalendarDate.plusDays(stay.from, night))
      if (row !== undefined) sold = Math.max(sold, View.counter(view, row))
    }
    return hotel.capacity - sold
  }

  /** The hotel of that name. */
  find(hotel: string): HotelRow | undefined {
    return this.#find.one(hotel)
  }

  /** Another hotel with a room on all the nights, the same city first. */
  other(hotel: string, stay: Nights): HotelRow | undefined {
    return this.#others.all(hotel).find((row) => this.rooms(row, stay, View.current) > 0)
  }

  /** Takes (1) or returns (-1) a room on each of the nights. */
  sell(hotel: string, stay: Nights, rooms: 1 | -1, now: number): void {
    for (let night = 0; night < stay.nights; night++) {
      this.#sell.run(hotel, CalendarDate.plusDays(stay.from, night), rooms, now)
    }
  }
}

/** Computes the fee that the hotel keeps when a guest cancels: nothing, or one night. */
export const cancellationFee = (hotel: HotelRow): number => (hotel.refundable === 1 ? 0 : hotel.price)
