import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as ReconciliationStatus from "@backstitch/reconciliation/ReconciliationStatus"
import { assert, describe, it } from "@effect/vitest"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as ResumePlan from "../src/ResumePlan.ts"
import * as Precheck from "../src/settlement/Precheck.ts"
import { asks, Bench, bookOf, call, type Definition, definition, ends, ok } from "./lab.ts"

type Readback = NonNullable<NonNullable<Definition["tools"]>[string]["readback"]>

const benchOf = (more: Partial<Readback>) => {
  const { book } = definition.tools
  const input = { ...book.input, version: { type: "int", optional: true } } as const
  const readback = { ...book.readback, ...more }
  return new Bench({ changes: { tools: { ...definition.tools, book: { ...book, input, readback } } } })
}

/** Proposes a booking, and shows what the record is before it is sent. */
const looks = (more: Partial<Readback>, evidence: Evidence, version?: number) => {
  const bench = benchOf(more)
  const proposal = bookOf("LX1", 80, version === undefined ? {} : { version })
  const { action } = asks(bench.proposes(proposal), "ReadBefore")
  return { action, bench, decision: bench.does({ _tag: "ReadBefore", action, evidence }) }
}

const versioned = { before: "permit", version: { planned: "args.version", actual: "actual.version" } } as const
const dataOf = (bench: Bench, type: string) => bench.transitions.findLast(({ body }) => body.type === type)?.body.data

describe("Precheck", () => {
  it("sends an act without an effect so far, within the time that counts from its start (decision 0036)", () => {
    const bench = benchOf({ before: "permit" })
    const { action, sendBefore } = asks(bench.proposes(bookOf("LX1")), "ReadBefore")
    bench.now += 500
    const request = call(bench.does({ _tag: "ReadBefore", action, evidence: { _tag: "NotFound" } }))
    assert.deepStrictEqual([request.action, request.sendBefore], [action, sendBefore])
  })

  it("settles as it is an effect that existed before, if the contract lets that count: no-op success (L9)", () => {
    const { bench, decision } = looks({ before: "permit" }, ok({ id: "B1", price: 80 }))
    ends(decision, "Done")
    assert.deepInclude(dataOf(bench, "recovery.decided"), { decision: "settle_as_is", discrepancy: "no_op_success" })
    assert.notInclude(bench.types(), "action.result")
  })

  it("opens no transaction for an effect that exists already, if the contract lets that count", () => {
    const { book } = definition.tools
    const local = { ...book, status: "none", idempotency: "effectful", transaction: "local" } as const
    const readback = { ...book.readback, before: "permit" } as const
    const bench = new Bench({ changes: { tools: { ...definition.tools, book: { ...local, readback } } } })
    const { action } = asks(bench.proposes(bookOf("LX1")), "ReadBefore")
    const found = ok({ id: "B1", price: 80 })
    ends(bench.does({ _tag: "ReadBefore", action, evidence: found }), "Done")
    assert.deepInclude(dataOf(bench, "recovery.decided"), { decision: "settle_as_is" })
  })

  it("asks a person about it if the contract wants a change", () => {
    const { bench, decision } = looks({ before: "refuse" }, ok({ id: "B1", price: 80 }))
    ends(decision, "Held")
    assert.strictEqual(dataOf(bench, "recovery.decided")?.["decision"], "review")
  })

  it("refuses a plan on another version before it can overwrite anything: stale state (L9)", () => {
    const { action, bench, decision } = looks(versioned, ok({ id: "B1", price: 70, version: 5 }), 4)
    ends(decision, "Failed")
    assert.deepInclude(dataOf(bench, "recovery.decided"), {
      decision: "refresh_and_replan",
      discrepancy: "stale_state"
    })
    assert.notInclude(bench.types(), "action.result")
    assert.deepInclude(ActionHistories.of(bench.transitions, action), { state: "failed", refused: [] })
    assert.strictEqual(looks(versioned, ok({ id: "B1", price: 70, version: 4 }), 4).decision.next._tag, "Call")
  })

  it("sends a plan that was made on no version, whichever version is current", () => {
    const record = ok({ id: "B1", price: 70, version: 5 })
    assert.strictEqual(looks(versioned, record).decision.next._tag, "Call")
    // Nothing was planned so far.
    const unplanned = { before: "permit", version: { planned: "working.plan", actual: "actual.version" } } as const
    assert.strictEqual(looks(unplanned, record).decision.next._tag, "Call")
  })

  it("lets a change be told from none: a record that stayed as it was is no-op failure, not another value", () => {
    for (const [after, found] of [
      [{ id: "B1", price: 70 }, "no_op_failure"],
      [{ id: "B1", price: 75 }, "value_mismatch"]
    ] as const) {
      const { action, bench } = looks({ before: "permit" }, ok({ id: "B1", price: 70 }))
      bench.answers(action, ok({ id: "B1" }))
      bench.now += 4_000
      bench.readsBack(action, ok(after))
      assert.strictEqual(dataOf(bench, "action.verified")?.["discrepancy"], found)
    }
  })

  it("names the missing parts of an effect, and reverses the existing ones: partial application (L9)", () => {
    const parts = { seat: "actual.seat", bag: "actual.bag" }
    const bench = benchOf({ parts })
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, ok({ id: "B1" }))
    bench.now += 4_000
    const both = ok({ id: "B1", price: 80, seat: true, bag: true })
    ends(bench.decides({ _tag: "ReadBack", action, evidence: both }), "Done")
    bench.readsBack(action, ok({ id: "B1", price: 80, seat: true, bag: false }))
    assert.deepInclude(dataOf(bench, "action.verified"), { discrepancy: "partial_application" })
    assert.deepInclude(dataOf(bench, "recovery.decided"), { decision: "compensate_backward" })
    assert.strictEqual(ActionHistories.of(bench.transitions, action)?.state, "partially_committed")
  })

  it("tells a target that has gone from one that never existed: target missing", () => {
    const { action, bench } = looks({ before: "permit" }, ok({ id: "B1", price: 70 }))
    bench.answers(action, ok({ id: "B1" }))
    bench.now += 6_000
    bench.readsBack(action, { _tag: "NotFound" })
    assert.strictEqual(dataOf(bench, "action.verified")?.["discrepancy"], "target_missing")
  })

  it("takes the record of another author for no effect of its own, however right its values are (HS-12)", () => {
    const { bench, decision } = looks({ before: "permit" }, ok({ id: "B1", price: 80, flight: "LX9" }))
    ends(decision, "Held")
    assert.deepInclude(dataOf(bench, "recovery.decided"), { discrepancy: "wrong_target_modified" })
    assert.notInclude(bench.types(), "action.reconciled")
    assert.notInclude(bench.types(), "action.result")
  })

  it("trusts the record of only one of several sources less: such an effect is no verified success", () => {
    const { action, bench, decision } = looks(
      { before: "permit", sources: [{ source: "book", expect: "actual.price == args.price" }] },
      ok({ id: "B1", price: 80 })
    )
    ends(decision, "Done")
    assert.strictEqual(ActionHistories.of(bench.transitions, action)?.trust, 2)
  })

  it("keeps the source of the read, to decide so again: a replica shows neither, and nothing is sent (HS-07)", () => {
    const { decision } = looks({ before: "permit" }, { _tag: "Ok", output: { id: "B1", price: 80 }, from: "replica" })
    assert.strictEqual(decision.next._tag, "Wait")
    const [draft] = decision.drafts
    assert.deepInclude(draft?.body.data, { from: "replica", read: "ok" })
  })

  it("defers an act whose first read failed, counts no attempt, and sends it once the read succeeds (row 18)", () => {
    const { action, bench, decision } = looks({ before: "permit" }, { _tag: "Unknown", reason: "down" })
    assert.strictEqual(decision.next._tag, "Wait")
    assert.deepInclude(dataOf(bench, "recovery.decided"), {
      decision: "defer",
      defers: true,
      section: "provider_outage"
    })
    const deferred = ActionHistories.of(bench.transitions, action)!
    assert.deepStrictEqual(
      [ReconciliationStatus.of(deferred), ActionHistory.isExecuted(deferred)],
      ["not_attempted", false]
    )
    assert.deepInclude(ResumePlan.plan(bench.terms, bench.state)[0], { recovery: "resume" })
    asks(bench.does({ _tag: "Recover", action }), "ReadBefore")
    // Its time is over: it is held, and each resume reads again.
    bench.now += 60_000
    ends(bench.does({ _tag: "ReadBefore", action, evidence: { _tag: "Pending" } }), "Held")
    asks(bench.does({ _tag: "Recover", action }), "ReadBefore")
    call(bench.does({ _tag: "ReadBefore", action, evidence: { _tag: "NotFound" } }))
    const { attempts, refused, state } = ActionHistories.of(bench.transitions, action)!
    assert.deepStrictEqual([attempts, refused, state], [1, [], "executing"])
    assert.strictEqual(OpenActions.of(bench.state)[action]?.attempts, 1)
  })

  it("keeps to the version lock if a read may be late: the planned version is sent, another is deferred", () => {
    const late = { ...versioned, consistency: "eventual" } as const
    const shown = (version: number) => looks(late, ok({ id: "B1", price: 70, version }), 4).decision.next._tag
    assert.deepStrictEqual([shown(4), shown(3)], ["Call", "Wait"])
  })

  it("fails cleanly if the record may not be read: nothing was sent, and nothing will be", () => {
    const { bench, decision } = looks({ before: "refuse" }, { _tag: "Error", error: "forbidden" })
    ends(decision, "Failed")
    assert.strictEqual(dataOf(bench, "recovery.decided")?.["decision"], "defer")
    assert.notInclude(bench.types(), "action.result")
  })

  it("does not send for a process that was overtaken: an action with an answer goes on as it would", () => {
    const bench = benchOf({ before: "permit" })
    const { action } = asks(bench.proposes(bookOf("LX1")), "ReadBefore")
    bench.answers(action, ok({ id: "B1" }))
    const decision = Precheck.decide(bench.terms, bench.state, { action, evidence: { _tag: "NotFound" } })
    asks(decision, "ReadBack")
  })
})
