/**
 * A new reservation is paid with more than one certificate, more than one credit card or more than three gift cards.
 */
import type { Change, Reservation } from "../World.ts"

export default ({ before, key, row }: Change<Reservation>): boolean => {
  const isNew = before.world.reservations?.has(key) === false
  const methods = before.world.users?.get(row.user_id)?.payment_methods ?? {}
  const count = (source: string) =>
    row.payment_history.filter(({ payment_id }) => methods[payment_id]?.source === source).length
  return isNew && (count("certificate") > 1 || count("credit_card") > 1 || count("gift_card") > 3)
}
