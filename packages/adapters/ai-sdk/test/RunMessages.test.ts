import type * as PlannerBriefing from "@backstitch/runtime/PlannerBriefing"
import { assert, describe, it } from "@effect/vitest"
import * as RunMessages from "../src/RunMessages.ts"
import * as ToolNames from "../src/ToolNames.ts"

const open: PlannerBriefing.BriefedAction = {
  action: "a4",
  tool: "acme.pay",
  params: { item: "milk" },
  class: "high_risk_external",
  status: "open",
  success: false,
  says: "Its outcome is unknown.",
  output: null
}

const briefing: PlannerBriefing.Briefing = {
  goal: { id: "errand", text: "", isReached: false },
  specification: [{ clause: "max", holds: "world.paid <= clause.max", value: 100 }],
  world: { paid: 0 },
  working: {},
  actions: [open],
  remaining: [],
  tools: [],
  records: [],
  last: { outcome: "Refused", success: false, says: "Too dear.", next: ["pay less"] }
}

describe("RunMessages", () => {
  it("gives each call a result, also one whose outcome is open", () => {
    const messages = RunMessages.of(briefing, ToolNames.of(["acme.pay"]), "Once more.")
    assert.deepStrictEqual(
      messages.map(({ role }) => role),
      ["user", "assistant", "tool", "user"]
    )
    assert.deepStrictEqual(messages[1]?.content, [
      { type: "tool-call", toolCallId: "a4", toolName: "acme_pay", input: { item: "milk" } }
    ])
    const value = { success: false, status: "open", says: "Its outcome is unknown.", output: null }
    assert.deepStrictEqual(messages[2]?.content, [
      { type: "tool-result", toolCallId: "a4", toolName: "acme_pay", output: { type: "json", value } }
    ])
  })

  it("tells the goal, the world, the last refusal and the note", () => {
    const messages = RunMessages.of(briefing, ToolNames.of([]), "Once more.")
    assert.include(String(messages[0]?.content), "The goal: errand\nThe clauses that it has to keep to:\n- max = 100")
    const last = String(messages.at(-1)?.content)
    for (const part of ['{"paid":0}', "Too dear.", "pay less", "Once more."]) assert.include(last, part)
  })
})
