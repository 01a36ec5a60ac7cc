import * as Payload from "@backstitch/trace/Payload"
import { assert, describe, it } from "@effect/vitest"
import { payloads } from "../src/payload/Payload.ts"

describe("Payload", () => {
  const fork = { at: 3, child: "b", link: "ab".repeat(32), parent: "a", seen: 3 }

  it("demands of a fork the fields by which its lineage is checked", () => {
    const check = Payload.checker(payloads["run.fork"])
    assert.isUndefined(
      check({
        ...fork,
        reason: "before the charge",
        budget: { steps: 3, "money.USD": "1.5" },
        toolPolicy: { book: "deny" }
      })
    )
    for (const field of Object.keys(fork)) assert.strictEqual(check({ ...fork, [field]: undefined })?.path, field)
  })

  it("wants of an import the transition that it comes from", () => {
    const check = Payload.checker(payloads["run.cherrypick"])
    assert.isUndefined(check({ proposal: { tool: "book" }, source: { link: "ab".repeat(32), run: "a", tick: 3 } }))
    assert.strictEqual(check({ proposal: { tool: "book" } })?.path, "source")
  })
})
