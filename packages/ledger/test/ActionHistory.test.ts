import type { Body } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ActionHistories from "../src/history/ActionHistories.ts"
import * as ActionHistory from "../src/history/ActionHistory.ts"
import * as ActionState from "../src/machine/ActionState.ts"
import { booked, ok, requested, requestHash, type Step, started, step, trace } from "./actions.ts"

const history = (...steps: ReadonlyArray<Step>) => ActionHistories.of(trace(...steps), "a1")!
const path = (self: ActionHistory.ActionHistory) => self.visited.map((visit) => visit.state)
const unknown = { status: "unknown" } as const

describe("ActionHistory", () => {
  it("follows a mutation from proposal to reconciled success, with every state in between", () => {
    const done = history(...booked("a1"))
    assert.deepStrictEqual(path(done), [
      "proposed",
      "validated",
      "executing",
      "pending",
      "committed",
      "reconciled_success"
    ])
    assert.deepInclude(done, { attempts: 1, trust: 3, undo: "standing", target: "seat/LX1", key: "key-a1" })
    assert.deepStrictEqual(
      [done.proposed.tick, done.started?.tick, done.verified?.tick, done.reconciled?.tick],
      [1, 2, 4, 5]
    )
  })

  it("tells accepted, pending, unknown and failed actions apart (L7)", () => {
    const begun = [requested("a1"), started("a1")]
    const after = (...steps: ReadonlyArray<Step>) => history(...begun, ...steps).state
    assert.strictEqual(after(), "executing")
    assert.strictEqual(after(step("action.result", "a1", ok, { stage: "accepted" })), "accepted")
    assert.strictEqual(after(step("action.result", "a1", ok)), "pending")
    assert.strictEqual(after(step("action.result", "a1", unknown)), "unknown")
    assert.strictEqual(after(step("action.result", "a1", { status: "error" })), "failed")
    assert.strictEqual(
      after(step("action.result", "a1", ok), step("action.verified", "a1", unknown)),
      "verification_timeout"
    )
  })

  it("counts a second sending under the same key as an attempt, and stays unknown until it is answered", () => {
    const again = history(requested("a1"), started("a1"), step("action.result", "a1", unknown), started("a1"))
    assert.deepInclude(again, { attempts: 2, state: "unknown" })
    assert.strictEqual(again.started?.tick, 2)
  })

  it("completes late an action whose verification had been given up, by forward recovery", () => {
    const late = history(
      requested("a1"),
      started("a1"),
      step("action.result", "a1", ok),
      step("action.verified", "a1", { status: "mismatch" }, { unmet: ["actual.status == 'confirmed'"] }),
      step("action.verified", "a1", ok),
      step("action.reconciled", "a1", { status: "ok", basis: "readback", trust: 3 })
    )
    assert.deepStrictEqual(path(late).slice(-3), ["reconciliation_failed", "forward_recovery", "reconciled_success"])
  })

  it("begins another attempt if the one before is proven to have done nothing, and may be reversed after it", () => {
    const again = history(
      requested("a1"),
      started("a1"),
      step("action.result", "a1", ok),
      step("action.verified", "a1", { status: "mismatch" }),
      step("recovery.decided", "a1", undefined, { decision: "retry_same_key", state: "forward_recovery" }),
      started("a1"),
      step("action.result", "a1", ok),
      step("action.verified", "a1", { status: "mismatch" }),
      requested("a2", { tool: "cancel", undoes: "a1" })
    )
    assert.deepStrictEqual(path(again).slice(-8), [
      "forward_recovery",
      "failed",
      "validated",
      "executing",
      "pending",
      "committed",
      "reconciliation_failed",
      "compensating"
    ])
    assert.deepStrictEqual(again.refused, [])
  })

  it("refuses a report that the state machine does not permit, keeps it, and changes no state", () => {
    const phantom = history(requested("a1"), step("action.reconciled", "a1", { status: "ok", trust: 3 }))
    assert.strictEqual(phantom.state, "validated")
    assert.strictEqual(phantom.refused[0]?.refusal._tag, "MoveRefused")
    assert.strictEqual(phantom.refused[0]?.tick, 2)
  })

  it("shows an action and its undoing side by side; a reconciled success keeps its state (decision 0040)", () => {
    const undoing = [...booked("a1"), requested("a2", { tool: "cancel", undoes: "a1" })]
    assert.deepInclude(history(...undoing), { undo: "undoing", undoneBy: "a2", state: "reconciled_success" })
    const settle = (status: "ok" | "error") => [
      started("a2"),
      step("action.result", "a2", { status }),
      step("action.reconciled", "a2", { status, trust: 2 })
    ]
    assert.deepInclude(history(...undoing, ...settle("ok")), { undo: "undone", state: "reconciled_success" })
    assert.deepInclude(history(...undoing, ...settle("error")), { undo: "undo_failed", state: "reconciled_success" })
  })

  it("compensates a discrepancy by another action, and says when that fails (HS-13)", () => {
    const wrong = [
      requested("a1"),
      started("a1"),
      step("action.result", "a1", ok),
      step("action.verified", "a1", { status: "mismatch" }, { discrepancy: "value_mismatch" }),
      step("recovery.decided", "a1", undefined, { decision: "compensate" }),
      requested("a2", { tool: "cancel", undoes: "a1" }),
      started("a2")
    ]
    assert.deepInclude(history(...wrong), {
      state: "compensating",
      decision: "compensate",
      discrepancy: "value_mismatch"
    })
    const undone = [
      step("action.result", "a2", ok),
      step("action.verified", "a2", ok),
      step("action.reconciled", "a2", ok)
    ]
    assert.strictEqual(history(...wrong, ...undone.slice(0, 1)).state, "compensating")
    assert.strictEqual(history(...wrong, ...undone).state, "compensated")
    const failing = step("action.result", "a2", { status: "error" })
    assert.strictEqual(history(...wrong, failing).state, "compensation_failed")
  })

  it("leaves a review to a person, whose decision alone resolves, reopens or abandons it", () => {
    const held = [
      requested("a1"),
      started("a1"),
      step("action.result", "a1", unknown),
      step("review.requested", "a1", undefined, { review: "r-1" })
    ]
    assert.deepInclude(history(...held), { state: "review_required", review: "r-1" })
    const byKernel = history(...held, step("action.reconciled", "a1", ok))
    assert.strictEqual(byKernel.state, "review_required")
    assert.strictEqual(byKernel.refused.length, 1)
    for (const state of ["reconciled_success", "failed", "pending", "abandoned"] as const) {
      assert.strictEqual(history(...held, step("review.decided", "a1", undefined, { state })).state, state)
    }
  })

  it("knows no action that was never proposed, and never sends a denied one", () => {
    assert.isUndefined(ActionHistories.of(trace(started("a9")), "a9"))
    const denied = history(requested("a1", { decision: "deny" }))
    assert.isFalse(ActionHistory.isExecuted(denied))
    assert.strictEqual(denied.state, "failed")
  })

  it("reads an answer of a read as committed and no more, and a recorded effect likewise (HS-01)", () => {
    const read = history(requested("a1", { tool: "look", class: "read_only" }), step("action.result", "a1", ok))
    assert.deepInclude(read, { state: "committed", trust: 1 })
    const recorded = history(requested("a1"), step("action.result", "a1", { ...ok, basis: "recorded" }))
    assert.deepInclude(recorded, { state: "committed", trust: 1 })
  })

  const types = ["action.started", "action.result", "action.verified", "action.reconciled", "review.requested"] as const
  const Report = Schema.Struct({
    type: Schema.Literals([...types, "review.decided", "recovery.decided", "intent.dropped"]),
    status: Schema.Literals(["ok", "error", "unknown", "mismatch"]),
    state: Schema.NullOr(ActionState.State)
  })

  it.prop(
    "moves by permitted edges alone, whatever is reported in any order",
    [Schema.Array(Report)],
    ([reports]) => {
      const steps = reports.map(({ state, status, type }) =>
        step(type, "a1", { status }, state === null || type === "action.result" ? undefined : { state })
      )
      const self = history(requested("a1"), ...steps)
      const states = path(self)
      return (
        states.every((to, index) => {
          const from = states[index - 1]
          return from === undefined || ActionState.edge(from, to) !== undefined
        }) &&
        states.at(-1) === self.state &&
        self.refused.every(
          ({ refusal: { by, from, to }, tick }) =>
            tick > (self.reconciled?.tick ?? self.dropped?.tick ?? tick) ||
            Result.isFailure(ActionState.advance(from, to, by))
        )
      )
    },
    { arbitrary: { runs: 500 } }
  )

  it("keeps the identity of an imported action, and the trace of its request", () => {
    const [[asked]] = [requested("a1")]
    const body = { ...asked, action: { id: "a1", tool: "book", class: "high_risk_external", requestHash } }
    const [begun] = trace([body, { key: "k1" }])
    const traced = { ...begun!, envelope: { ...begun!.envelope, trace: "00-1-2-01" } }
    assert.deepInclude(ActionHistories.of([traced], "a1"), { key: "k1", requestHash, trace: "00-1-2-01" })
    assert.notProperty(ActionHistories.of([begun!], "a1"), "trace")
    assert.notProperty(history(requested("a1")), "requestHash")
  })

  it("counts no attempt of a deferred action: nothing of it was sent (decision 0017)", () => {
    const unread = step("action.verified", "a1", { status: "unknown", trust: 1 }, { before: { met: false } })
    const defers = step("recovery.decided", "a1", undefined, { decision: "defer", defers: true })
    const deferred = history(requested("a1"), started("a1"), unread, defers)
    assert.deepInclude(deferred, { attempts: 0, deferred: true })
    const sent = history(requested("a1"), started("a1"), unread, defers, started("a1"))
    assert.deepInclude(sent, { attempts: 1 })
    assert.notProperty(sent, "deferred")
    assert.notProperty(history(requested("a1"), started("a1"), step("recovery.decided", "a1")), "deferred")
  })

  it("counts no attempt that the record before it stopped, and each one that may have been sent", () => {
    const looked = step(
      "action.verified",
      "a1",
      { status: "mismatch", trust: 1 },
      { before: { found: true, met: false } }
    )
    const decided = (data: object) => step("recovery.decided", "a1", undefined, data as Body["data"])
    const begun = [requested("a1"), started("a1"), looked]
    const stale = decided({ decision: "refresh_and_replan", discrepancy: "stale_state" })
    const failed = step("action.reconciled", "a1", { status: "error", basis: "readback" })
    const isSent = (...steps: ReadonlyArray<Step>) => ActionHistory.isExecuted(history(...begun, ...steps))
    assert.isFalse(isSent(stale))
    assert.isFalse(isSent(stale, failed))
    assert.isFalse(isSent(step("action.reconciled", "a1", { status: "ok", basis: "readback", trust: 3 })))
    assert.isTrue(ActionHistory.isBegun(history(...begun, stale, failed)))
    // The call left, and its process died before an answer: a resume decides on the silence.
    assert.isTrue(isSent())
    assert.isTrue(isSent(decided({ decision: "hold_and_escalate", via: "silence" })))
    assert.isTrue(isSent(decided({ due: true })))
    assert.isTrue(isSent(step("observation.add", "a9"), stale))
    // An earlier attempt was sent, whatever stopped the later one.
    const again = history(requested("a1"), started("a1"), started("a1"), looked, stale)
    assert.deepStrictEqual([again.attempts, ActionHistory.isExecuted(again)], [1, true])
  })

  it("takes from a read inside only the unmet predicates: everything else is not committed (decision 0011)", () => {
    const open = step("action.result", "a1", ok, { transaction: "open" })
    const inside = (verdict: string, status: "ok" | "mismatch") =>
      history(requested("a1"), started("a1"), open, step("action.verified", "a1", { status, output: 1 }, { verdict }))
    const before = history(requested("a1"), started("a1"), open)
    assert.deepStrictEqual(inside("commit", "ok").state, before.state)
    assert.notProperty(inside("commit", "ok"), "verified")
    assert.strictEqual(inside("roll_back", "mismatch").state, "reconciliation_failed")
  })
})
