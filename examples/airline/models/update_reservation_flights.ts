/**
 * Replaces the flights of a reservation and charges or refunds the difference in price.
 *
 * A flight that is booked already, in the cabin on record, keeps its price. The cabin on record does not change;
 * `cabins` stores the requested cabin.
 */
import type { Answer, Cabin, Call, Leg, Segment } from "../World.ts"

type Args = {
  readonly reservation_id: string
  readonly cabin: Cabin
  readonly flights: ReadonlyArray<Leg>
  readonly payment_id: string
}

export default ({ args, world }: Call<Args>): Answer => {
  const reservation = world.reservations.get(args.reservation_id)
  if (reservation === undefined) return { output: "Error: reservation not found" }
  const travellers = reservation.passengers.length

  const flights: Array<Segment> = []
  for (const leg of args.flights) {
    const kept = reservation.flights.find(
      ({ date, flight_number }) =>
        date === leg.date && flight_number === leg.flight_number && args.cabin === reservation.cabin
    )
    if (kept !== undefined) {
      flights.push({ ...leg, price: kept.price, origin: kept.origin, destination: kept.destination })
      continue
    }
    const flight = world.flights.get(leg.flight_number)
    if (flight === undefined) return { output: `Error: flight ${leg.flight_number} not found` }
    const day = flight.dates[leg.date]
    if (day === undefined) return { output: `Error: flight ${leg.flight_number} not found on date ${leg.date}` }
    if (day.status !== "available" || day.prices === undefined || day.available_seats === undefined) {
      return { output: `Error: flight ${leg.flight_number} not available on date ${leg.date}` }
    }
    if (day.available_seats[args.cabin] < travellers) {
      return { output: `Error: not enough seats on flight ${leg.flight_number}` }
    }
    flights.push({ ...leg, price: day.prices[args.cabin], origin: flight.origin, destination: flight.destination })
  }
  const sum = (segments: ReadonlyArray<Segment>) => segments.reduce((total, { price }) => total + price, 0)
  const charge = (sum(flights) - sum(reservation.flights)) * travellers

  const user = world.users.get(reservation.user_id)
  const method = user?.payment_methods[args.payment_id]
  if (user === undefined || method === undefined) return { output: "Error: payment method not found" }
  if (method.source === "certificate") return { output: "Error: certificate cannot be used to update reservation" }
  const balance = method.source === "gift_card" ? method.amount : undefined
  if (balance !== undefined && balance < charge) return { output: "Error: gift card balance is not enough" }

  const { payment_history } = reservation
  const { payment_id, reservation_id } = args
  const changed = {
    ...reservation,
    flights,
    payment_history: charge === 0 ? payment_history : [...payment_history, { payment_id, amount: charge }]
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
      users: world.users.set(reservation.user_id, paid),
      cabins: world.cabins.set(reservation_id, { cabin: args.cabin })
    }
  }
}
