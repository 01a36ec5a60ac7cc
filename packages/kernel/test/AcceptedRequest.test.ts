import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as AcceptedRequest from "../src/settlement/AcceptedRequest.ts"
import { asks, Bench, bookOf, call, definition, ends, ok, told } from "./lab.ts"

const accepted = (output: Json): Evidence => ({ _tag: "Accepted", output })

const queued = accepted({ job: "J1" })

/** Proposes a call that is accepted. */
const taken = (bench: Bench, proposal = bookOf("LX1")) => {
  const { action } = call(bench.proposes(proposal))
  return { action, decision: bench.answers(action, queued) }
}

const historyOf = (bench: Bench, action: string) => ActionHistories.of(bench.transitions, action)!
const standing = (bench: Bench, action: string) => Reporting.report(historyOf(bench, action)).standing

const { book, ...others } = definition.tools
const { status: _, readback: __, ...blind } = book
const webhook = { secret: "S", tolerance: "none", key: "body.key", done: "body.done" }

describe("AcceptedRequest", () => {
  it("asks for the outcome of the key, waits, and believes the record, not the answer", () => {
    const bench = new Bench()
    const { action, decision } = taken(bench)
    assert.strictEqual(asks(decision, "Ask").action, action)
    assert.deepInclude(bench.last.body, {
      data: { stage: "accepted", verify: { by: "status", firstMillis: 250 } },
      result: { output: { job: "J1" }, status: "ok", trust: 1 }
    })
    assert.deepStrictEqual(
      historyOf(bench, action).visited.map(({ state }) => state),
      ["proposed", "validated", "executing", "accepted", "pending"]
    )
    assert.strictEqual(standing(bench, action), "pending")
    const waiting = bench.answers(action, { _tag: "Pending" }, "status")
    assert.strictEqual(waiting.next._tag, "Wait")
    bench.now += 500
    asks(bench.does({ _tag: "Recover", action }), "Ask")
    asks(bench.answers(action, ok({ id: "B1" }), "status"), "ReadBack")
    assert.isUndefined(historyOf(bench, action).accepted)
    ends(bench.readsBack(action, ok({ id: "B1", price: 80 })), "Done")
    assert.strictEqual(standing(bench, action), "success")
  })

  it("fails a request that the provider refused later", () => {
    const bench = new Bench()
    const { action } = taken(bench)
    ends(bench.answers(action, { _tag: "Error", error: "sold out" }, "status"), "Failed")
    assert.strictEqual(historyOf(bench, action).state, "failed")
    assert.deepStrictEqual(historyOf(bench, action).refused, [])
  })

  it("holds a request that stays under way beyond its time, and never settles it", () => {
    const bench = new Bench()
    const { action } = taken(bench)
    bench.now += 60_000
    const held = ends(bench.answers(action, { _tag: "Pending" }, "status"), "Held")
    assert.include(told(held), "status.under_way")
    // The time of verification is over: a person decides, and has it verified again.
    ends(bench.does({ _tag: "Recover", action }), "Held")
    bench.reopens(action)
    asks(bench.does({ _tag: "Recover", action }), "Ask")
    assert.notInclude(bench.types(), "action.reconciled")
  })

  it("reads back if the key cannot be asked about, and calls a missing record unknown", () => {
    const bench = new Bench({ changes: { tools: { ...others, book: { ...book, status: "none" } } } })
    const { action, decision } = taken(bench)
    asks(decision, "ReadBack")
    assert.deepInclude(bench.last.body.data, {
      stage: "accepted",
      verify: { by: "readback", firstMillis: 250, withinMillis: 2000 }
    })
    bench.now += 10_000
    ends(bench.readsBack(action, { _tag: "NotFound" }), "Held")
    assert.strictEqual(historyOf(bench, action).discrepancy, "unknown_state")
  })

  it("waits for the provider if no other source can tell", () => {
    const bench = new Bench({ changes: { tools: { ...others, book: { ...blind, webhook } } } })
    const { action, decision } = taken(bench)
    assert.deepInclude(ends(decision, "Held").why, { code: "outcome.accepted" })
    assert.strictEqual(historyOf(bench, action).state, "pending")
    ends(bench.does({ _tag: "Recover", action }), "Held")
    assert.notInclude(bench.types(), "action.reconciled")
  })

  it("does not settle on the tool's word where nobody can tell, and lets a person decide", () => {
    const bench = new Bench()
    const { action, decision } = taken(bench, { tool: "fax", params: { to: "Ada" } })
    ends(decision, "Held")
    assert.deepInclude(bench.last.body, { type: "recovery.decided" })
    assert.deepInclude(bench.last.body.data, { discrepancy: "unverifiable_state", decision: "hold_and_escalate" })
    assert.strictEqual(historyOf(bench, action).state, "review_required")
    assert.notInclude(bench.types(), "action.reconciled")
  })

  it("takes no acceptance for the answer of a read", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes({ tool: "look", params: { q: "x" } }))
    call(bench.answers(action, queued))
    ends(bench.answers(action, queued), "Failed")
    assert.deepInclude(bench.last.body.result, { status: "unknown" })
  })

  it("names for each contract the way in which an accepted request is followed", () => {
    const { pack } = new Bench({ changes: { tools: { ...others, book, hooked: { ...blind, webhook } } } })
    const wayOf = (tool: string) => AcceptedRequest.wayOf(pack.tools[tool]!)
    assert.deepStrictEqual(["book", "hooked", "fax"].map(wayOf), ["status", "webhook", undefined])
    assert.isUndefined(AcceptedRequest.schedule(pack.tools["fax"]!))
  })
})
