import type { Body } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as RequestedActions from "../src/moves/RequestedActions.ts"

describe("RequestedActions", () => {
  const fact = (type: Body["type"], id: string): Body => ({ action: { id }, author: "kernel", type })

  it("lets nothing become of an action that was not requested before", () => {
    const refusal = RequestedActions.follow()
    assert.isUndefined(refusal(fact("action.request", "a2")))
    assert.isUndefined(refusal(fact("action.result", "a2")))
    assert.strictEqual(refusal(fact("action.result", "a3"))?.action, "a3")
    const refused = RequestedActions.follow()(fact("action.started", "a2"))
    assert.strictEqual(refused?.message, "action.started is about a2, which nothing before it requests")
  })
})
