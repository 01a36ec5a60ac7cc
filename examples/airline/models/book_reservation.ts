/** Books flights for passengers and takes the payments, if their sum is the price. */
import type { Answer, Cabin, Call, Leg, Passenger, Payment, PaymentMethod, Segment } from "../World.ts"

type Args = {
  readonly user_id: string
  readonly origin: string
  readonly destination: string
  readonly flight_type: string
  readonly cabin: Cabin
  readonly flights: ReadonlyArray<Leg>
  readonly passengers: ReadonlyArray<Passenger>
  readonly payment_methods: ReadonlyArray<Payment>
  readonly total_baggages: number
  readonly nonfree_baggages: number
  readonly insurance: string
}

export default ({ args, world }: Call<Args>): Answer => {
  const user = world.users.get(args.user_id)
  if (user === undefined) return { output: "Error: user not found" }
  const id = ["HATHAT", "HATHAU"].find((candidate) => !world.reservations.has(candidate)) ?? "HATHAV"

  const flights: Array<Segment> = []
  let total = 0
  for (const leg of args.flights) {
    const flight = world.flights.get(leg.flight_number)
    if (flight === undefined) return { output: `Error: flight ${leg.flight_number} not found` }
    const day = flight.dates[leg.date]
    if (day === undefined) return { output: `Error: flight ${leg.flight_number} not found on date ${leg.date}` }
    if (day.status !== "available" || day.prices === undefined || day.available_seats === undefined) {
      return { output: `Error: flight ${leg.flight_number} not available on date ${leg.date}` }
    }
    if (day.available_seats[args.cabin] < args.passengers.length) {
      return { output: `Error: not enough seats on flight ${leg.flight_number}` }
    }
    const price = day.prices[args.cabin]
    flights.push({ ...leg, price, origin: flight.origin, destination: flight.destination })
    total += price * args.passengers.length
  }
  if (args.insurance === "yes") total += 30 * args.passengers.length
  total += 50 * args.nonfree_baggages

  const methods: Record<string, PaymentMethod> = { ...user.payment_methods }
  let paid = 0
  for (const { amount, payment_id } of args.payment_methods) {
    const method = methods[payment_id]
    if (method === undefined) return { output: `Error: payment method ${payment_id} not found` }
    if (method.amount !== undefined && method.amount < amount) {
      return { output: `Error: not enough balance in payment method ${payment_id}` }
    }
    paid += amount
  }
  if (paid !== total) {
    return { output: `Error: payment amount does not add up, total price is ${total}, but paid ${paid}` }
  }
  for (const { amount, payment_id } of args.payment_methods) {
    const method = methods[payment_id]
    if (method?.source === "gift_card") methods[payment_id] = { ...method, amount: (method.amount ?? 0) - amount }
    if (method?.source === "certificate") delete methods[payment_id]
  }

  const reservation = {
    reservation_id: id,
    user_id: args.user_id,
    origin: args.origin,
    destination: args.destination,
    flight_type: args.flight_type,
    cabin: args.cabin,
    flights,
    passengers: args.passengers,
    payment_history: args.payment_methods,
    created_at: "2024-05-15T15:00:00",
    total_baggages: args.total_baggages,
    nonfree_baggages: args.nonfree_baggages,
    insurance: args.insurance
  }
  const booked = { ...user, payment_methods: methods, reservations: [...user.reservations, id] }
  return {
    output: reservation,
    world: { reservations: world.reservations.set(id, reservation), users: world.users.set(args.user_id, booked) }
  }
}
