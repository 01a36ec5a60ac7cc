/** Rooms that guests hold in hotels. */
import type { Database, Query } from "./Database.ts"
import { noOtherTarget, notFound, refused } from "./DomainError.ts"
import { cancellationFee, type Hotels } from "./Hotels.ts"
import type { Receipt, Twist } from "./Receipt.ts"
import * as Reference from "./Reference.ts"
import { type Order, Reservations, type Reserved } from "./Reservations.ts"
import * as View from "./View.ts"

/** Tables of this noun. */
export const schema = `
CREATE TABLE IF NOT EXISTS stays (
  number INTEGER PRIMARY KEY, stay TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL,
  hotel TEXT NOT NULL REFERENCES hotels, guest TEXT NOT NULL, "from" TEXT NOT NULL, nights INTEGER NOT NULL,
  status TEXT NOT NULL, price INTEGER NOT NULL, currency TEXT NOT NULL, refundable INTEGER NOT NULL,
  cancellationFee INTEGER NOT NULL, refunded INTEGER NOT NULL DEFAULT 0, createdAt INTEGER NOT NULL, changedAt INTEGER,
  statusBefore TEXT
);
`

type StayRow = Reserved & {
  readonly stay: string
  readonly hotel: string
  readonly guest: string
  readonly from: string
  readonly nights: number
  readonly currency: string
  readonly refundable: number
}

/** The stays of the world. */
export class Stays {
  readonly #hotels: Hotels
  readonly #insert: Query<StayRow>
  readonly #reserved: Reservations<StayRow>
  #last: number
  #phantoms = 0

  constructor(database: Database, hotels: Hotels) {
    this.#hotels = hotels
    this.#insert = database.query(
      `INSERT INTO stays (number, stay, tenant, hotel, guest, "from", nights, status, price, currency, refundable,
       cancellationFee, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
    )
    this.#reserved = new Reservations(database, { noun: "stay", table: "stays", column: "stay", id: "id" })
    this.#last = this.#reserved.last
  }

  /** Books a room. If it is done only in part, the last night is missing; a stay of one night is on hold. */
  book(
    order: {
      readonly tenant: string
      readonly hotel: string
      readonly guest: string
      readonly from: string
      readonly nights: number
    },
    twist: Twist,
    now: number
  ): Receipt {
    const asked = this.#hotels.find(order.hotel)
    if (asked === undefined) throw notFound("hotel_not_found", `No hotel ${order.hotel}; search for hotels first`)
    const hotel = twist === "wrong_target" ? this.#hotels.other(order.hotel, order) : asked
    if (hotel === undefined) throw noOtherTarget(`hotel ${order.hotel}`)
    if (this.#hotels.rooms(hotel, order, View.current) <= 0) {
      throw refused("no_rooms", `Hotel ${hotel.hotel} is full on one of the nights; choose another hotel or date`)
    }
    const stay = Reference.numbered("ST", twist === "lie" ? Reference.phantom + ++this.#phantoms : ++this.#last)
    const claimed = {
      number: this.#last,
      stay,
      ...order,
      status: "confirmed",
      price: asked.price * order.nights,
      currency: asked.currency,
      refundable: asked.refundable,
      cancellationFee: cancellationFee(asked),
      refunded: 0,
      createdAt: now,
      changedAt: null,
      statusBefore: null
    }
    if (twist !== "lie") {
      const nights = twist === "partial" && order.nights > 1 ? order.nights - 1 : order.nights
      const status = twist === "partial" && order.nights === 1 ? "on_hold" : "confirmed"
      this.#insert.run(
        ...[this.#last, stay, order.tenant, hotel.hotel, order.guest, order.from, nights, status],
        ...[hotel.price * nights, hotel.currency, hotel.refundable, cancellationFee(hotel), now]
      )
      this.#hotels.sell(hotel.hotel, { from: order.from, nights }, 1, now)
    }
    return { kind: "stay", id: stay, status: 201, body: toJson(claimed, 1) }
  }

  /** Cancels a stay and returns the price minus the fee. If it is done only in part, nothing is returned. */
  cancel(order: Order, twist: Twist, now: number): Receipt {
    const claimed = this.#reserved.cancel(order, twist, now, (row) => this.#hotels.sell(row.hotel, row, -1, now))
    return { kind: "stay", id: order.id, status: 200, body: toJson(claimed, 2) }
  }

  /** The stay as a reader sees it. */
  read(order: Order & { readonly view: View.View }): unknown {
    const { row, version } = this.#reserved.read(order)
    return toJson(row, version)
  }
}

const toJson = (row: StayRow, version: number) => ({
  stay: row.stay,
  hotel: row.hotel,
  guest: row.guest,
  from: row.from,
  nights: row.nights,
  status: row.status,
  price: row.price,
  currency: row.currency,
  refundable: row.refundable === 1,
  cancellationFee: row.cancellationFee,
  refunded: row.refunded,
  version
})
