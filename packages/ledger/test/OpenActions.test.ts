import * as Fold from "@backstitch/reducer/Fold"
import * as State from "@backstitch/reducer/State"
import * as Digest from "@backstitch/trace/Digest"
import type { Body, Outcome, Stamp, Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as UsedKeys from "../src/keys/UsedKeys.ts"
import * as OpenActions from "../src/state/OpenActions.ts"

const requestHash = Digest.ofText("backstitch.request.1", "request")
const fold = Fold.make({ parts: [OpenActions.part, UsedKeys.part], sources: { rules: () => undefined } })

const run = (...steps: ReadonlyArray<readonly [Body, Partial<Stamp>?]>): State.State =>
  Fold.run(
    fold,
    State.empty,
    steps.map(
      ([body, stamp], index): Transition => ({
        tick: index + 1,
        body,
        stamp: { asOf: 100 + index, ...stamp },
        envelope: { ts: 0 }
      })
    )
  )

const requested = (id: string, tool = "book", sideEffect = "high_risk_external"): readonly [Body] => [
  { type: "action.request", author: "agent", action: { id, tool, class: sideEffect, params: { flight: "LX1" } } }
]
const started = (id: string, key: string): readonly [Body, Partial<Stamp>] => [
  { type: "action.started", author: "kernel", action: { id, requestHash, target: "seat/LX1" } },
  { key }
]
const step = (type: Body["type"], id: string, result?: Outcome): readonly [Body] => [
  { type, author: "kernel", action: { id }, ...(result === undefined ? {} : { result }) }
]
const ok: Outcome = { status: "ok", output: "B1" }

const stateOf = (state: State.State, id: string) => OpenActions.of(state)[id]?.state

describe("OpenActions", () => {
  it("follows a mutation from request to settlement, by the table of states", () => {
    const steps = [
      requested("a1"),
      started("a1", "k1"),
      step("action.result", "a1", { status: "unknown" }),
      step("action.result", "a1", ok),
      step("action.verified", "a1", ok),
      step("action.reconciled", "a1", { status: "ok" })
    ]
    const states = steps.map((_, index) => stateOf(run(...steps.slice(0, index + 1)), "a1"))
    assert.deepStrictEqual(states, ["proposed", "executing", "unknown", "pending", "committed", undefined])
  })

  it("keeps everything that a crash must not lose: key, request hash, target, arguments, and its start (L5)", () => {
    const { a1: open } = OpenActions.of(run(requested("a1"), started("a1", "k1")))
    assert.deepInclude(open, {
      key: "k1",
      requestHash,
      target: "seat/LX1",
      params: { flight: "LX1" },
      startedAt: 101,
      firstAt: 101,
      attempts: 1
    })
  })

  it("remembers the first start, for the key's retention, and the last, for its settling", () => {
    const { a1: open } = OpenActions.of(run(requested("a1"), started("a1", "k1"), started("a1", "k1")))
    assert.deepInclude(open, { firstAt: 101, startedAt: 102, attempts: 2 })
  })

  it("settles a read by its answer, and a mutation not before it is reconciled", () => {
    assert.isUndefined(stateOf(run(requested("a1", "look", "read_only"), step("action.result", "a1", ok)), "a1"))
    assert.strictEqual(
      stateOf(run(requested("a1"), started("a1", "k1"), step("action.result", "a1", ok)), "a1"),
      "pending"
    )
  })

  it("opens nothing for a denied action, and skips actions that it does not know", () => {
    const [body] = requested("a1")
    const denied: Body = { ...body, policy: { decision: "deny", checks: [], version: "x" } }
    assert.deepStrictEqual(OpenActions.of(run([denied])), {})
    assert.deepStrictEqual(OpenActions.of(run(step("action.reconciled", "a9", ok))), {})
  })

  it("starts a fork with no open actions: it inherits beliefs, not obligations (decision 0039)", () => {
    const forked: readonly [Body] = [{ type: "run.fork", author: "kernel" }]
    assert.deepStrictEqual(OpenActions.of(run(requested("a1"), started("a1", "k1"), forked)), {})
  })
})

describe("UsedKeys", () => {
  it("remembers a key from its start, and its outcome", () => {
    const open = run(requested("a1"), started("a1", "k1"))
    assert.deepStrictEqual(UsedKeys.find(open, "k1"), { action: "a1", requestHash, started: 2 })
    const settled = run(requested("a1"), started("a1", "k1"), step("action.reconciled", "a1", { status: "error" }))
    assert.deepStrictEqual(UsedKeys.find(settled, "k1"), {
      action: "a1",
      requestHash,
      started: 2,
      settled: 3,
      status: "error"
    })
    assert.isUndefined(UsedKeys.find(settled, "k2"))
  })

  it("keeps the first use when an action is sent again under its key", () => {
    const twice = run(requested("a1"), started("a1", "k1"), started("a1", "k1"))
    assert.strictEqual(UsedKeys.find(twice, "k1")?.started, 2)
  })

  it("is inherited by a fork, so that the fork does not do again what was done", () => {
    const done = [requested("a1"), started("a1", "k1"), step("action.reconciled", "a1", { status: "ok" })] as const
    const forked = run(...done, [{ type: "run.fork", author: "kernel" }])
    assert.strictEqual(UsedKeys.find(forked, "k1")?.status, "ok")
  })

  it("keep apart the decisions of recovery: deferred, awaited, frozen, and attempted reads", () => {
    const decided = (data: Body["data"]) =>
      OpenActions.of(
        run(requested("a1"), started("a1", "k1"), [{ ...step("recovery.decided", "a1")[0], data: data ?? {} }])
      )["a1"]
    const begun = OpenActions.of(run(requested("a1"), started("a1", "k1")))["a1"]!
    assert.deepStrictEqual(decided({ decision: "wait" }), begun)
    assert.deepStrictEqual(decided({ defers: true }), { ...begun, deferred: true, deferredAt: 102 })
    assert.deepStrictEqual(decided({ awaits: true }), { ...begun, awaited: true })
    assert.deepStrictEqual(decided({ freezes: true }), { ...begun, state: "review_required" })
    assert.deepStrictEqual(decided({ tried: ["retry_verification"] }), { ...begun, tried: ["retry_verification"] })
  })

  it("are given back by a person if they are frozen, and never otherwise", () => {
    const frozen = [{ ...step("recovery.decided", "a1")[0], data: { freezes: true } }] as const
    const decided = (as: string) => [{ ...step("review.decided", "a1")[0], data: { as, state: "pending" } }] as const
    const begun = [requested("a1"), started("a1", "k1")]
    const of = (...steps: ReadonlyArray<readonly [Body]>) => OpenActions.of(run(...begun, ...steps))["a1"]
    assert.deepInclude(of(frozen, decided("resent")), { resend: true, state: "pending" })
    assert.deepStrictEqual(of(decided("resent")), { ...of(), state: "pending" })
  })
})
