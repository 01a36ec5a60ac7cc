import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import type * as Saga from "@backstitch/ledger/Saga"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import { assert, describe, it } from "@effect/vitest"
import { findAction } from "../src/action/ActionInFlight.ts"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as Limits from "../src/Limits.ts"
import * as Finding from "../src/payload/Finding.ts"
import * as Recovery from "../src/recovery/Recovery.ts"
import { asks, Bench, bookOf, call, definition, ends, failing, ok, told } from "./lab.ts"

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
  it("names a record with other values, and holds the action with the decision of the table (L9)", () => {
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
    assert.include(told(held), "value_mismatch")
    assert.include(told(held), '"action":"compensate"')
  })

  it("asks a person if nothing can be undone", () => {
    const { action, bench } = answered({ undo: "X" })
    ends(bench.readsBack(action, ok({ id: "B1", price: 90 })), "Held")
    assert.strictEqual(dataOf(bench, "recovery.decided")?.["decision"], "review")
  })

  it("names another target at once, whatever may still arrive", () => {
    const { action, bench } = answered()
    bench.now -= 4_000
    const held = ends(bench.readsBack(action, ok({ id: "B1", flight: "LX2", price: 90 })), "Held")
    assert.deepInclude(dataOf(bench, "recovery.decided"), {
      decision: "freeze_and_alarm",
      discrepancy: "wrong_target_modified"
    })
    assert.include(told(held), "freeze_and_alarm")
  })

  it("does not take another spelling for another target", () => {
    const { action, bench } = answered()
    ends(bench.readsBack(action, ok({ id: "B1", flight: "lx 1", price: 90 })), "Held")
    assert.strictEqual(dataOf(bench, "recovery.decided")?.["discrepancy"], "value_mismatch")
  })

  it("counts the records under one key", () => {
    const { action, bench, key } = answered()
    const entry = { id: "B1", key: key ?? "", price: 80 }
    ends(bench.readsBack(action, ok([entry, { ...entry, id: "B2" }])), "Held")
    assert.strictEqual(dataOf(bench, "recovery.decided")?.["decision"], "freeze_and_alert")
    // What stands beside it under another key is somebody else's.
    const beside = answered()
    ends(
      beside.bench.readsBack(
        beside.action,
        ok([
          { ...entry, key: beside.key ?? "" },
          { ...entry, key: "k2" }
        ])
      ),
      "Held"
    )
    assert.notStrictEqual(dataOf(beside.bench, "recovery.decided")?.["discrepancy"], "duplicate_side_effect")
  })

  it("sends again under the same key an act that is proven not to have happened, and not before (L7, L9)", () => {
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
    const history = ActionHistories.of(bench.transitions, action)
    assert.strictEqual(history?.state, "reconciled_success")
    assert.deepStrictEqual(history?.refused, [])
  })

  it("never sends again a request that its tool would execute twice, or whose key is forgotten (L7)", () => {
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
    for (let sends = 1; sends < Limits.deciding.sendsMax; sends++) {
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
    assert.include(told(held), '"alone":true')
    assert.deepInclude(dataOf(bench, "recovery.decided"), {
      decision: "hold_and_escalate",
      discrepancy: "propagation_delay"
    })
  })

  it("keeps an unreadable action open, without a claim either way", () => {
    for (const [evidence, decision] of [
      [{ _tag: "Unknown", reason: "cut" }, "hold_pending"],
      [{ _tag: "Error", error: "forbidden" }, "hold_pending"],
      [{ _tag: "Pending" }, "hold_and_escalate"]
    ] as ReadonlyArray<readonly [Evidence, string]>) {
      const { action, bench } = answered()
      ends(bench.readsBack(action, evidence), "Held")
      assert.deepInclude(dataOf(bench, "recovery.decided"), { decision, discrepancy: "unknown_state" })
      assert.strictEqual(
        dataOf(bench, "action.verified")?.["read"],
        evidence._tag.replace(/(?<=.)[A-Z]/, "_$&").toLowerCase()
      )
    }
  })

  it("holds an action if a predicate has no answer: silence is not success", () => {
    const { action, bench } = answered()
    ends(bench.readsBack(action, ok({ id: "B1" })), "Held")
    assert.strictEqual(dataOf(bench, "recovery.decided")?.["discrepancy"], "unknown_state")
  })

  it("puts on record why an answer about a key settled nothing", () => {
    const { action, bench } = answered()
    const held = ends(bench.answers(action, { _tag: "Unknown", reason: "cut" }, "status"), "Held")
    assert.strictEqual(bench.last.body.type, "recovery.decided")
    assert.deepInclude(bench.last.body.data, { decision: "hold_pending", read: "unknown", via: "status" })
    assert.include(told(held), "hold_pending")
    assert.strictEqual(held.tick, bench.last.tick)
  })
})

/** Shows a judgement: the class, what was compared, what is to be done, by which row, and the incident. */
const judged = (recovery: Recovery.Recovery | undefined) =>
  recovery && [
    recovery.discrepancy.class,
    recovery.discrepancy.evidence.map(({ expected, fact, found }) => [fact, expected, found]),
    `${recovery.decision.action}, ${recovery.decision.section} ${recovery.decision.row}`
  ]

/** A booking that has started. */
const started = () => {
  const bench = new Bench()
  const { action } = call(bench.proposes(bookOf("LX1")))
  const { state, terms } = bench
  return { state, subject: findAction(terms, state, action)!, terms }
}

describe("Recovery judges", () => {
  const { state, subject, terms } = started()
  const silent = "record.conclusive"
  const down: Evidence = { _tag: "Unknown", reason: "down" }

  it("the remains of a transaction, and the record before a call, by expected and found values (L9)", () => {
    assert.deepStrictEqual(judged(Recovery.ofAborted(subject)), [
      "no_op_failure",
      [["transaction.committed", true, false]],
      "roll_back, observation_authority_mismatch 4"
    ])
    assert.deepStrictEqual(judged(Recovery.ofRemains(subject, { price: 7 })), [
      "unknown_state",
      [["record.as_before", true, { price: 7 }]],
      "hold_and_escalate, unknown_state 4"
    ])
    assert.deepStrictEqual(judged(Recovery.ofStale(subject, ["7", "8"])), [
      "stale_state",
      [["target.version", "7", "8"]],
      "refresh_and_replan, stale_state_error 1"
    ])
    const unchanged = ["no_op_success", [["target.changed", true, false]]]
    assert.deepStrictEqual(judged(Recovery.ofNoOp(subject, true)), [...unchanged, "settle_as_is, no_op_success 1"])
    assert.deepStrictEqual(judged(Recovery.ofNoOp(subject, false)), [...unchanged, "review, no_op_success 2"])
  })

  it("a provider that is down: an unsent act is deferred, and a sent one is held (rows 18 and 19)", () => {
    const again = { ...subject, open: { ...subject.open, attempts: 2 } }
    assert.deepStrictEqual(judged(Recovery.ofOutage(subject, down)), [
      "unverifiable_state",
      [[silent, true, "down"]],
      "defer, provider_outage 1"
    ])
    assert.deepStrictEqual(judged(Recovery.ofOutage(again, down)), [
      "unknown_state",
      [[silent, true, "down"]],
      "hold_pending, provider_outage 2"
    ])
    assert.deepStrictEqual(judged(Recovery.ofUnread(subject, down)), [
      "unknown_state",
      [[silent, true, "down"]],
      "hold_pending, unknown_state 3"
    ])
  })

  it("a call without any answer: it is never taken for done or for not done (L7)", () => {
    const cut = Finding.make("sending.no_way", {})
    const none = Finding.make("record.no_way", {})
    const unknown = ["unknown_state", [[silent, true, cut]]]
    assert.deepStrictEqual(judged(Recovery.ofLost(subject, cut)), [
      ...unknown,
      "freeze_and_reconcile, pending_timeout 4"
    ])
    assert.deepStrictEqual(judged(Recovery.ofSilence(subject, cut)), [
      ...unknown,
      "freeze_and_reconcile, pending_timeout 1"
    ])
    assert.deepStrictEqual(judged(Recovery.unverifiable(subject, none)), [
      "unverifiable_state",
      [["record.way", true, none]],
      "hold_and_escalate, unverifiable_result 2"
    ])
  })

  it("an answer about a key: only an act that is proven not to have happened is sent again (L7, L9)", () => {
    const of = (evidence: Evidence, proven: boolean) => judged(Recovery.ofStatus(subject, { evidence, proven }))
    const absent = ["no_op_failure", [["key.recorded", true, false]]]
    assert.deepStrictEqual(of({ _tag: "NotFound" }, true), [...absent, "retry_same_key, no_op_failure 6"])
    assert.deepStrictEqual(of({ _tag: "NotFound" }, false)?.at(-1), "hold_and_escalate, unknown_state 4")
    assert.deepStrictEqual(of(down, false), [
      "unknown_state",
      [[silent, true, "down"]],
      "hold_pending, provider_outage 2"
    ])
    assert.deepStrictEqual(of({ _tag: "Pending" }, false)?.at(-1), "poll_key_record, pending_timeout 2")
  })

  it("an answer about a key: an act that a tool has answered is sent again only if the tool recognises it (L7)", () => {
    const of = (idempotency: "effectful" | "idempotent_write", answer?: OpenAction.LastAnswer, under = state) => {
      const open = answer === undefined ? subject.open : OpenAction.answeredBy(subject.open, answer)
      const contract = { ...subject.contract, idempotency }
      const asked = { evidence: { _tag: "NotFound" }, proven: true } as const
      return judged(Recovery.ofStatus({ ...subject, state: under, contract, open }, asked))?.at(-1)
    }
    // A run of the first rules is decided as it was (decision 0021).
    const first = { ...state, kernel: { ...state.kernel, [PackInForce.part.name]: PackInForce.part.init } }
    assert.strictEqual(of("effectful", { as: "done", at: 1, output: {} }, first), "retry_same_key, no_op_failure 6")
    for (const as of ["done", "accepted"] as const) {
      const answer = { as, at: 1, output: { id: "B1" } }
      assert.strictEqual(of("effectful", answer), "hold_and_escalate, no_op_failure 8")
      assert.strictEqual(of("idempotent_write", answer), "retry_same_key, no_op_failure 6")
    }
    assert.strictEqual(of("effectful"), "retry_same_key, no_op_failure 6")
  })

  it("a replay by the tool's guarantees, and names the incident that it opens if the tool honours no key", () => {
    const keyless = { ...subject, contract: { ...subject.contract, idempotency: "effectful" as const } }
    const [honoured, repeated] = [subject, keyless].map((each) => Recovery.ofReplay(each)) as [
      Recovery.Recovery,
      Recovery.Recovery
    ]
    const evidence = [["answer.first", true, false]]
    assert.deepStrictEqual(judged(honoured), [
      "duplicate_side_effect",
      evidence,
      "record_replay, duplicate_side_effect 1"
    ])
    assert.isUndefined(Recovery.toContent({ terms, id: "a2" }, honoured).data?.incident)
    assert.deepStrictEqual(judged(repeated), [
      "duplicate_side_effect",
      evidence,
      "freeze_and_alert, duplicate_side_effect 2"
    ])
    assert.strictEqual(Recovery.toContent({ terms, id: "a2" }, repeated).data?.incident, `a2@${terms.tick}`)
    const failed = Recovery.ofCompensationFailure(terms, "high_risk_external")
    assert.deepStrictEqual(judged(failed), [
      "compensation_required",
      [["reversal.done", true, false]],
      "open_incident, compensation_failure 2"
    ])
  })

  it("a workflow by its parts that exist, and nothing if none does", () => {
    const step = (action: string, more: Partial<Saga.SagaStep> = {}): Saga.SagaStep => ({
      action,
      compensation: { tool: "unbook", params: {} },
      repeatable: true,
      reversibility: "K",
      state: "reconciled_success",
      ...more
    })
    const of = (...steps: ReadonlyArray<Saga.SagaStep>) => judged(Recovery.ofSubtask(subject, steps))
    const given = [subject.id, true, false]
    assert.isUndefined(of(step("a", { state: "failed" })))
    assert.isUndefined(of(step("a", { reversibility: "I" })))
    assert.deepStrictEqual(of(step("a"), step("b", { state: "failed" })), [
      "partial_application",
      [given, ["a", true, true]],
      "compensate_backward, partial_success 6"
    ])
    // What may still stand counts as well, and what cannot be undone leads forward.
    assert.deepStrictEqual(of(step("a", { state: "pending" })), [
      "partial_application",
      [given],
      "compensate_backward, partial_success 6"
    ])
    assert.strictEqual(of(step("a"), step("b", { pivot: true }))?.at(-1), "recover_forward, partial_success 2")
    const { compensation: _, ...oneWay } = step("b")
    assert.notStrictEqual(of(step("a"), oneWay)?.at(-1), "compensate_backward, partial_success 6")
  })

  it("an open transaction by the time that it had, and rolls it back either way", () => {
    const read = { evidence: ok({ id: "B1" }), predicates: [] }
    for (const late of [true, false]) {
      assert.deepStrictEqual(judged(Recovery.ofTransaction(subject, { ...read, late })), [
        "unknown_state",
        [["transaction.in_time", true, !late]],
        "roll_back, verification_timeout 3"
      ])
    }
  })
})
