import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import { assert, describe, it } from "@effect/vitest"
import type { Evidence } from "../src/Command.ts"
import * as Sending from "../src/Sending.ts"
import { asks, Bench, bookOf, call, definition, ends, failing, ok } from "./lab.ts"

/** A bench whose booking was answered, at the end of the time in which it may show. */
const answered = (changes: Partial<typeof definition.tools.book> | object = {}) => {
  const bench = new Bench({
    changes: { tools: { ...definition.tools, book: { ...definition.tools.book, ...changes } } }
  })
  const request = call(bench.proposes(bookOf("LX1")))
  bench.answers(request.action, ok({ id: "B1" }))
  bench.now += 4_000
  return { bench, ...request }
}

const dataOf = (bench: Bench, type: string) => bench.transitions.findLast(({ body }) => body.type === type)?.body.data

describe("Recovery", () => {
  it("names a record that shows other values, and holds the action with what the table says (L9)", () => {
    const { action, bench } = answered()
    const held = ends(bench.readsBack(action, ok({ id: "B1", price: 90 })), "Held")
    assert.deepStrictEqual(bench.types(4), ["action.verified", "recovery.decided"])
    assert.deepInclude(dataOf(bench, "action.verified"), {
      discrepancy: "value_mismatch",
      evidence: [{ fact: "actual.price == args.price", expected: true, found: false }]
    })
    assert.deepInclude(dataOf(bench, "recovery.decided"), {
      decision: "compensate",
      discrepancy: "value_mismatch",
      policyVersion: RecoveryTable.policyVersion(),
      row: 3,
      section: "value_mismatch"
    })
    assert.include(held.why, "value_mismatch")
    assert.include(held.next, "run the action that reverses it")
  })

  it("asks a person where there is no way back", () => {
    const { action, bench } = answered({ undo: "X" })
    ends(bench.readsBack(action, ok({ id: "B1", price: 90 })), "Held")
    assert.strictEqual(dataOf(bench, "recovery.decided")?.["decision"], "review")
  })

  it("calls another target what it is at once, whatever may still arrive", () => {
    const { action, bench } = answered()
    bench.now -= 4_000
    const held = ends(bench.readsBack(action, ok({ id: "B1", flight: "LX2", price: 90 })), "Held")
    assert.deepInclude(dataOf(bench, "recovery.decided"), {
      decision: "freeze_and_alarm",
      discrepancy: "wrong_target_modified"
    })
    assert.include(held.next, "breach")
  })

  it("does not take another spelling for another target", () => {
    const { action, bench } = answered()
    ends(bench.readsBack(action, ok({ id: "B1", flight: "lx 1", price: 90 })), "Held")
    assert.strictEqual(dataOf(bench, "recovery.decided")?.["discrepancy"], "value_mismatch")
  })

  it("counts what is on record under one key", () => {
    const { action, bench, key } = answered()
    const entry = { id: "B1", key: key ?? "", price: 80 }
    ends(bench.readsBack(action, ok([entry, { ...entry, id: "B2" }])), "Held")
    assert.strictEqual(dataOf(bench, "recovery.decided")?.["decision"], "freeze_and_alert")
  })

  it("sends again under the same key what is proven not to have happened, and not before (L7, L9)", () => {
    const { action, bench, key } = answered()
    bench.now -= 1
    assert.strictEqual(bench.readsBack(action, { _tag: "NotFound" }).next._tag, "Wait")
    bench.now += 1
    const request = call(bench.readsBack(action, { _tag: "NotFound" }))
    assert.strictEqual(request.key, key)
    // That it did not show at first is on record once, and then what was decided when its time was over.
    assert.deepStrictEqual(bench.types(4), [
      "recovery.decided",
      "action.verified",
      "recovery.decided",
      "action.started"
    ])
    assert.strictEqual(bench.last.stamp.key, key)
    asks(bench.answers(action, ok({ id: "B1" })), "ReadBack")
    ends(bench.readsBack(action, ok({ id: "B1", price: 80 })), "Done")
    const history = ActionHistory.of(bench.transitions, action)
    assert.strictEqual(history?.state, "reconciled_success")
    assert.deepStrictEqual(history?.refused, [])
  })

  it("never sends again what its tool would do twice, or under a key that is forgotten (L7)", () => {
    const keyless = answered({ idempotency: "effectful" })
    ends(keyless.bench.readsBack(keyless.action, { _tag: "NotFound" }), "Held")
    const late = answered()
    late.bench.now += 3_600_000
    ends(late.bench.readsBack(late.action, { _tag: "NotFound" }), "Held")
    for (const { bench } of [keyless, late]) {
      assert.deepInclude(dataOf(bench, "recovery.decided"), {
        decision: "hold_and_escalate",
        discrepancy: "no_op_failure"
      })
      assert.deepStrictEqual(failing(bench.proposes(bookOf("LX1", 80, { traveller: "Bob" }))), ["target seat/LX1"])
    }
  })

  it("ends: a record that never shows is sent for a number of times, then held", () => {
    const { action, bench } = answered()
    for (let sends = 1; sends < Sending.sendsMax; sends++) {
      call(bench.readsBack(action, { _tag: "NotFound" }))
      bench.answers(action, ok({ id: "B1" }))
      bench.now += 4_000
    }
    ends(bench.readsBack(action, { _tag: "NotFound" }), "Held")
    assert.strictEqual(dataOf(bench, "recovery.decided")?.["decision"], "hold_and_escalate")
  })

  it("does not believe a replica that shows nothing", () => {
    const { action, bench } = answered({ readback: { ...definition.tools.book.readback, consistency: "eventual" } })
    const held = ends(bench.readsBack(action, { _tag: "NotFound" }), "Held")
    assert.include(held.why, "its contract names no source of a strong read")
    assert.deepInclude(dataOf(bench, "recovery.decided"), {
      decision: "hold_and_escalate",
      discrepancy: "propagation_delay"
    })
  })

  it("keeps open what could not be read, without a claim either way", () => {
    for (const [evidence, decision] of [
      [{ _tag: "Unknown", reason: "cut" }, "hold_pending"],
      [{ _tag: "Error", error: "forbidden" }, "hold_pending"],
      [{ _tag: "Pending" }, "hold_and_escalate"]
    ] as ReadonlyArray<readonly [Evidence, string]>) {
      const { action, bench } = answered()
      ends(bench.readsBack(action, evidence), "Held")
      assert.deepInclude(dataOf(bench, "recovery.decided"), { decision, discrepancy: "unknown_state" })
      assert.strictEqual(dataOf(bench, "action.verified")?.["read"], evidence._tag)
    }
  })

  it("holds what a predicate has no answer for: silence is not success", () => {
    const { action, bench } = answered()
    ends(bench.readsBack(action, ok({ id: "B1" })), "Held")
    assert.strictEqual(dataOf(bench, "recovery.decided")?.["discrepancy"], "unknown_state")
  })

  it("puts on record why an answer about a key settled nothing", () => {
    const { action, bench } = answered()
    const held = ends(bench.answers(action, { _tag: "Unknown", reason: "cut" }, "status"), "Held")
    assert.strictEqual(bench.last.body.type, "recovery.decided")
    assert.deepInclude(bench.last.body.data, { decision: "hold_pending", read: "Unknown", via: "status" })
    assert.include(held.next, "hold_pending")
    assert.strictEqual(held.tick, bench.last.tick)
  })
})
