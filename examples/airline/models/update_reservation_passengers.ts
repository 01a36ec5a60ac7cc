/** Replaces the passengers of a reservation by as many others. */
import type { Answer, Call, Passenger } from "../World.ts"

type Args = { readonly reservation_id: string; readonly passengers: ReadonlyArray<Passenger> }

export default ({ args, world }: Call<Args>): Answer => {
  const reservation = world.reservations.get(args.reservation_id)
  if (reservation === undefined) return { output: "Error: reservation not found" }
  if (args.passengers.length !== reservation.passengers.length) {
    return { output: "Error: number of passengers does not match" }
  }
  const changed = { ...reservation, passengers: args.passengers }
  return { output: changed, world: { reservations: world.reservations.set(args.reservation_id, changed) } }
}
