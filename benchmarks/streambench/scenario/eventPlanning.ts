/** Event planning: fifteen steps, of which five send or book and two pay. */
import * as Scenario from "./Scenario.ts"

/** The scenario. */
export const eventPlanning: Scenario.Scenario = {
  name: "event planning",
  words: {
    theme: { argument: "setting", clause: "setting" },
    total: { argument: "cost", clause: "max_cost" },
    people: { argument: "guests", clause: "guests" }
  },
  steps: [
    Scenario.ask("halls", "search_venues", { priced: true }),
    Scenario.ask("spare_halls", "search_venues"),
    Scenario.ask("caterers", "search_caterers", { priced: true }),
    Scenario.ask("calendar", "check_calendar", { carries: [] }),
    Scenario.write("plan", "draft_plan", ["theme", "total", "people"], ["halls", "caterers"]),
    Scenario.write("programme", "draft_plan", ["theme"], ["calendar"]),
    Scenario.write("budget", "draft_budget", ["total"], ["halls", "caterers"]),
    Scenario.write("guest_list", "draft_guest_list", ["people"], []),
    {
      id: "proposal",
      kind: "mail",
      tool: "send_proposal",
      twin: "prepare_proposal",
      carries: ["theme", "total", "people"],
      needs: ["plan", "budget"]
    },
    {
      id: "venue",
      kind: "booking",
      tool: "book_venue",
      twin: "hold_venue",
      carries: ["theme", "total"],
      needs: ["halls"]
    },
    {
      id: "catering",
      kind: "booking",
      tool: "order_catering",
      twin: "hold_catering",
      carries: ["theme", "total"],
      needs: ["caterers", "venue"]
    },
    {
      id: "invitations",
      kind: "mail",
      tool: "send_invitations",
      twin: "prepare_invitations",
      carries: ["theme", "people"],
      needs: ["guest_list", "venue"]
    },
    {
      id: "reminder",
      kind: "mail",
      tool: "send_reminder",
      twin: "prepare_reminder",
      carries: ["theme", "people"],
      needs: ["invitations"]
    },
    { id: "deposit", kind: "payment", tool: "pay", twin: "authorise_payment", carries: ["total"], needs: ["venue"] },
    { id: "balance", kind: "payment", tool: "pay", twin: "authorise_payment", carries: ["total"], needs: ["catering"] }
  ],
  spare: [],
  committing: ["send_proposal", "book_venue", "pay"],
  themes: ["indoor dinner", "outdoor barbecue", "boat party", "garden lunch"],
  people: "team",
  others: ["marketing", "sales", "support"],
  price: 4000,
  says: {
    additive: "Invite {other} as well.",
    restrictive: "It must not cost more than {ceiling}.",
    substitutive: "Make it {theme}.",
    cancellation: "No proposal is needed any more.",
    priority_shift: "Book the venue first, and send the proposal after that."
  }
}
