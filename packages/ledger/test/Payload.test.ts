import * as Payload from "@backstitch/trace/Payload"
import { assert, describe, it } from "@effect/vitest"
import * as ActionState from "../src/machine/ActionState.ts"
import { payloads } from "../src/payload/Payload.ts"

describe("Payload", () => {
  it("knows the nineteen states, and no other", () => {
    const settled = Payload.checker(payloads["action.reconciled"])
    for (const state of ActionState.states) assert.isUndefined(settled({ state }))
    assert.strictEqual(settled({ state: "done" })?.path, "state")
  })

  it("wants of a plan each step with the action that it undoes", () => {
    const decided = Payload.checker(payloads["recovery.decided"])
    const step = { params: {}, residue: false, tool: "unbook", undoes: "a2" }
    const plan = {
      because: { args: { reason: "wrong day" }, code: "cause.asked" },
      cause: "saga",
      masks: ["a2"],
      steps: [step]
    }
    assert.isUndefined(decided({ decision: "compensate_backward", plan }))
    const { undoes: _, ...without } = step
    assert.strictEqual(decided({ plan: { ...plan, steps: [without] } })?.path, "plan.steps.0.undoes")
  })
})
