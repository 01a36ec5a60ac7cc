/** What a read falls back to: asked again, read elsewhere, unavailable. */
import type * as Definition from "@backstitch/contracts/Definition"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import { assert, describe, it } from "@effect/vitest"
import type { Evidence } from "../src/Command.ts"
import * as ReadAnswer from "../src/ReadAnswer.ts"
import { asks, Bench, call, ends, ok } from "./lab.ts"

const lost: Evidence = { _tag: "Unknown", reason: "cut" }

const reading: Definition.Tool = {
  class: "read_only",
  input: { id: "string" },
  readback: {
    source: "books",
    expect: "actual.id == args.id",
    scope: { tenant: "actual.tenant" },
    sources: [
      { source: "mirror" },
      { source: "copy", from: "replica" },
      { source: "archive", expect: "actual.id != ''" }
    ]
  }
}

const bench = (more: Partial<Definition.Tool> = {}, changes: Partial<Definition.Definition> = {}): Bench =>
  new Bench({
    changes: { tools: { look: { ...reading, ...more } }, guards: [], approvals: {}, reducers: { on: {} }, ...changes }
  })

const begun = (self: Bench): string => call(self.proposes({ tool: "look", params: { id: "7" } })).action

const found = (more: object = {}): Evidence => ok({ id: "7", tenant: "default", ...more })

const from = (self: Bench, action: string, source: string, evidence: Evidence) =>
  self.does({ _tag: "ReadBack", action, evidence, source })

describe("ReadAnswer", () => {
  it("tries each fallback of the table once and in its order, on record, and then says that it is unavailable", () => {
    const self = bench()
    const action = begun(self)
    call(self.answers(action, lost))
    assert.strictEqual(asks(self.answers(action, lost), "ReadBack").source, "mirror")
    // A replica is no approved source: it is not asked.
    assert.strictEqual(asks(from(self, action, "mirror", lost), "ReadBack").source, "archive")
    assert.include(String(ends(from(self, action, "archive", lost), "Failed").error), "look is unavailable: cut")
    const decided = self.transitions.flatMap(({ body }) =>
      body.type === "recovery.decided" ? [body.data?.["fallback"]] : []
    )
    assert.deepStrictEqual(decided, ["retry_verification", "other_source", "other_source", "unavailable"])
    assert.strictEqual(self.last.body.result?.status, "unknown")
    assert.notProperty(OpenActions.of(self.state), action)
  })

  it("takes what another source shows as an answer, with the name of the source", () => {
    const self = bench()
    const action = begun(self)
    self.answers(action, lost)
    self.answers(action, lost)
    assert.deepStrictEqual(ends(from(self, action, "mirror", found()), "Done").output, { id: "7", tenant: "default" })
    assert.deepStrictEqual(self.last.body.data, { source: "mirror" })
  })

  it("does not give the planner an answer to another question, nor one that came from a replica", () => {
    const self = bench()
    const action = begun(self)
    call(self.answers(action, found({ id: "8" })))
    const hint: Evidence = { _tag: "Ok", output: { id: "7" }, from: "replica" }
    assert.strictEqual(asks(self.answers(action, hint), "ReadBack").source, "mirror")
    assert.include(JSON.stringify(self.transitions.map(({ body }) => body.data)), "policy_violation")
  })

  it("goes on after a crash where it was: nothing is tried twice (L13)", () => {
    const self = bench()
    const action = begun(self)
    self.answers(action, lost)
    call(self.does({ _tag: "Recover", action }))
    assert.strictEqual(asks(self.answers(action, lost), "ReadBack").source, "mirror")
  })

  it("tries nothing after a refusal, and calls nothing twice that costs", () => {
    const self = bench()
    assert.strictEqual(
      ends(self.answers(begun(self), { _tag: "Error", error: "forbidden" }), "Failed").error,
      "forbidden"
    )
    const paid = bench({ cost: "0.05" }, { budgets: { money: { currency: "USD", max: 1 } } })
    const action = begun(paid)
    assert.strictEqual(asks(paid.answers(action, lost), "ReadBack").source, "mirror")
  })

  it("asks as often as the budget of verification allows, and is unavailable then", () => {
    const self = bench({}, { budgets: { verification: { action: 1 } } })
    const action = begun(self)
    call(self.answers(action, lost))
    assert.include(String(ends(self.answers(action, lost), "Failed").error), "verification has no budget left")
    assert.notProperty(OpenActions.of(self.state), action)
  })

  it("leaves a read of which the contract says nothing as it was, but for one more try", () => {
    const { readback: _, ...plain } = reading
    const self = new Bench({ changes: { tools: { look: plain }, guards: [], approvals: {}, reducers: { on: {} } } })
    const action = begun(self)
    call(self.answers(action, lost))
    const open = OpenActions.of(self.state)[action]!
    const subject = { id: action, open, contract: self.pack.tools["look"]! }
    ends(ReadAnswer.decide(self.terms, self.state, subject, { evidence: found() }), "Done")
    ends(ReadAnswer.decide(self.terms, self.state, subject, { evidence: lost }), "Failed")
  })
})
