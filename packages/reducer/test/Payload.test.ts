import * as Payload from "@backstitch/trace/Payload"
import { assert, describe, it } from "@effect/vitest"
import { payloads } from "../src/state/Payload.ts"

describe("Payload", () => {
  it("leaves the notes of agents and users to a contract, and keeps the fields that a fold reads", () => {
    const observed = Payload.checker(payloads["observation.add"])
    assert.isUndefined(observed({ text: "20 € for a seat", price: { amount: "20" } }))
    assert.strictEqual(observed({ cites: 7 })?.path, "cites")
    assert.isUndefined(
      Payload.checker(payloads["message.sent"])({ reports: ["a1", { action: "a2" }], content: "done" })
    )
  })

  it("wants all that a run pins", () => {
    const started = {
      clauses: {},
      engine: "none",
      fold: "contract@1",
      format: 1,
      goal: "a trip",
      initial: "ab".repeat(32),
      ontology: 1,
      tenant: "default"
    }
    const check = Payload.checker(payloads["run.started"])
    assert.isUndefined(check(started))
    for (const field of Object.keys(started)) {
      assert.strictEqual(check({ ...started, [field]: undefined })?.path, field)
    }
    assert.strictEqual(check({ ...started, region: "eu" })?.path, "region")
  })
})
