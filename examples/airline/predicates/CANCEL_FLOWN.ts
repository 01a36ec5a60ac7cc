/** A reservation is cancelled although one of its flights has landed or is in the air. */
import type { Change, Reservation } from "../World.ts"

export default ({ row, world }: Change<Reservation>): boolean =>
  row.status === "cancelled" &&
  row.flights.some(({ date, flight_number }) => {
    const status = world.flights.get(flight_number)?.dates[date]?.status
    return status === "landed" || status === "flying"
  })
