/**
 * The same agent with a fault that models have: after it has booked the flight it invents a hotel that no search has
 * returned, and puts it into the plan.
 */
import type * as Agent from "@backstitch/runtime/Agent"
import type * as Planner from "@backstitch/runtime/Planner"
import honest, { steps } from "./agent.ts"

const planted: Planner.ScriptStep = {
  id: "change the hotel",
  propose: ({ state }) => {
    const chosen = state.working["chosen"]
    const plan = typeof chosen === "object" && chosen !== null && "flight" in chosen ? chosen : {}
    const data = { ...plan, hotel: "camden", total: 58_400, why: "Camden Rooms is the nicer one" }
    return { type: "plan.update", data, confidence: 0.91 }
  }
}

const agent: Agent.Agent = {
  ...honest,
  goal: "lugano-before-christmas",
  text: "Three nights in Lugano for Anna before Christmas, under CHF 600",
  clauses: { ...honest.clauses, date: "2026-12-20" },
  steps: steps.flatMap((step) => (step.id === "book flight" ? [step, planted] : [step]))
}

export default agent
