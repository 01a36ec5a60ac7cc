/**
 * Cancels a whole reservation and appends a refund for each payment. It checks neither policy nor whether the
 * reservation is cancelled already.
 */
import type { Answer, Call } from "../World.ts"

export default ({ args, world }: Call<{ readonly reservation_id: string }>): Answer => {
  const reservation = world.reservations.get(args.reservation_id)
  if (reservation === undefined) return { output: "Error: reservation not found" }
  const refunds = reservation.payment_history.map(({ amount, payment_id }) => ({ payment_id, amount: -amount }))
  const payment_history = [...reservation.payment_history, ...refunds]
  const cancelled = { ...reservation, payment_history, status: "cancelled" }
  return { output: cancelled, world: { reservations: world.reservations.set(args.reservation_id, cancelled) } }
}
