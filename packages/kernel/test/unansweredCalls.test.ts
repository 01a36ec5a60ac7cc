/** Calls that nobody answered and nobody can be asked about: waited for, read, held, and sent again by a person. */
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as ReconciliationStatus from "@backstitch/reconciliation/ReconciliationStatus"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as Limits from "../src/Limits.ts"
import * as ResumePlan from "../src/ResumePlan.ts"
import { asks, Bench, call, type Definition, definition, ends, failing, ok, outcome, told } from "./lab.ts"

type Tool = NonNullable<Definition["tools"]>[string]

const { fax, tell } = definition.tools
const cut: Evidence = { _tag: "Unknown", reason: "cut" }
const times = { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" } as const

const bench = (more: Partial<Tool>, name = "fax"): Bench =>
  new Bench({
    changes: { tools: { ...definition.tools, [name]: { ...definition.tools[name as "fax"], ...more } as Tool } }
  })

const begun = (self: Bench, tool = "fax", to = "ada") => {
  const decision = self.proposes({ tool, params: { to } })
  return decision.next._tag === "ReadBefore" ? asks(decision, "ReadBefore") : call(decision)
}

const resolves = (self: Bench, action: string, as: string, more: JsonObject = {}) =>
  self.proposes({
    type: "review.decided",
    author: "user",
    data: { action, as, by: "Ada", evidence: "looked", ...more }
  })

const decidedOf = (self: Bench) =>
  self.transitions.findLast(({ body }) => body.type === "recovery.decided")?.body.data ?? {}

/** A letter of which nobody heard, and that its own record tells by what was there before. */
const letter: Partial<Tool> = {
  times,
  readback: { source: "post", before: "refuse", expect: "actual.to == args.to && actual.ink == 'blue'", within: "1s" }
}

const lostLetter = (more: Partial<Tool> = {}, before: Evidence = { _tag: "NotFound" }) => {
  const self = bench({ ...letter, ...more })
  const { action } = begun(self)
  call(self.does({ _tag: "ReadBefore", action, evidence: before }))
  const decision = self.answers(action, cut)
  return { self, action, decision }
}

describe("a call without an answer, about which no source can be asked", () => {
  it("names the row that freezes it, by a reason that is true of it, and the verdicts that lead somewhere", () => {
    const self = bench({})
    const { action } = begun(self)
    const held = ends(self.answers(action, cut), "Held")
    assert.include(told(held), '"row":4,"section":"pending_timeout"')
    assert.deepInclude(decidedOf(self), {
      decision: "freeze_and_reconcile",
      row: 4,
      section: "pending_timeout"
    })
    const again = ends(self.does({ _tag: "Recover", action }), "Held")
    assert.deepInclude(again.why.args, { verifiable: false })
    assert.deepStrictEqual(failing(resolves(self, action, "reopened")), [`approval ${action}`])
  })

  it("is waited for as long as its sender may hear, whatever an earlier clock said, and then a person decides", () => {
    const self = bench({})
    // The process that began it ran hours ahead; time is never taken back.
    self.now += 18_000_000
    const { action } = begun(self)
    const { next } = self.does({ _tag: "Recover", action })
    assert.deepStrictEqual(next, { _tag: "Wait", action, untilMillis: self.now + 60_000 })
    self.now += 60_000
    ends(self.does({ _tag: "Recover", action }), "Held")
    assert.strictEqual(OpenActions.of(self.state)[action]?.state, "review_required")
  })

  it("is done if a strong read shows an effect that did not exist before", () => {
    const { action, decision, self } = lostLetter()
    asks(decision, "ReadBack")
    const done = ends(self.readsBack(action, ok({ to: "ada", ink: "blue" })), "Done")
    assert.strictEqual(done.basis, "readback")
    assert.strictEqual(ActionHistories.of(self.transitions, action)?.trust, 3)
  })

  it("is compensated if a strong read shows another effect (C4)", () => {
    const { action, self } = lostLetter({
      undo: { class: "R", by: "book", with: { flight: "args.to", traveller: "args.to", price: "1" } }
    })
    const other = ok({ to: "ada", ink: "red" })
    assert.strictEqual(self.readsBack(action, other).next._tag, "Wait")
    self.now += 4_000
    assert.strictEqual(self.readsBack(action, other).next._tag, "Compensate")
    assert.deepInclude(decidedOf(self), { decision: "compensate", discrepancy: "value_mismatch" })
  })

  it.each<readonly [string, Partial<Tool>, Evidence, Json]>([
    ["was there before", {}, ok({ to: "ada", ink: "red" }), { to: "ada", ink: "red" }],
    ["may be of anybody", {}, ok({ to: "ada", ink: "red", n: 1 }), { to: "ada", ink: "red", n: 1 }]
  ])("is held where what a strong read shows %s: it is no proof of this call", (_, more, before, shown) => {
    const { action, self } = lostLetter(more, before)
    ends(self.readsBack(action, ok(shown)), "Held")
    assert.deepInclude(decidedOf(self), { decision: "freeze_and_reconcile", via: "readback" })
    assert.notInclude(self.types(), "action.reconciled")
  })

  it("is told from others by its key, if no read was made before", () => {
    const self = bench({ times, readback: { source: "post", expect: "actual.to == args.to", within: "1s" } })
    const { action, key = "" } = begun(self)
    asks(self.answers(action, cut), "ReadBack")
    ends(self.decides({ _tag: "ReadBack", action, evidence: ok({ to: "ada" }) }), "Held")
    ends(self.readsBack(action, ok({ to: "ada", key })), "Done")
  })

  it("is not read if a read may lag, and no record is asked for that cannot be told from another's", () => {
    const lagging = lostLetter({ readback: { ...letter.readback!, consistency: "eventual" } })
    ends(lagging.decision, "Held")
    const nameless = bench({ identity: "none", readback: { source: "post", expect: "actual.to == args.to" } })
    const { action } = begun(nameless)
    ends(nameless.answers(action, cut), "Held")
  })

  it("is held if it shows nothing to a strong read: nothing is sent again blindly", () => {
    const { action, self } = lostLetter()
    self.now += 4_000
    ends(self.readsBack(action, { _tag: "NotFound" }), "Held")
    assert.deepInclude(decidedOf(self), { decision: "hold_and_escalate", discrepancy: "unknown_state" })
  })

  it("says that its key is no longer honoured, and asks a person: to resume would change nothing", () => {
    const self = new Bench()
    const { action } = begun(self, "tell", "a@b.ch")
    self.now += 3_600_000
    const held = ends(self.does({ _tag: "Recover", action }), "Held")
    assert.include(told(held), "sending.key_expired")
    assert.deepInclude(decidedOf(self), { decision: "freeze_and_reconcile", freezes: true })
  })
})

describe("a person's finding that a call did not happen", () => {
  it("is sent again by the process that resumes the run, without a key if it has none", () => {
    const self = bench({ identity: "none" })
    const { action } = begun(self)
    self.answers(action, cut)
    self.now += 30_000
    assert.deepInclude(ends(resolves(self, action, "resent"), "Done").output as object, {
      as: "resent",
      state: "pending"
    })
    assert.deepInclude(ResumePlan.plan(self.terms, self.state)[0], { recovery: "resume" })
    assert.strictEqual(ReconciliationStatus.of(ActionHistories.of(self.transitions, action)!), "attempted")
    const request = call(self.does({ _tag: "Recover", action }))
    assert.deepStrictEqual([request.action, request.key], [action, undefined])
    assert.strictEqual(self.last.body.type, "action.started")
    ends(self.answers(action, ok({ id: 1 })), "Done")
    assert.deepStrictEqual(ActionHistories.of(self.transitions, action)?.refused, [])
  })

  it("is sent under the key that it had as long as its tool honours that, with the same request (L6)", () => {
    const self = new Bench()
    const { action, key } = begun(self, "tell", "a@b.ch")
    for (let sends = 1; sends < Limits.deciding.sendsMax; sends++) {
      call(self.answers(action, cut))
      const [started] = self.transitions.slice(-1)
      assert.strictEqual(started?.body.action?.requestHash, OpenActions.of(self.state)[action]?.requestHash)
      assert.isString(started?.body.action?.requestHash)
    }
    ends(self.answers(action, cut), "Held")
    self.now += 3_000
    ends(resolves(self, action, "resent"), "Done")
    const request = call(self.does({ _tag: "Recover", action }))
    assert.strictEqual(request.key, key)
    assert.strictEqual(self.last.stamp.key, key)
  })

  it("is sent under the next generation once the key is forgotten, and the same act is then done (L6)", () => {
    const self = new Bench()
    const proposal = { tool: "tell", params: { to: "a@b.ch" } }
    const { action, key } = begun(self, "tell", "a@b.ch")
    self.now += 3_600_000
    self.does({ _tag: "Recover", action })
    ends(resolves(self, action, "resent"), "Done")
    const request = call(self.does({ _tag: "Recover", action }))
    assert.notStrictEqual(request.key, key)
    // A crash in between goes on under that key.
    assert.strictEqual(call(self.does({ _tag: "Recover", action })).key, request.key)
    ends(self.answers(action, ok({ id: 1 })), "Done")
    assert.strictEqual(ends(self.proposes(proposal), "Done").adopted?.action, action)
  })

  it("is looked at before it is sent, if its contract asks for that", () => {
    const { action, self } = lostLetter()
    self.readsBack(action, ok(null))
    self.now += 4_000
    ends(self.readsBack(action, { _tag: "NotFound" }), "Held")
    ends(resolves(self, action, "resent"), "Done")
    asks(self.does({ _tag: "Recover", action }), "ReadBefore")
  })

  it("has to wait for a person: an action that goes on by itself, a read and a settled one are not sent again", () => {
    const self = new Bench()
    const { action } = begun(self, "tell", "a@b.ch")
    const look = call(self.proposes({ tool: "look", params: { q: "x" } })).action
    for (const each of [action, look, "a99"]) {
      assert.deepStrictEqual(failing(resolves(self, each, "resent")), [`approval ${each}`])
    }
    assert.strictEqual(outcome(resolves(self, look, "failure"))._tag, "Refused")
  })

  it("keeps its target until it is settled, and names it when a person settles it (L7)", () => {
    const self = bench({})
    const { action } = begun(self)
    self.answers(action, cut)
    self.now += 30_000
    ends(resolves(self, action, "resent"), "Done")
    assert.deepStrictEqual(
      failing(self.proposes({ tool: "fax", params: { to: "ada" }, occurrence: 2, occurrenceBy: "plan" })),
      ["target fax/ada"]
    )
    self.does({ _tag: "Recover", action })
    self.answers(action, cut)
    self.now += 30_000
    for (const as of ["success", "failure", "abandoned"]) {
      const seen = as === "success" ? { record: { id: 1 } } : {}
      const settled = self
        .decides({
          _tag: "Resolve",
          proposal: {
            type: "review.decided",
            author: "user",
            data: { action, as, by: "Ada", evidence: "looked", ...seen }
          }
        })
        .drafts.at(-1)
      assert.deepInclude(settled?.body.action, { id: action, target: "fax/ada" })
      assert.strictEqual(settled?.body.result?.basis, "attested")
    }
  })
})

describe("an action that was never begun", () => {
  it("has no answer that could be recorded: an answer, a read or a recovery of it is refused (L8)", () => {
    const self = bench({})
    begun(self)
    for (const action of ["a99", "a0", "a02", "b1", ""]) {
      for (const decision of [
        self.answers(action, ok({ id: 1 })),
        self.readsBack(action, ok({ id: 1 })),
        self.does({ _tag: "Recover", action })
      ]) {
        const { checks, tick } = ends(decision, "Refused")
        assert.deepStrictEqual([checks[0]?.why?.code, tick], ["action.unknown", undefined])
      }
    }
  })
})

describe("a grave action that nothing can check", () => {
  const grave: Partial<Tool> = { ...fax, class: "high_risk_external" } as Partial<Tool>

  it("is held on the word of its tool, and counts on that of a person (row 16, L9)", () => {
    const self = bench(grave)
    const { action } = begun(self)
    const held = ends(self.answers(action, ok({ id: 1 })), "Held")
    assert.include(told(held), "outcome.word_alone")
    assert.deepInclude(decidedOf(self), { decision: "hold_and_escalate", row: 2, section: "unverifiable_result" })
    ends(self.does({ _tag: "Recover", action }), "Held")
    ends(resolves(self, action, "success"), "Done")
    assert.deepInclude(ActionHistories.of(self.transitions, action), { state: "reconciled_success", trust: 1 })
  })

  it("settles if the contract names the person who accepts the word, and names that person and the reason", () => {
    const accepts_word = { by: "the office", why: "a fax has no record" }
    const self = bench({ ...grave, accepts_word })
    const { action } = begun(self)
    assert.strictEqual(ends(self.answers(action, ok({ id: 1 })), "Done").basis, "attested")
    assert.deepInclude(self.last.body.data, { word: accepts_word })
    assert.deepStrictEqual(ActionHistories.of(self.transitions, action)?.word, accepts_word)
  })

  it("is asked about if there is a record of its key, and waits for its provider if that answers", () => {
    const asked = bench({ ...grave, status: "by_key", times })
    const { action } = begun(asked)
    asks(asked.answers(action, ok({ id: 1 })), "Ask")
    assert.strictEqual(ends(asked.answers(action, ok({ id: 1 }), "status"), "Done").basis, "status")
    const webhook = { secret: "POST_SECRET", tolerance: "none", key: "body.key", done: "true" }
    const told = bench({ ...grave, webhook })
    const sent = begun(told).action
    assert.notProperty(ends(told.answers(sent, ok({ id: 1 })), "Held").why.args, "recovery")
    assert.notStrictEqual(OpenActions.of(told.state)[sent]?.state, "review_required")
  })

  it("settles in a lower class as ever, on the word of its tool", () => {
    const self = bench({ ...tell, identity: { scope: "run", fields: [{ to: "exact" }] } } as never)
    ends(self.answers(begun(self).action, ok({ id: 1 })), "Done")
    assert.strictEqual(self.last.body.result?.trust, 1)
  })
})
