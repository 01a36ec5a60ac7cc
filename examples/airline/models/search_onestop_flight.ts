/**
 * Finds pairs of flights by way of a third airport that can be booked on a day.
 *
 * If the first flight arrives on the next day, the second flight leaves on that day. Times of day are compared as
 * text, and the answer shows the seats and prices of the first day, as the answer of the tool does.
 */
import type { Answer, Call, Flight } from "../World.ts"

type Args = { readonly origin: string; readonly destination: string; readonly date: string }

export default ({ args, world }: Call<Args>): Answer => {
  const byNumber = (left: Flight, right: Flight) => (left.flight_number < right.flight_number ? -1 : 1)
  const flights = [...world.flights.values()].sort(byNumber)
  const seconds = flights.filter(({ destination }) => destination === args.destination)
  const show = ({ dates, ...flight }: Flight, date: string) => ({ ...flight, ...dates[args.date], date })
  const next = `2024-05-${Number(args.date.slice(-2)) + 1}`
  return {
    output: flights
      .filter(({ origin }) => origin === args.origin)
      .flatMap((first) => {
        const date = first.scheduled_arrival_time_est.includes("+1") ? next : args.date
        return seconds
          .filter(
            (second) =>
              second.origin === first.destination &&
              first.scheduled_arrival_time_est <= second.scheduled_departure_time_est &&
              first.dates[args.date]?.status === "available" &&
              second.dates[date]?.status === "available"
          )
          .map((second) => [show(first, args.date), show(second, date)])
      })
  }
}
