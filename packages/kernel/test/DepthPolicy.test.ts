/** The additions of the depth table: times by class, timeouts, dirty records, omitted checks, and fees. */
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import { assert, describe, it } from "@effect/vitest"
import { findAction } from "../src/action/ActionInFlight.ts"
import * as Compensation from "../src/action/Compensation.ts"
import { end } from "../src/decision/Decision.ts"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as DepthPolicy from "../src/review/DepthPolicy.ts"
import { asks, Bench, bookOf, call, type Definition, definition, ends, ok, told } from "./lab.ts"

const { book, unbook } = definition.tools

const pending: Evidence = { _tag: "Pending" }

type Tools = NonNullable<Definition["tools"]>

/** Bookings that are undone by their flight, so that nothing has to be read to know how. */
const tools = (more: Tools = {}): Tools => ({
  ...definition.tools,
  book: { ...book, undo: { class: "K", by: "unbook", with: { id: "args.flight" } } },
  unbook: { ...unbook, readback: { source: "airline", expect: ["actual.status == 'cancelled'"], within: "2s" } },
  ...more
})

const taken = (changes: Partial<Definition>): readonly [Bench, string] => {
  const bench = new Bench({ changes })
  const { action } = call(bench.proposes(bookOf("LX1")))
  bench.answers(action, ok({ id: "B1" }))
  return [bench, action]
}

const historyOf = (bench: Bench, action: string) => ActionHistories.of(bench.transitions, action)!

describe("an action under way when its time is over", () => {
  it("adds nothing to a decision for which the table asks nothing", () => {
    const bench = new Bench()
    const decision = end({ _tag: "Done", tick: 1, output: null, basis: "recorded" })
    assert.strictEqual(DepthPolicy.apply(bench.terms, bench.state, decision), decision)
  })

  it("is reversed if that is safe, by rows 5 and 6 of Action Verification (L9)", () => {
    const [bench, action] = taken({ tools: tools() })
    bench.now += 2000
    // Until a sender could no longer have sent, nothing is concluded.
    assert.strictEqual(bench.readsBack(action, pending).next._tag, "Wait")
    bench.now += 2000
    const decision = bench.readsBack(action, pending)
    assert.strictEqual(decision.next._tag, "Compensate")
    assert.deepInclude(bench.last.body.data, {
      section: "verification_timeout",
      decision: "compensate_and_stop",
      fallback: "compensate",
      discrepancy: "unknown_state"
    })
    assert.strictEqual(historyOf(bench, action).state, "verification_timeout")
  })

  it("is not undone by not being there: it may still arrive (L5)", () => {
    const [bench, action] = taken({ tools: tools() })
    bench.now += 4000
    bench.readsBack(action, pending)
    bench.now += 60_000
    ends(bench.compensates({ _tag: "NotFound" }), "Held")
    assert.isDefined(OpenActions.of(bench.state)[action])
    // Now it shows, and is reversed, although what the reversal is to show could not be told from before it.
    const reversal = asks(bench.compensates(pending), "ReadBefore").action
    const before = bench.does({ _tag: "ReadBefore", action: reversal, evidence: ok({ status: "cancelled" }) })
    bench.answers(call(before).action, ok({ id: "x" }))
    bench.readsBack(reversal, ok({ status: "cancelled" }))
    ends(bench.compensates(), "Failed")
    assert.deepInclude(historyOf(bench, action), { state: "compensated", undo: "undone", refused: [] })
  })

  it.each<readonly [string, Tools]>([
    ["cannot be undone", { book: { ...book, undo: "X" } }],
    ["has no times, so that nobody knows until when it may arrive", { book: { ...book, times: {}, status: "none" } }]
  ])("is held and frozen where it %s", (_, more) => {
    const [bench, action] = taken({ tools: tools(more) })
    bench.now += 10_000
    ends(bench.readsBack(action, pending), "Held")
    assert.deepInclude(bench.last.body.data, { section: "verification_timeout", decision: "hold_and_escalate" })
    assert.strictEqual(OpenActions.of(bench.state)[action]?.state, "review_required")
    assert.strictEqual(historyOf(bench, action).state, "review_required")
    assert.strictEqual(Reporting.report(historyOf(bench, action)).standing, "review_required")
  })

  it("is asked about if the call itself was never answered, by row 7 of Action Verification", () => {
    const bench = new Bench({ changes: { tools: tools() } })
    const { action } = call(bench.proposes(bookOf("LX1")))
    asks(bench.answers(action, { _tag: "Unknown", reason: "cut" }), "Ask")
    bench.now += 60_000
    ends(bench.answers(action, pending, "status"), "Held")
    assert.deepInclude(bench.last.body.data, { section: "pending_timeout", decision: "poll_key_record" })
    asks(bench.does({ _tag: "Recover", action }), "Ask")
    asks(bench.answers(action, ok({ id: "B1" }), "status"), "ReadBack")
  })

  it("is read in the times of its class if the contract names none", () => {
    const readback = { source: "airline", expect: ["actual.price == args.price"] }
    const [bench, action] = taken({ tools: tools({ book: { ...book, readback } }) })
    bench.now += 59_000
    assert.strictEqual(bench.readsBack(action, ok({ price: 1 })).next._tag, "Wait")
    bench.now += 1000
    ends(bench.readsBack(action, ok({ price: 1 })), "Held")
  })
})

describe("a person who reopens a frozen action", () => {
  it("has it verified again, and may do so as often as it is frozen", () => {
    const [bench, action] = taken({ tools: tools({ book: { ...book, undo: "X" } }) })
    bench.now += 2000
    for (let round = 1; round <= 3; round++) {
      ends(bench.readsBack(action, ok({ id: "B1", price: 90 })), "Held")
      assert.strictEqual(OpenActions.of(bench.state)[action]?.mismatches, round)
      ends(bench.reopens(action), "Done")
      assert.strictEqual(historyOf(bench, action).state, "pending")
    }
    ends(bench.readsBack(action, ok({ id: "B1", price: 80 })), "Done")
    assert.deepInclude(historyOf(bench, action), { state: "reconciled_success", refused: [] })
  })

  it("cannot reopen an action that goes on by itself, nor note one that is open or was never held", () => {
    const [bench, action] = taken({})
    const resolves = (as: string) =>
      bench.proposes({ type: "review.decided", author: "user", data: { action, as, by: "Ada", evidence: "looked" } })
    assert.include(told(ends(resolves("reopened"), "Refused")), "action.goes_on")
    assert.include(told(ends(resolves("noted"), "Refused")), "action.open")
    bench.readsBack(action, ok({ id: "B1", price: 80 }))
    assert.include(told(ends(resolves("noted"), "Refused")), "action.not_noted")
  })
})

describe("a sandbox write whose record is wrong", () => {
  it("has failed, leaves it dirty, and frees its target: no person is asked", () => {
    const write = { ...book, class: "ephemeral_write", undo: "X" } as const
    const [bench, action] = taken({ tools: tools({ book: write }) })
    bench.now += 4000
    ends(bench.readsBack(action, ok({ id: "B1", price: 1 })), "Failed")
    const decided = bench.transitions.find(({ body }) => body.type === "recovery.decided")?.body.data
    assert.deepInclude(decided, { decision: "mark_dirty", fallback: "mark_dirty" })
    assert.deepStrictEqual(decided?.["exhausted"], [{ because: "no_transaction", fallback: "roll_back" }])
    assert.deepInclude(historyOf(bench, action), { state: "failed", refused: [] })
    assert.notProperty(OpenActions.of(bench.state), action)
  })
})

describe("a check that a contract leaves out", () => {
  it("is named with the settlement, and lowers the trust of critical actions alone", () => {
    const [bench, action] = taken({})
    ends(bench.readsBack(action, ok({ id: "B1", price: 80 })), "Done")
    const { trust, unchecked } = historyOf(bench, action)
    assert.strictEqual(trust, 3)
    assert.includeMembers([...(unchecked ?? [])], ["tenant", "key"])
    assert.strictEqual(Reporting.report(historyOf(bench, action)).standing, "success")
  })
})

describe("money that a reversal does not give back", () => {
  const keeping = (keeps: NonNullable<Tools[string]>["keeps"], actual: object) => {
    const bench = new Bench({
      changes: { tools: tools({ unbook: { ...unbook, ...(keeps === undefined ? {} : { keeps }) } }) }
    })
    const { action } = call(bench.proposes({ tool: "unbook", params: { id: "LX1" } }))
    return Compensation.kept(findAction(bench.terms, bench.state, action)!, actual as never)
  }
  const keeps = { amount: "actual.price - actual.refunded", currency: "CHF", decimal: 2 }

  it.each<readonly [string, object, object | undefined]>([
    ["an amount in minor units", { price: 9800, refunded: 0 }, { amount: "98.00", currency: "CHF" }],
    ["nothing", { price: 9800, refunded: 9800 }, undefined],
    ["what its record does not say", { price: 9800 }, undefined]
  ])("is told by its record: %s", (_, actual, kept) => {
    assert.deepStrictEqual(keeping(keeps, actual), kept)
  })

  it("is not guessed if the contract says nothing", () => {
    assert.isUndefined(keeping(undefined, { price: 9800, refunded: 0 }))
  })
})
