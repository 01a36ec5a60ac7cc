/**
 * The rows with which the world begins, the same every time.
 *
 * Prices are integers in minor units (centimes). Flights leave on the seven days from 18 December 2026; rooms exist on
 * any night.
 */

/** A scheduled flight. */
export interface SeedFlight {
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
  readonly refundable: boolean
  readonly capacity: number
}

const dates = ["2026-12-18", "2026-12-19", "2026-12-20", "2026-12-21", "2026-12-22", "2026-12-23", "2026-12-24"]

const cities: Readonly<Record<string, string>> = {
  BSL: "Basel",
  LUG: "Lugano",
  LCY: "London",
  LHR: "London",
  BER: "Berlin"
}

// number, from, to, departs, arrives, price, refundable, seats
const schedule: ReadonlyArray<readonly [string, string, string, string, string, number, boolean, number]> = [
  ["RH101", "BSL", "LUG", "07:10", "08:00", 18_400, true, 40],
  ["RH103", "BSL", "LUG", "17:45", "18:35", 14_900, false, 30],
  ["RH105", "BSL", "LUG", "21:10", "22:00", 9_900, false, 0],
  ["RH104", "LUG", "BSL", "09:00", "09:50", 17_200, true, 40],
  ["RH201", "BSL", "LCY", "06:50", "08:30", 21_900, false, 60],
  ["RH203", "BSL", "LHR", "12:20", "14:05", 25_900, true, 80],
  ["RH202", "LCY", "BSL", "19:30", "21:10", 22_400, false, 60],
  ["RH301", "BSL", "BER", "10:15", "11:45", 16_500, false, 50]
]

/** Flights: the same schedule on seven days. Each later day costs two francs more. */
export const flights: ReadonlyArray<SeedFlight> = dates.flatMap((date, day) =>
  schedule.map(([number, from, to, departs, arrives, price, refundable, capacity]) => ({
    flight: `${number}-${date}`,
    number,
    from,
    fromCity: cities[from]!,
    to,
    toCity: cities[to]!,
    date,
    departs,
    arrives,
    price: price + day * 200,
    currency: "CHF",
    refundable,
    capacity
  }))
)

/** Hotels, with rooms for each night. */
export const hotels: ReadonlyArray<{
  readonly hotel: string
  readonly name: string
  readonly city: string
  readonly price: number
  readonly currency: string
  readonly refundable: boolean
  readonly capacity: number
}> = [
  { hotel: "lago", name: "Albergo del Lago", city: "Lugano", price: 14_500, refundable: true, capacity: 20 },
  { hotel: "parco", name: "Casa del Parco", city: "Lugano", price: 9_800, refundable: false, capacity: 12 },
  { hotel: "stella", name: "Pensione Stella", city: "Lugano", price: 6_400, refundable: false, capacity: 0 },
  { hotel: "thames", name: "Thames House", city: "London", price: 23_900, refundable: true, capacity: 25 },
  { hotel: "camden", name: "Camden Rooms", city: "London", price: 13_200, refundable: false, capacity: 15 },
  { hotel: "rhein", name: "Haus am Rhein", city: "Basel", price: 17_800, refundable: true, capacity: 10 },
  { hotel: "spree", name: "Spreehof", city: "Berlin", price: 11_900, refundable: false, capacity: 18 }
].map((hotel) => ({ ...hotel, currency: "CHF" }))

/** Cards: without a limit, with a limit of CHF 600, always declined, and one in another currency. */
export const cards: ReadonlyArray<{
  readonly card: string
  readonly currency: string
  readonly spendingLimit: number | null
  readonly blocked: boolean
}> = [
  { card: "card-anna", currency: "CHF", spendingLimit: null, blocked: false },
  { card: "card-ben", currency: "CHF", spendingLimit: 60_000, blocked: false },
  { card: "card-declined", currency: "CHF", spendingLimit: null, blocked: true },
  { card: "card-euro", currency: "EUR", spendingLimit: null, blocked: false }
]
