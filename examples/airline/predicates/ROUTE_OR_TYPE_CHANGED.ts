/** The flights of a reservation began and ended at the places that its route and trip type demand, and no longer do. */
import type { Change, Reservation } from "../World.ts"

export default ({ before, key, row }: Change<Reservation>): boolean => {
  const fits = ({ destination, flight_type, flights, origin }: Reservation): boolean =>
    flights[0]?.origin === origin &&
    flights[flights.length - 1]?.destination === (flight_type === "round_trip" ? origin : destination)
  const previous = before.world.reservations?.get(key)
  return previous !== undefined && fits(previous) && !fits(row)
}
