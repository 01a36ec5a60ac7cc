/** Overwrites both baggage counters of a reservation and charges the additional bags that are not free. */
import type { Answer, Call } from "../World.ts"

type Args = {
  readonly reservation_id: string
  readonly total_baggages: number
  readonly nonfree_baggages: number
  readonly payment_id: string
}

export default ({ args, world }: Call<Args>): Answer => {
  const reservation = world.reservations.get(args.reservation_id)
  if (reservation === undefined) return { output: "Error: reservation not found" }
  const charge = 50 * Math.max(0, args.nonfree_baggages - reservation.nonfree_baggages)

  const user = world.users.get(reservation.user_id)
  const method = user?.payment_methods[args.payment_id]
  if (user === undefined || method === undefined) return { output: "Error: payment method not found" }
  if (method.source === "certificate") return { output: "Error: certificate cannot be used to update reservation" }
  const balance = method.source === "gift_card" ? method.amount : undefined
  if (balance !== undefined && balance < charge) return { output: "Error: gift card balance is not enough" }

  const { payment_history } = reservation
  const { nonfree_baggages, payment_id, reservation_id, total_baggages } = args
  const changed = {
    ...reservation,
    payment_history: charge === 0 ? payment_history : [...payment_history, { payment_id, amount: charge }],
    total_baggages,
    nonfree_baggages
  }
  const paid =
    balance === undefined
      ? user
      : {
          ...user,
          payment_methods: { ...user.payment_methods, [payment_id]: { ...method, amount: balance - charge } }
        }
  return {
    output: changed,
    world: {
      reservations: world.reservations.set(reservation_id, changed),
      users: world.users.set(reservation.user_id, paid)
    }
  }
}
