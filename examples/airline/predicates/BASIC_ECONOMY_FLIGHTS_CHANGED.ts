/**
 * The flights of a reservation change that was in basic economy, by the cabin last asked for or else the one on record.
 */
import type { Change, Reservation } from "../World.ts"

export default ({ before, key, row }: Change<Reservation>): boolean => {
  const previous = before.world.reservations?.get(key)
  const cabin = before.world.cabins?.get(key)?.cabin ?? previous?.cabin
  if (previous === undefined || cabin !== "basic_economy") return false
  return (
    row.flights.length !== previous.flights.length ||
    row.flights.some(({ date, flight_number }, index) => {
      const was = previous.flights[index]
      return was === undefined || was.date !== date || was.flight_number !== flight_number
    })
  )
}
