/** A new reservation pays for more or fewer bags than exceed the allowance of its user's membership and its cabin. */
import type { Change, Reservation } from "../World.ts"

export default ({ before, key, row, world }: Change<Reservation>): boolean => {
  const user = world.users.get(row.user_id)
  const isNew = before.world.reservations?.has(key) === false
  if (user === undefined || !isNew) return false
  const allowance = {
    regular: { basic_economy: 0, economy: 1, business: 2 },
    silver: { basic_economy: 1, economy: 2, business: 3 },
    gold: { basic_economy: 2, economy: 3, business: 3 }
  }[user.membership][row.cabin]
  return row.nonfree_baggages !== Math.max(0, row.total_baggages - allowance * row.passengers.length)
}
