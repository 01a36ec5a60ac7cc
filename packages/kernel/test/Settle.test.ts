import * as Backoff from "@backstitch/contracts/Backoff"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import { assert, describe, it } from "@effect/vitest"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as Limits from "../src/Limits.ts"
import { asks, Bench, bookOf, call, ends, failing, ok, told } from "./lab.ts"

const unknown: Evidence = { _tag: "Unknown", reason: "cut" }
const booked = ok({ id: "B1" })

/** A bench with one open booking. */
const open = () => {
  const bench = new Bench()
  const request = call(bench.proposes(bookOf("LX1")))
  return { bench, ...request }
}

describe("Settle", () => {
  describe("an answer to a call", () => {
    it("is evidence: it is read back before it is believed", () => {
      const { action, bench } = open()
      const decision = bench.answers(action, booked)
      assert.strictEqual(decision.flush, "later")
      assert.deepStrictEqual(asks(decision, "ReadBack").observed, { id: "B1" })
      const done = ends(bench.readsBack(action, ok({ id: "B1", price: 80 })), "Done")
      assert.strictEqual(done.basis, "readback")
      assert.strictEqual(done.tick, bench.at.head.tick)
      assert.deepStrictEqual(bench.types(3), ["action.result", "action.verified", "action.reconciled"])
      assert.strictEqual(bench.last.body.result?.trust, 3)
    })

    it("settles the action as failed if it refuses, and frees its target", () => {
      const { action, bench } = open()
      assert.deepStrictEqual(ends(bench.answers(action, { _tag: "Error", error: "full" }), "Failed").error, "full")
      assert.deepStrictEqual(bench.types(3), ["action.result", "action.reconciled"])
      assert.strictEqual(bench.last.body.result?.status, "error")
      assert.strictEqual(bench.state.world["spent"], 0)
      call(bench.proposes(bookOf("LX1", 80, { traveller: "Bob" })))
    })

    it("is neither success nor failure if it is lost: the key is asked about, and the target kept (L7)", () => {
      const { action, bench, key } = open()
      const decision = bench.answers(action, unknown)
      assert.strictEqual(asks(decision, "Ask").key, key)
      assert.deepStrictEqual(bench.types(3), ["action.result"])
      assert.strictEqual(bench.last.body.result?.status, "unknown")
      assert.deepStrictEqual(failing(bench.proposes(bookOf("LX1", 80, { traveller: "Bob" }))), ["target seat/LX1"])
    })

    it("stays the tool's word if the contract has no readback", () => {
      const bench = new Bench()
      const { action } = call(bench.proposes({ tool: "tell", params: { to: "a@b.ch" } }))
      const done = ends(bench.answers(action, ok({ id: "M1" })), "Done")
      assert.strictEqual(done.basis, "attested")
      assert.strictEqual(bench.last.body.result?.trust, 1)
    })

    it("counts as none if it does not have the contract's shape and nothing else proves it", () => {
      const bench = new Bench()
      const { action } = call(bench.proposes({ tool: "weigh", params: {} }))
      // It is asked once more, and has nowhere else to be read.
      call(bench.answers(action, ok({ grams: "heavy" })))
      const failed = ends(bench.answers(action, ok({ grams: "heavy" })), "Failed")
      assert.include(told(failed), "answer.malformed")
      assert.strictEqual(bench.last.body.result?.status, "unknown")
      const other = call(bench.proposes({ tool: "weigh", params: {} }))
      ends(bench.answers(other.action, ok({ grams: 12 })), "Done")
    })

    it("to a read settles it", () => {
      const bench = new Bench()
      const { action } = call(bench.proposes({ tool: "look", params: { q: "x" } }))
      assert.deepStrictEqual(ends(bench.answers(action, ok({ found: "y" })), "Done").output, { found: "y" })
      const failed = call(bench.proposes({ tool: "look", params: { q: "x" } }))
      call(bench.answers(failed.action, unknown))
      assert.include(told(ends(bench.answers(failed.action, unknown), "Failed")), '"why":"cut"')
    })

    it("for an action that is settled already changes nothing", () => {
      const { action, bench } = open()
      bench.answers(action, booked)
      bench.readsBack(action, ok({ id: "B1", price: 80 }))
      const { tick } = bench.at.head
      for (const decision of [
        bench.answers(action, booked),
        bench.readsBack(action, ok({ id: "B1", price: 80 })),
        bench.does({ _tag: "Recover", action })
      ]) {
        assert.strictEqual(ends(decision, "Done").adopted?.action, action)
      }
      assert.strictEqual(bench.at.head.tick, tick)
    })
  })

  describe("an answer to a question about the key", () => {
    it("is read back if it finds the effect, which is not done again", () => {
      const { action, bench } = open()
      asks(bench.does({ _tag: "Recover", action }), "Ask")
      asks(bench.answers(action, booked, "status"), "ReadBack")
      ends(bench.readsBack(action, ok({ id: "B1", price: 80 })), "Done")
      assert.strictEqual(bench.types().filter((type) => type === "action.started").length, 1)
    })

    it("settles the action by status if it finds the effect and there is no readback (decision 0043)", () => {
      const bench = new Bench()
      const { action } = call(bench.proposes({ tool: "unbook", params: { id: "B1" } }))
      bench.answers(action, unknown)
      assert.strictEqual(ends(bench.answers(action, ok({ id: "B1" }), "status"), "Done").basis, "status")
      assert.strictEqual(bench.last.body.result?.trust, 2)
    })

    it("settles the action as failed if it finds a refusal", () => {
      const { action, bench } = open()
      bench.answers(action, unknown)
      ends(bench.answers(action, { _tag: "Error", error: "full" }, "status"), "Failed")
      assert.strictEqual(bench.last.body.result?.basis, "status")
    })

    it("proves nothing by finding nothing before the times of the contract have passed", () => {
      const { action, bench } = open()
      const started = bench.now
      const early = bench.answers(action, { _tag: "NotFound" }, "status")
      assert.deepStrictEqual(early.next, { _tag: "Wait", action, untilMillis: started + 4000 })
      bench.now = started + 3999
      assert.strictEqual(bench.answers(action, { _tag: "NotFound" }, "status").next._tag, "Wait")
      assert.strictEqual(bench.at.head.tick, 3)
    })

    it("sends again under the same key if it finds nothing afterwards, durably first (L5)", () => {
      const { action, bench, key } = open()
      bench.now += 4000
      const again = bench.answers(action, { _tag: "NotFound" }, "status")
      assert.strictEqual(again.flush, "now")
      assert.strictEqual(call(again).key, key)
      assert.strictEqual(call(again).sendBefore, bench.now + 3000)
      assert.deepStrictEqual(bench.types(3), ["recovery.decided", "action.started"])
      assert.strictEqual(bench.last.stamp.key, key)
    })

    it("holds the action if it finds nothing once the key is forgotten: sending again could do it twice", () => {
      const { action, bench } = open()
      bench.now += 3_600_000
      const held = ends(bench.answers(action, { _tag: "NotFound" }, "status"), "Held")
      assert.include(told(held), "sending.key_expired")
      assert.deepStrictEqual(bench.types(3), ["recovery.decided"])
    })

    it("is asked for again if it says under way, and the action is held after ten times the settling time", () => {
      const { action, bench } = open()
      const started = bench.now
      assert.deepStrictEqual(bench.answers(action, { _tag: "Pending" }, "status").next, {
        _tag: "Wait",
        action,
        untilMillis: started + Backoff.standard.firstMillis
      })
      bench.now = started + 10_000
      ends(bench.answers(action, { _tag: "Pending" }, "status"), "Held")
    })

    it("holds the action, and the target with it, if it does not come (L7)", () => {
      const { action, bench } = open()
      const held = ends(bench.answers(action, unknown, "status"), "Held")
      assert.include(told(held), '"target":"seat/LX1"')
      assert.strictEqual(bench.last.body.type, "recovery.decided")
      assert.include(JSON.stringify(bench.last.body.data), "cut")
      assert.deepStrictEqual(failing(bench.proposes(bookOf("LX1", 80, { traveller: "Bob" }))), ["target seat/LX1"])
    })

    it("ends after a number of sends: no loop goes on without an end", () => {
      const { action, bench } = open()
      for (let sends = 1; sends < Limits.deciding.sendsMax; sends++) {
        bench.now += 4000
        call(bench.answers(action, { _tag: "NotFound" }, "status"))
      }
      bench.now += 4000
      assert.include(told(ends(bench.answers(action, { _tag: "NotFound" }, "status"), "Held")), '{"attempts":8}')
    })
  })

  describe("a readback", () => {
    it("is repeated within the contract's time if it does not show the effect yet", () => {
      const { action, bench } = open()
      const started = bench.now
      bench.answers(action, booked)
      const early = bench.readsBack(action, { _tag: "NotFound" })
      assert.deepStrictEqual(early.next, { _tag: "Wait", action, untilMillis: started + Backoff.standard.firstMillis })
      bench.now = started + 1900
      const late = bench.readsBack(action, { _tag: "NotFound" })
      assert.deepStrictEqual(late.next, { _tag: "Wait", action, untilMillis: started + 2000 })
    })

    it("holds the action if it shows something else, and nothing is believed", () => {
      const { action, bench } = open()
      bench.answers(action, booked)
      bench.now += 2000
      const held = ends(bench.readsBack(action, ok({ id: "B1", price: 90 })), "Held")
      assert.include(told(held), "actual.price == args.price")
      assert.strictEqual(bench.verdict?.status, "mismatch")
      assert.strictEqual(bench.state.world["spent"], 0)
      asks(bench.does({ _tag: "Recover", action }), "ReadBack")
    })

    it("is unknown if it cannot be made, and is made again on recovery", () => {
      const { action, bench } = open()
      bench.answers(action, booked)
      bench.now += 2000
      ends(bench.readsBack(action, unknown), "Held")
      assert.strictEqual(bench.verdict?.status, "unknown")
      asks(bench.does({ _tag: "Recover", action }), "ReadBack")
      ends(bench.readsBack(action, ok({ id: "B1", price: 80 })), "Done")
    })
  })

  describe("an action that a crash left open", () => {
    it("calls a read again", () => {
      const bench = new Bench()
      const { action } = call(bench.proposes({ tool: "look", params: { q: "x" } }))
      assert.strictEqual(call(bench.does({ _tag: "Recover", action })).action, action)
    })

    it("asks about a started action with the key that it was started with (L5)", () => {
      const { action, bench, key } = open()
      assert.strictEqual(asks(bench.does({ _tag: "Recover", action }), "Ask").key, key)
    })

    it("sends again if keys are honoured and nothing can be asked", () => {
      const bench = new Bench()
      const { action, key } = call(bench.proposes({ tool: "tell", params: { to: "a@b.ch" } }))
      assert.strictEqual(call(bench.does({ _tag: "Recover", action })).key, key)
    })

    it("asks a person, on the record, once no source can answer any more: no key is on record (row 8, L9)", () => {
      const bench = new Bench()
      const { action } = call(bench.proposes({ tool: "fax", params: { to: "ada" } }))
      // Its sender may still hear an answer: another process decides nothing before.
      const before = bench.transitions.length
      const heard = bench.now + 60_000
      assert.deepStrictEqual(bench.does({ _tag: "Recover", action }).next, { _tag: "Wait", action, untilMillis: heard })
      assert.strictEqual(bench.transitions.length, before)
      bench.now = heard
      ends(bench.does({ _tag: "Recover", action }), "Held")
      const decided = bench.transitions.find(({ body }) => body.type === "recovery.decided")?.body.data
      assert.deepInclude(decided, { decision: "freeze_and_reconcile", discrepancy: "unknown_state", via: "silence" })
      assert.deepInclude(ActionHistories.of(bench.transitions, action), { state: "review_required", refused: [] })
      const { length } = bench.transitions
      ends(bench.does({ _tag: "Recover", action }), "Held")
      assert.strictEqual(bench.transitions.length, length)
    })

    it("holds an action that can be neither asked about nor sent again (L14)", () => {
      const bench = new Bench()
      const { action } = call(bench.proposes({ tool: "fax", params: { to: "1" } }))
      bench.now += 60_000
      const held = ends(bench.does({ _tag: "Recover", action }), "Held")
      assert.include(told(held), "sending.no_way")
      assert.deepStrictEqual(
        failing(bench.proposes({ ...{ tool: "fax", params: { to: "1" } }, occurrence: 2, occurrenceBy: "plan" })),
        ["target fax/1"]
      )
    })

    it("reads back an answered action", () => {
      const { action, bench } = open()
      bench.answers(action, booked)
      asks(bench.does({ _tag: "Recover", action }), "ReadBack")
    })
  })
})
