/** The systems of record of this world, over one database. */
import * as Bookings from "./Bookings.ts"
import type { Database } from "./Database.ts"
import * as Flights from "./Flights.ts"
import * as Hotels from "./Hotels.ts"
import * as IdempotencyKeys from "./IdempotencyKeys.ts"
import * as Messages from "./Messages.ts"
import * as Payments from "./Payments.ts"
import * as RequestLog from "./RequestLog.ts"
import * as Stays from "./Stays.ts"

/** All tables. */
export const schema: ReadonlyArray<string> = [
  Flights.schema,
  Bookings.schema,
  Hotels.schema,
  Stays.schema,
  Payments.schema,
  Messages.schema,
  IdempotencyKeys.schema,
  RequestLog.schema
]

/** One of each kind. */
export interface Records {
  readonly flights: Flights.Flights
  readonly bookings: Bookings.Bookings
  readonly hotels: Hotels.Hotels
  readonly stays: Stays.Stays
  readonly payments: Payments.Payments
  readonly messages: Messages.Messages
  readonly keys: IdempotencyKeys.IdempotencyKeys
  readonly log: RequestLog.RequestLog
}

/**
 * Opens the records and writes the missing rows of the seed. A commit that an earlier process had not made when it
 * ended will never be made, so its key is forgotten.
 */
export const open = (
  database: Database,
  options: { readonly keyRetentionMillis: number; readonly capacity: number | undefined }
): Records => {
  const flights = new Flights.Flights(database)
  const hotels = new Hotels.Hotels(database)
  const payments = new Payments.Payments(database)
  const keys = new IdempotencyKeys.IdempotencyKeys(database, options.keyRetentionMillis)
  database.transaction(() => {
    flights.seed(options.capacity)
    hotels.seed(options.capacity)
    payments.seed()
    keys.dropPending()
  })
  return {
    flights,
    bookings: new Bookings.Bookings(database, flights),
    hotels,
    stays: new Stays.Stays(database, hotels),
    payments,
    messages: new Messages.Messages(database),
    keys,
    log: new RequestLog.RequestLog(database)
  }
}
