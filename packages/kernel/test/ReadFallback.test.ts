/** The fallbacks of a read: asked again, read elsewhere, unavailable. */
import type * as Definition from "@backstitch/contracts/Definition"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import { findAction } from "../src/action/ActionInFlight.ts"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as ReadFallback from "../src/settlement/ReadFallback.ts"
import { asks, Bench, call, ends, ok, told } from "./lab.ts"

const lost: Evidence = { _tag: "Unknown", reason: "cut" }

const reading: Definition.ToolDefinition = {
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

const bench = (more: Partial<Definition.ToolDefinition> = {}, changes: Partial<Definition.Definition> = {}): Bench =>
  new Bench({
    changes: { tools: { look: { ...reading, ...more } }, guards: [], approvals: {}, reducers: { on: {} }, ...changes }
  })

const begun = (self: Bench): string => call(self.proposes({ tool: "look", params: { id: "7" } })).action

const found = (more: object = {}): Evidence => ok({ id: "7", tenant: "default", ...more })

/** Lists the recovery of each answer that did not count, in order. */
const decided = (self: Bench): ReadonlyArray<JsonObject> =>
  self.transitions.flatMap(({ body }) => (body.type === "recovery.decided" ? [body.data ?? {}] : []))

const from = (self: Bench, action: string, source: string, evidence: Evidence) =>
  self.does({ _tag: "ReadBack", action, evidence, source })

describe("ReadFallback", () => {
  it("tries each fallback of the table once and in its order, on record, and then says that it is unavailable", () => {
    const self = bench()
    const action = begun(self)
    call(self.answers(action, lost))
    assert.strictEqual(asks(self.answers(action, lost), "ReadBack").source, "mirror")
    // A replica is no approved source: it is not asked.
    assert.strictEqual(asks(from(self, action, "mirror", lost), "ReadBack").source, "archive")
    const failed = ends(from(self, action, "archive", lost), "Failed")
    assert.deepStrictEqual(failed.error, { args: { tool: "look", why: "cut" }, code: "failure.unavailable" })
    assert.strictEqual(failed.tick, self.last.tick)
    const [retried, mirrored, archived, given] = decided(self)
    const unread = { read: "unknown", reason: "cut" }
    const first = ["retry_verification"]
    assert.deepInclude(retried, { ...unread, fallback: "retry_verification", tried: first, via: "call" })
    const [second, third] = [
      [...first, "other_source:mirror"],
      [...first, "other_source:mirror", "other_source:archive"]
    ]
    assert.deepInclude(mirrored, { ...unread, fallback: "other_source", tried: second, via: "call" })
    assert.notProperty(mirrored, "source")
    assert.deepInclude(archived, {
      ...unread,
      fallback: "other_source",
      source: "mirror",
      tried: third,
      via: "source"
    })
    assert.deepInclude(given, {
      ...unread,
      fallback: "unavailable",
      source: "archive",
      tried: [...third, "unavailable"],
      via: "source"
    })
    for (const data of [retried, mirrored, archived, given]) assert.notProperty(data, "output")
    assert.strictEqual(self.last.body.result?.status, "unknown")
    assert.notProperty(OpenActions.of(self.state), action)
  })

  it("takes the record of another source as an answer, with the name of the source", () => {
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
    // What came back is evidence of why it did not count; only what comes from a replica is barred.
    const [other, barred] = decided(self)
    assert.deepInclude(other, { output: { id: "8", tenant: "default" }, read: "ok", via: "call" })
    assert.notProperty(other, "barred")
    assert.deepInclude(barred, { barred: true, output: { id: "7" }, read: "ok" })
  })

  it("names the reason for which an answer did not count: its source, or an unmet predicate", () => {
    const self = bench()
    const action = begun(self)
    self.answers(action, found({ id: "8" }))
    self.answers(action, { _tag: "Ok", output: { id: "7" }, from: "replica" })
    const why = decided(self).map(({ evidence }) => JSON.stringify(evidence))
    assert.include(why[0], "actual.id == args.id")
    assert.include(why[1], "replica")
  })

  it("takes an answer that does not say for one that does not count: silence is not success", () => {
    const self = bench()
    call(self.answers(begun(self), ok({ tenant: "default" })))
    assert.deepInclude(decided(self)[0], { fallback: "retry_verification", output: { tenant: "default" } })
  })

  it("compares a further source with the contract's expectation of that source, and not of the tool", () => {
    const self = bench()
    const action = begun(self)
    self.answers(action, lost)
    self.answers(action, lost)
    // Of the mirror the contract expects what it expects of the tool.
    assert.strictEqual(asks(from(self, action, "mirror", found({ id: "8" })), "ReadBack").source, "archive")
    // The archive has to show some record, whichever it is.
    assert.deepStrictEqual(ends(from(self, action, "archive", found({ id: "8" })), "Done").output, {
      id: "8",
      tenant: "default"
    })
  })

  it("does not show an answer from behind a boundary, and keeps nothing of it (L15)", () => {
    const ways: ReadonlyArray<readonly [Bench, object]> = [
      [bench(), { tenant: "umbrella" }],
      [
        bench({
          readback: {
            source: "books",
            expect: [{ id: "foreign", holds: "actual.owner == 'us'", otherwise: "wrong_target_modified" }]
          }
        }),
        { owner: "umbrella" }
      ]
    ]
    for (const [self, strayed] of ways) {
      const failed = ends(self.answers(begun(self), found(strayed)), "Failed")
      assert.include(told(failed), "failure.astray")
      assert.strictEqual(failed.tick, self.last.tick)
      assert.deepInclude(self.last.body, { type: "action.result" })
      assert.strictEqual(self.last.body.result?.status, "error")
      assert.isFalse(self.transitions.some(({ body }) => body.data?.["output"] !== undefined))
      assert.strictEqual(decided(self)[0]?.["discrepancy"], "wrong_target_modified")
    }
  })

  it("trusts an answer as a tool's word and no further", () => {
    const self = bench()
    ends(self.answers(begun(self), found()), "Done")
    assert.strictEqual(self.last.body.result?.trust, 1)
    const refused = bench()
    ends(refused.answers(begun(refused), { _tag: "Error", error: "forbidden" }), "Failed")
    assert.deepInclude(refused.last.body.result, { status: "error", trust: 1 })
  })

  it("goes on after a crash at the same place: nothing is tried twice (L13)", () => {
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
    assert.include(told(ends(self.answers(action, lost), "Failed")), "budget.questions")
    assert.notProperty(OpenActions.of(self.state), action)
  })

  it("leaves a read that the contract does not mention as it was, except for one more try", () => {
    const { readback: _, ...plain } = reading
    const self = new Bench({ changes: { tools: { look: plain }, guards: [], approvals: {}, reducers: { on: {} } } })
    const action = begun(self)
    call(self.answers(action, lost))
    const subject = findAction(self.terms, self.state, action)!
    ends(ReadFallback.decide(subject, { evidence: found() }), "Done")
    ends(ReadFallback.decide(subject, { evidence: lost }), "Failed")
  })
})
