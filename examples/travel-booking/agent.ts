/**
 * An agent that books a trip in seven steps: search flights, search hotels, compare, book the flight, book the hotel,
 * charge the card, send the confirmation. Then it tells the traveller, and reports its actions. The kernel permits
 * the report, because each act is a reconciled success by then.
 *
 * The planner is a script, so that the example needs no model. It decides from the data that a model would be shown:
 * the verified state. Its steps have ids, so a resumed run continues with the first step that was not proposed. The
 * environment variable `WORLD_URL` holds the address of the world.
 */
import * as Goal from "@backstitch/kernel/Goal"
import * as State from "@backstitch/reducer/State"
import type * as Agent from "@backstitch/runtime/Agent"
import * as Planner from "@backstitch/runtime/Planner"
import * as Schema from "effect/Schema"
import * as Client from "./Client.ts"

/** The wish of the traveller: the clauses of the goal. */
const Wish = Schema.Struct({
  traveller: Schema.String,
  date: Schema.String,
  nights: Schema.Int,
  max_total: Schema.Int
})

/** The answers of the searches, as the state keeps them. */
const Offers = Schema.Struct({
  flights: Schema.Array(
    Schema.Struct({ flight: Schema.String, price: Schema.Int, refundable: Schema.Boolean, seats: Schema.Int })
  ),
  hotels: Schema.Array(
    Schema.Struct({ hotel: Schema.String, name: Schema.String, price: Schema.Int, rooms: Schema.Int })
  )
})

/** The offers that were compared and chosen. */
const Chosen = Schema.Struct({ flight: Schema.String, hotel: Schema.String, total: Schema.Int })

const wishOf = ({ state }: Planner.View) => Schema.decodeUnknownSync(Wish)(Goal.of(state).clauses)
const offersOf = ({ state }: Planner.View) => Schema.decodeUnknownSync(Offers)(State.sectionToJson(state.working))
const chosenOf = ({ state }: Planner.View) => Schema.decodeUnknownSync(Chosen)(state.working["chosen"])

/** A refundable seat, and the best room that the budget still covers. */
const compare = (view: Planner.View) => {
  const { max_total } = wishOf(view)
  const { flights, hotels } = offersOf(view)
  const flight = flights.filter(({ refundable, seats }) => refundable && seats > 0).sort(byPrice)[0]
  if (flight === undefined) throw new Error("no refundable seat is left")
  const hotel = hotels
    .filter(({ price, rooms }) => rooms > 0 && flight.price + price <= max_total)
    .sort(byPrice)
    .at(-1)
  if (hotel === undefined) throw new Error("no free room is within the budget")
  return { flight: flight.flight, hotel: hotel.hotel, total: flight.price + hotel.price, why: `${hotel.name} fits` }
}

const byPrice = (left: { readonly price: number }, right: { readonly price: number }): number =>
  left.price - right.price

const step = (id: string, propose: Planner.ScriptStep["propose"]): Planner.ScriptStep => ({ id, propose })

/** The seven steps, in order. */
export const steps: ReadonlyArray<Planner.ScriptStep> = [
  step("search flights", (view) => ({
    tool: "search_flights",
    params: { from: "Basel", to: "Lugano", date: wishOf(view).date },
    confidence: 0.97
  })),
  step("search hotels", (view) => {
    const { date, nights } = wishOf(view)
    return { tool: "search_hotels", params: { city: "Lugano", from: date, nights }, confidence: 0.97 }
  }),
  step("compare", (view) => ({
    type: "plan.update",
    data: compare(view),
    confidence: 0.88,
    spent: { "money.USD": "0.08" }
  })),
  step("book flight", (view) => {
    const { flight } = chosenOf(view)
    const price = offersOf(view).flights.find((offer) => offer.flight === flight)?.price ?? 0
    return { tool: "book_flight", params: { flight, price, traveller: wishOf(view).traveller }, confidence: 0.93 }
  }),
  step("book hotel", (view) => {
    const { date, nights, traveller } = wishOf(view)
    const { flight, hotel, total } = chosenOf(view)
    const price = total - (offersOf(view).flights.find((offer) => offer.flight === flight)?.price ?? 0)
    const params = { hotel, guest: traveller, from: date, nights, price }
    return { tool: "book_hotel", params, confidence: 0.93 }
  }),
  step("charge card", (view) => {
    const params = { card: "card-anna", amount: Number(view.state.world["spent"]), currency: "CHF", reference: "trip" }
    return { tool: "charge_card", params, confidence: 0.96 }
  }),
  step("send confirmation", (view) => {
    const { flight, hotel } = chosenOf(view)
    const body = `Booked and paid: ${flight}, ${hotel}`
    const params = { to: "anna@example.com", template: "trip_confirmed", body }
    return { tool: "send_confirmation", params, confidence: 0.98 }
  }),
  step("tell Anna", (view) => {
    const { flight, hotel } = chosenOf(view)
    return Planner.message(`Your trip is booked and paid: ${flight}, ${hotel}`, view.actions)
  }),
  step("done", (view) => ({
    type: "goal.complete",
    data: { total: Number(view.state.world["spent"]) },
    confidence: 0.98
  }))
]

const agent: Agent.Agent = {
  pack: "./pack.yaml",
  goal: "lugano-december",
  text: "Three nights in Lugano for Anna, under CHF 600",
  clauses: { traveller: "Anna Keller", date: "2026-12-18", nights: 3, max_total: 60_000 },
  steps,
  tools: Client.tools(process.env["WORLD_URL"] ?? "http://127.0.0.1:8080")
}

export default agent
