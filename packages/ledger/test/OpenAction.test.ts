import { assert, describe, it } from "@effect/vitest"
import * as OpenAction from "../src/state/OpenAction.ts"

const sent: OpenAction.OpenAction = {
  class: "high_risk_external",
  params: {},
  state: "executing",
  tick: 1,
  tool: "fax"
}
const done: OpenAction.LastAnswer = { as: "done", at: 2, output: null }

const standing = (open: OpenAction.OpenAction): ReadonlyArray<string> =>
  Object.entries({
    begun: OpenAction.isBegun,
    flying: OpenAction.isInFlight,
    uncertain: OpenAction.isUncertain,
    answered: OpenAction.isAnswered,
    read: OpenAction.isRead
  }).flatMap(([name, holds]) => (holds(open) ? [name] : []))

describe("OpenAction", () => {
  it("is uncertain from its beginning until it is answered or read", () => {
    assert.deepStrictEqual(standing({ ...sent, state: "validated" }), [])
    assert.deepStrictEqual(standing(sent), ["begun", "flying", "uncertain"])
    assert.deepStrictEqual(standing(OpenAction.answeredBy(sent, done)), ["begun", "answered"])
    assert.deepStrictEqual(standing({ ...sent, heard: "record" }), ["begun", "read"])
  })

  it("stays uncertain if its answer is that the outcome is unknown, or if another run began it", () => {
    assert.deepStrictEqual(standing(OpenAction.answeredBy(sent, { ...done, as: "unknown" })), ["begun", "uncertain"])
    assert.deepStrictEqual(standing({ ...sent, adopted: true }), ["begun", "uncertain"])
  })

  it("is as good as not begun if nothing of its last attempt was sent", () => {
    assert.deepStrictEqual(standing({ ...sent, deferred: true }), ["begun"])
  })
})
