/**
 * A reservation is cancelled although it was made more than a day ago, has no flight that the airline cancelled, is
 * not in business and is not insured.
 */
import type { Change, Reservation } from "../World.ts"

export default ({ row, world }: Change<Reservation>): boolean =>
  row.status === "cancelled" &&
  row.created_at < "2024-05-14T15:00:00" &&
  row.cabin !== "business" &&
  row.insurance !== "yes" &&
  !row.flights.some(({ date, flight_number }) => world.flights.get(flight_number)?.dates[date]?.status === "cancelled")
