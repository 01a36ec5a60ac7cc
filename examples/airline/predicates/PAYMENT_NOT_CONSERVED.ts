/** The payments for a reservation are not its price, or a cancelled one was not refunded in full. */
import type { Change, Reservation } from "../World.ts"

export default ({ row }: Change<Reservation>): boolean => {
  const paid = row.payment_history.reduce((total, { amount }) => total + amount, 0)
  const fare = row.flights.reduce((total, { price }) => total + price, 0)
  const insurance = row.insurance === "yes" ? 30 : 0
  const due = row.status === "cancelled" ? 0 : (fare + insurance) * row.passengers.length + 50 * row.nonfree_baggages
  return paid !== due
}
