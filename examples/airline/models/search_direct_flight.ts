/** Finds the flights between two airports that can be booked on a day, by number. */
import type { Answer, Call } from "../World.ts"

type Args = { readonly origin: string; readonly destination: string; readonly date: string }

export default ({ args, world }: Call<Args>): Answer => ({
  output: [...world.flights.values()]
    .filter(
      ({ dates, destination, origin }) =>
        origin === args.origin && destination === args.destination && dates[args.date]?.status === "available"
    )
    .sort((left, right) => (left.flight_number < right.flight_number ? -1 : 1))
    .map(({ dates, ...flight }) => ({ ...flight, ...dates[args.date] }))
})
