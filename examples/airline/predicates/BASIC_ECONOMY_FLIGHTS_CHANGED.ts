/**
 * The flights of a reservation in basic economy change. Its cabin is the one last requested or, if none was, the one
 * on record.
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
