import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UsedKeys from "@backstitch/ledger/UsedKeys"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import { assert, describe, it } from "@effect/vitest"
import * as ActionFate from "../../src/action/ActionFate.ts"
import { findAction } from "../../src/action/ActionInFlight.ts"
import * as SendingAgain from "../../src/action/SendingAgain.ts"
import type { Evidence } from "../../src/decision/Evidence.ts"
import type { Proposal } from "../../src/decision/Proposal.ts"
import * as Kernel from "../../src/Kernel.ts"
import { asks, Bench, bookOf, call, type Definition, definition, ends, ok, told, wish } from "../lab.ts"

const readback = { source: "airline", expect: ["actual == null"] }
/** The tool that undoes a booking: its call leaves within 3 s, and shows within 1 s after that. */
const changes: Partial<Definition> = {
  skeletons: {},
  tools: { ...definition.tools, unbook: { ...definition.tools.unbook, readback } }
}
const arrivesMillis = 4_000
const cut: Evidence = { _tag: "Unknown", reason: "cut" }

const historyOf = (bench: Bench, action: string) => ActionHistories.of(bench.transitions, action)!
const standingOf = (bench: Bench, action: string) => Reporting.report(historyOf(bench, action)).standing
const undoOf = (bench: Bench, action: string) => SettledActions.of(bench.state).get(action)?.undo
const openOf = (bench: Bench, action: string) => OpenActions.of(bench.state)[action]
const resolves = (bench: Bench, action: string, as: string) =>
  bench.proposes({ author: "user", data: { action, as, by: "Ada", evidence: "phoned" }, type: "review.decided" })

/** A reversal of a booking, begun and about to be sent. */
const begun = (contract = changes) => {
  const bench = new Bench({ changes: contract })
  const action = "a2"
  bench.books("LX1")
  bench.does({ _tag: "Undo", wanted: { actions: [action], because: wish("it was not wanted"), cause: "revision" } })
  return { action, bench, reversal: asks(bench.compensates(), "ReadBefore").action }
}

describe("a reversal that may still arrive", () => {
  const sent = () => {
    const { action, bench, reversal } = begun()
    call(bench.does({ _tag: "ReadBefore", action: reversal, evidence: ok({ id: "LX1" }) }))
    const startedAt = bench.now
    bench.answers(reversal, cut)
    return { action, bench, reversal, startedAt }
  }

  it("is not called a failure before it can no longer arrive, by its contract (decision 0036)", () => {
    for (const named of ["action", "reversal"] as const) {
      const { bench, startedAt, ...ids } = sent()
      const { checks } = ends(resolves(bench, ids[named], "failure"), "Refused")
      const until = startedAt + arrivesMillis
      assert.deepInclude(checks[0]?.why, { args: { action: ids.reversal, overAt: until }, code: "action.arriving" })
      bench.now = until - 1
      ends(resolves(bench, ids[named], "failure"), "Refused")
      assert.isDefined(openOf(bench, ids.reversal))
      assert.strictEqual(undoOf(bench, ids.action), "undoing")
      bench.now = until
      ends(resolves(bench, ids[named], "failure"), "Done")
      assert.deepInclude(historyOf(bench, ids.reversal), { state: "failed", refused: [] })
      assert.strictEqual(undoOf(bench, ids.action), "standing")
    }
  })

  it("is abandoned if a person gives it up, and told neither as failed nor as done (L8)", () => {
    const { action, bench, reversal } = sent()
    ends(resolves(bench, reversal, "abandoned"), "Done")
    assert.deepInclude(historyOf(bench, reversal), { state: "abandoned", refused: [] })
    assert.isUndefined(openOf(bench, reversal))
    assert.deepStrictEqual([undoOf(bench, action), standingOf(bench, action)], ["undo_abandoned", "partial"])
    assert.strictEqual(standingOf(bench, reversal), "abandoned")
    const { key } = historyOf(bench, reversal)
    assert.strictEqual(UsedKeys.find(bench.state, key ?? "")?.status, "unknown")
    // Nobody who wants it undone is told that there is nothing to undo, and nobody who wants it done that it stands.
    const wanted = { actions: [action], because: wish("it was not wanted"), cause: "revision" } as const
    assert.include(told(ends(bench.does({ _tag: "Undo", wanted }), "Refused")), "undo.given_up")
    const found = ActionFate.of(bench.transitions, action)
    assert.deepStrictEqual(ActionFate.lost(found), { action: reversal, how: "given_up" })
    assert.strictEqual(found.status, "ok")
  })

  it("is told as not sent if it was given up before it was", () => {
    const { action, bench, reversal } = begun()
    assert.deepInclude(ActionFate.lost(ActionFate.of(bench.transitions, action)), { how: "undoing" })
    ends(resolves(bench, reversal, "abandoned"), "Done")
    assert.deepInclude(historyOf(bench, reversal), { refused: [] })
    assert.strictEqual(undoOf(bench, action), "undo_abandoned")
    assert.deepInclude(ActionFate.lost(ActionFate.of(bench.transitions, action)), { how: "given_up" })
  })

  it("is under way although another process found it due: it may have been sent (decision 0036)", () => {
    const { status: _, ...keyed } = definition.tools.unbook
    const tools = { ...definition.tools, unbook: { ...keyed, readback } }
    const { action, bench, reversal } = begun({ skeletons: {}, tools })
    const until = bench.now + arrivesMillis
    // Nobody has heard of the first process, which sends it meanwhile.
    bench.does({ _tag: "Recover", action: reversal })
    assert.deepInclude(openOf(bench, reversal), { due: true, attempts: 1 })
    assert.include(told(ends(resolves(bench, reversal, "failure"), "Refused")), `"overAt":${until}`)
    // What it undoes is not as it was, and its own record cannot be read: it is no first attempt that waits.
    asks(bench.compensates(ok({ id: "LX1", price: 90 })), "ReadBefore")
    ends(bench.does({ _tag: "ReadBefore", action: reversal, evidence: cut }), "Held")
    assert.deepInclude(openOf(bench, reversal), { due: true })
    assert.isUndefined(openOf(bench, reversal)?.deferred)
    ends(resolves(bench, reversal, "abandoned"), "Done")
    assert.strictEqual(standingOf(bench, action), "partial")
    assert.strictEqual(standingOf(bench, reversal), "abandoned")
  })
})

describe("an action that may still arrive", () => {
  const fax: Proposal = { tool: "fax", params: { to: "ada" } }
  /** Tools whose contract gives all of its times, no horizon, and none. */
  const sendings = [
    ["book", bookOf("LX1"), 4_000],
    ["tell", { tool: "tell", params: { to: "a@b.ch" } }, 3_000],
    ["fax", fax, 30_000]
  ] as const
  const sent = (proposal: Proposal) => {
    const bench = new Bench({ changes })
    const { action, key } = call(bench.proposes(proposal))
    return { action, bench, key, startedAt: bench.now }
  }

  for (const [tool, proposal, millis] of sendings) {
    it(`is called a failure by nobody before it cannot any more: ${tool}, ${millis} ms (decision 0036)`, () => {
      for (const answer of [undefined, cut]) {
        const { action, bench, key, startedAt } = sent(proposal)
        if (answer !== undefined) bench.answers(action, answer)
        const until = startedAt + millis
        for (const now of [startedAt, until - 1]) {
          bench.now = now
          const { checks } = ends(resolves(bench, action, "failure"), "Refused")
          assert.deepInclude(checks[0]?.why, { args: { action, overAt: until }, code: "action.arriving" })
          assert.isDefined(openOf(bench, action))
          // Nothing else is sent for it meanwhile: its key is one act.
          assert.notStrictEqual(UsedKeys.find(bench.state, key ?? "")?.status, "error")
        }
        bench.now = until
        ends(resolves(bench, action, "failure"), "Done")
        assert.deepInclude(historyOf(bench, action), { state: "failed", refused: [] })
        assert.notStrictEqual(call(bench.proposes(proposal)).key, key)
      }
    })
  }

  it("is abandoned at any time, and the same act is not sent again after that (L14)", () => {
    for (const [, proposal] of sendings) {
      const { action, bench } = sent(proposal)
      ends(resolves(bench, action, "abandoned"), "Done")
      assert.strictEqual(standingOf(bench, action), "abandoned")
      assert.notStrictEqual(bench.proposes(proposal).next._tag, "Call")
    }
  })

  it("is not sent again by a person under any key before it can no longer arrive, whatever they found (L14)", () => {
    const { action, bench, startedAt } = sent(fax)
    ends(bench.answers(action, cut), "Held")
    assert.include(told(ends(resolves(bench, action, "resent"), "Refused")), "action.arriving")
    bench.now = startedAt + 29_999
    assert.include(told(ends(resolves(bench, action, "resent"), "Refused")), "action.arriving")
    bench.now += 1
    ends(resolves(bench, action, "resent"), "Done")
    call(bench.does({ _tag: "Recover", action }))
    // What is under way now is the next one.
    ends(bench.answers(action, cut), "Held")
    assert.include(told(ends(resolves(bench, action, "failure"), "Refused")), `"overAt":${bench.now + 30_000}`)
  })

  it("has its time by a clock that leapt: the time of the leap has not passed", () => {
    const { action, bench, startedAt } = sent(fax)
    bench.now = startedAt + 40_000
    const data = { action, as: "failure", by: "Ada", evidence: "phoned" }
    const proposal = { author: "user", data, type: "review.decided" } as const
    const terms = { ...bench.terms, leaps: [{ at: startedAt + 1, millis: 20_000 }] }
    const decision = Kernel.decide(terms, bench.state, { _tag: "Resolve", proposal })
    assert.include(told(ends(decision, "Refused")), `"overAt":${bench.now + 10_000}`)
  })

  it("is none once it was refused, or a transaction that is never committed", () => {
    const { bench, ...ids } = sent(fax)
    const subject = findAction(bench.terms, bench.state, ids.action)!
    const until = (more: Partial<OpenAction.OpenAction>) =>
      SendingAgain.arrivesUntil({ ...subject, open: { ...subject.open, ...more } })
    const arrives = bench.now + 30_000
    const answer = { as: "refused", at: bench.now, output: "full" } as const
    assert.strictEqual(until({}), arrives)
    assert.isUndefined(until({ answer, heard: "answer" }))
    // It was sent again since.
    assert.strictEqual(until({ answer, heard: undefined }), arrives)
    for (const transaction of ["open", "commit"]) assert.strictEqual(until({ transaction }), arrives)
    for (const transaction of ["committed", "freeze", "roll_back"]) assert.isUndefined(until({ transaction }))
    assert.isUndefined(until({ state: "validated" }))
  })
})
