/** Travel: fourteen steps, of which four send or book and two pay. */
import * as Scenario from "./Scenario.ts"

/** The scenario. */
export const travel: Scenario.Scenario = {
  name: "travel",
  words: {
    theme: { argument: "destination", clause: "destination" },
    total: { argument: "cost", clause: "max_cost" },
    people: { argument: "travellers", clause: "travellers" }
  },
  steps: [
    Scenario.ask("outbound_flights", "search_flights", { priced: true }),
    Scenario.ask("return_flights", "search_flights"),
    Scenario.ask("hotels", "search_hotels", { priced: true }),
    Scenario.ask("visa", "check_visa"),
    Scenario.ask("transit_visa", "check_visa"),
    Scenario.write("itinerary_draft", "draft_itinerary", ["theme", "total", "people"], ["outbound_flights", "hotels"]),
    Scenario.write("packing_list", "draft_packing_list", ["theme"], []),
    Scenario.write("expense_report", "draft_expense_report", ["total"], ["outbound_flights", "hotels"]),
    {
      id: "itinerary",
      kind: "mail",
      tool: "send_itinerary",
      twin: "prepare_itinerary",
      carries: ["theme", "total", "people"],
      needs: ["itinerary_draft"]
    },
    {
      id: "flight",
      kind: "booking",
      tool: "book_flight",
      twin: "hold_flight",
      carries: ["theme", "total", "people"],
      needs: ["outbound_flights", "return_flights"]
    },
    {
      id: "hotel",
      kind: "booking",
      tool: "book_hotel",
      twin: "hold_hotel",
      carries: ["theme", "total"],
      needs: ["hotels"]
    },
    {
      id: "notice",
      kind: "mail",
      tool: "notify_host",
      twin: "prepare_notice",
      carries: ["theme", "people"],
      needs: ["flight", "hotel"]
    },
    {
      id: "flight_payment",
      kind: "payment",
      tool: "pay_flight",
      twin: "authorise_flight",
      carries: ["total"],
      needs: ["flight"]
    },
    {
      id: "hotel_payment",
      kind: "payment",
      tool: "pay_hotel",
      twin: "authorise_hotel",
      carries: ["total"],
      needs: ["hotel"]
    }
  ],
  spare: [],
  committing: ["send_itinerary", "book_flight", "pay_flight"],
  themes: ["Lisbon", "Oslo", "Vienna", "Porto"],
  people: "Ada",
  others: ["Kim", "Noor", "Sam"],
  price: 600,
  says: {
    additive: "{other} comes along.",
    restrictive: "It must not cost more than {ceiling}.",
    substitutive: "Go to {theme}.",
    cancellation: "Do not send the itinerary.",
    priority_shift: "Book the flight first, and send the itinerary after that."
  }
}
