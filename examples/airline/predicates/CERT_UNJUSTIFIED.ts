/**
 * A user receives a certificate that no reservation justifies. A reservation of an eligible customer justifies 100 a
 * passenger for a cancelled flight, and 50 a passenger for a delayed one.
 */
import type { Change, User } from "../World.ts"

export default ({ before, key, row, world }: Change<User>): boolean => {
  const previous = before.world.users?.get(key)?.payment_methods
  const justified = (amount: number | undefined): boolean =>
    row.reservations.some((id) => {
      const reservation = world.reservations.get(id)
      if (reservation === undefined) return false
      const eligible =
        row.membership !== "regular" || reservation.insurance === "yes" || reservation.cabin === "business"
      return (
        eligible &&
        reservation.flights.some(({ date, flight_number }) => {
          const status = world.flights.get(flight_number)?.dates[date]?.status
          const each = status === "cancelled" ? 100 : status === "delayed" ? 50 : undefined
          return each !== undefined && amount === each * reservation.passengers.length
        })
      )
    })
  return (
    previous !== undefined &&
    Object.values(row.payment_methods).some(
      ({ amount, id, source }) => source === "certificate" && previous[id] === undefined && !justified(amount)
    )
  )
}
