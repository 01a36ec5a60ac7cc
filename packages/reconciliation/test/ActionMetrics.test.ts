import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as ActionMetrics from "../src/metrics/ActionMetrics.ts"
import { answered, context, requested, type Step, said, settled, started, step, trace } from "./traces.ts"

const options: ActionMetrics.Options = { ledger: context, now: 60_000, pendingMillisMax: 1_500 }
/** Measures these steps, after earlier ones that are not counted. */
const measureAfter = (earlier: ReadonlyArray<Step>, ...steps: ReadonlyArray<Step>) => {
  const all = trace(...earlier, ...steps)
  return ActionMetrics.measure(all.slice(earlier.length), ActionHistories.all(all), options)
}
const measure = (...steps: ReadonlyArray<Step>) => measureAfter([], ...steps)
const falseSuccesses = (...steps: ReadonlyArray<Step>) =>
  ActionMetrics.falseSuccesses(trace(...steps), ActionHistories.all(trace(...steps)))
const of = (name: ActionMetrics.Metric, ...steps: ReadonlyArray<Step>) => {
  const { denominator, numerator } = measure(...steps)[name]
  return [numerator, denominator]
}
const mismatch = (id: string, discrepancy: string) =>
  step("action.verified", id, { status: "mismatch" }, { discrepancy, unmet: ["actual.price == 80"] })
const undone = [requested("a2", { undoes: "a1" }), started("a2"), step("action.result", "a2", { status: "ok" })]

describe("ActionMetrics", () => {
  it("has nineteen measures", () => {
    assert.strictEqual(Object.keys(ActionMetrics.units).length, 19)
    assert.sameMembers(Object.keys(measure()), Object.keys(ActionMetrics.units))
  })

  it("counts a success only when it is reconciled at trust 3, not when it is attested", () => {
    const attested = step("action.reconciled", "a2", { status: "ok", basis: "attested", trust: 1 })
    const steps = [...answered("a1"), ...settled("a1"), ...answered("a2"), attested]
    assert.deepStrictEqual(of("verification_success", ...steps), [1, 2])
  })

  it("measures how long a proof and the whole truth take", () => {
    const steps = [...answered("a1"), ...settled("a1")]
    assert.deepStrictEqual(of("verification_latency", ...steps), [1_000, 1])
    assert.deepStrictEqual(of("time_to_reconcile", ...steps), [3_000, 1])
  })

  it("tells mismatches, stale targets, parts, duplicates and unknowns apart", () => {
    const found = (name: string) => [...answered("a1"), mismatch("a1", name), ...answered("a2"), ...settled("a2")]
    assert.deepStrictEqual(of("verification_failure", ...found("value_mismatch")), [1, 2])
    assert.deepStrictEqual(of("discrepancy", ...found("value_mismatch")), [1, 2])
    assert.deepStrictEqual(of("read_after_write_failure", ...found("value_mismatch")), [1, 2])
    assert.deepStrictEqual(of("stale_state", ...found("stale_state")), [1, 2])
    assert.deepStrictEqual(of("stale_state", ...found("value_mismatch")), [0, 2])
    assert.deepStrictEqual(of("partial_failure", ...found("partial_application")), [1, 2])
    assert.deepStrictEqual(of("duplicate_action", ...found("duplicate_side_effect")), [1, 2])
    const lost = [requested("a1"), started("a1"), step("action.result", "a1", { status: "unknown" })]
    assert.deepStrictEqual(of("unknown_state", ...lost, ...answered("a2")), [1, 2])
  })

  it("counts no call as sent that its stale target stopped, and still counts it among the attempts to write", () => {
    const stopped = [
      requested("a1"),
      started("a1"),
      step("action.verified", "a1", { status: "mismatch", trust: 1 }, { before: { found: true, met: false } }),
      step("recovery.decided", "a1", undefined, { decision: "refresh_and_replan", discrepancy: "stale_state" }),
      step("action.reconciled", "a1", { status: "error", basis: "readback", trust: 1 })
    ]
    const steps = [...stopped, ...answered("a2"), ...settled("a2")]
    assert.deepStrictEqual(of("stale_state", ...steps), [1, 2])
    assert.deepStrictEqual(of("verification_success", ...steps), [1, 1])
    assert.deepStrictEqual(of("time_to_reconcile", ...steps), [3_000, 1])
  })

  it("counts as pending too long an action that left that state late, or has not left it", () => {
    const idle = step("observation.add", "a0")
    assert.deepStrictEqual(of("pending_too_long", ...answered("a1"), ...settled("a1")), [0, 1])
    assert.deepStrictEqual(of("pending_too_long", ...answered("a1"), idle, ...settled("a1")), [1, 1])
    assert.deepStrictEqual(of("pending_too_long", ...answered("a1")), [1, 1])
    const again = [
      ...answered("a1"),
      step("action.result", "a1", { status: "unknown" }),
      step("action.result", "a1", { status: "ok", output: "B1", trust: 2 })
    ]
    assert.deepStrictEqual(of("pending_too_long", ...again, ...settled("a1")), [0, 1])
    assert.deepStrictEqual(of("pending_too_long", ...again, idle, ...settled("a1")), [1, 1])
  })

  it("counts repetitions that were absorbed: sent again under the key, or adopted from another run", () => {
    const again = [...answered("a1").slice(0, 2), started("a1"), ...answered("a1").slice(2), ...settled("a1")]
    const adopted = { action: "a7", run: "trip-0", tick: 9 }
    const taken = step("action.request", "a2", undefined, { adopted })
    const recorded: Step = [{ type: "intent.adopted", author: "kernel", data: { adopted, by: "key", count: 2 } }]
    assert.deepStrictEqual(of("idempotency_recovery", ...again, taken, recorded), [4, 4])
    // A refusal that adopted nothing, and an intent that was imported as done, are no repetition.
    const others: ReadonlyArray<Step> = [
      [{ type: "intent.refused", author: "kernel", data: { reason: "no" } }],
      [{ type: "run.cherrypick", author: "kernel", data: { adopted: { run: "trip-0" } } }]
    ]
    assert.deepStrictEqual(of("idempotency_recovery", ...again, ...others), [1, 1])
    assert.deepStrictEqual(of("idempotency_recovery", ...again.slice(0, 4)), [0, 1])
  })

  it("follows compensations to their end", () => {
    const begun = [...answered("a1"), mismatch("a1", "value_mismatch"), ...undone]
    assert.deepStrictEqual(of("compensation", ...begun), [1, 2])
    assert.deepStrictEqual(of("compensation_success", ...begun), [0, 1])
    assert.deepStrictEqual(of("compensation_success", ...begun, ...settled("a2")), [1, 1])
    const failed = [...begun.slice(0, -1), step("action.result", "a2", { status: "error" })]
    assert.deepStrictEqual(of("failed_compensation", ...failed), [1, 1])
  })

  it("finds each message that told a success before there was one (L8, HS-11)", () => {
    const early = [...answered("a1"), said("a1", "success"), ...settled("a1"), said("a1", "success")]
    assert.deepStrictEqual(falseSuccesses(...early), [{ tick: 4, action: "a1" }])
    assert.deepStrictEqual(of("false_success_escape", ...early), [1, 2])
    const [[words]] = [said("a1", "success")]
    const reached: Step = [{ ...words!, type: "goal.complete" }]
    assert.deepStrictEqual(falseSuccesses(...answered("a1"), reached), [{ tick: 4, action: "a1" }])
    assert.deepStrictEqual(of("false_success_escape", ...answered("a1"), said("a1", "pending")), [0, 0])
    assert.deepStrictEqual(falseSuccesses(said("a9", "success")), [{ tick: 1, action: "a9" }])
    const doubted = [...undone.slice(0, 2), step("action.reconciled", "a2", { status: "error" })]
    const told = [...answered("a1"), ...settled("a1"), said("a1", "success"), ...doubted]
    assert.deepStrictEqual(falseSuccesses(...told), [])
    assert.deepStrictEqual(of("verification_success", ...told), [1, 2])
    const reversed = [...answered("a1"), ...settled("a1"), ...undone, said("a1", "success")]
    assert.deepStrictEqual(falseSuccesses(...reversed), [{ tick: 9, action: "a1" }])
  })

  it("judges a message by the whole trace, also where only the part with the message is counted", () => {
    const earlier = [...answered("a1"), ...settled("a1")]
    const told = measureAfter(earlier, said("a1", "success"))
    assert.deepStrictEqual(told.false_success_escape, { numerator: 0, denominator: 1 })
    assert.deepStrictEqual(told.verification_success, { numerator: 0, denominator: 0 })
    const late = measureAfter([...earlier, ...undone], said("a1", "success"), said("a1", "success"))
    assert.deepStrictEqual(late.false_success_escape, { numerator: 2, denominator: 2 })
  })

  it("counts the questions to people, and the entries that an audit could use", () => {
    const held = [...answered("a1"), step("review.requested", "a1"), ...answered("a2"), ...settled("a2")]
    assert.deepStrictEqual(of("human_escalation", ...held), [1, 2])
    assert.deepStrictEqual(of("ledger_completeness", ...held), [0, 2])
  })

  it("counts a person who was asked before an action was sent, or after the glass was broken for it", () => {
    const approval = { approver: "Ada", id: "r1" }
    const [first, ...rest] = answered("a1")
    const approved: ReadonlyArray<Step> = [[{ ...first![0], data: { approval } }], ...rest, ...settled("a1")]
    assert.deepStrictEqual(of("human_escalation", ...approved, ...answered("a2"), ...settled("a2")), [1, 2])
    const glass: Step = [{ type: "review.requested", author: "kernel", data: { after: "a1", review: "r2" } }]
    assert.deepStrictEqual(of("human_escalation", ...answered("a1"), glass, ...settled("a1")), [1, 1])
    const owed: Step = [{ type: "review.requested", author: "kernel", data: { obligation: "a1/trip", review: "v9" } }]
    assert.deepStrictEqual(of("human_escalation", ...answered("a1"), ...settled("a1"), owed), [1, 1])
  })

  it("counts a readback after the answer alone, not a read before an undoing was sent", () => {
    const before = step("action.verified", "a2", { status: "mismatch" }, { before: { status: "confirmed" } })
    const unsent = step("action.verified", "a2", { status: "unknown" })
    const undoing = (looked: Step) => [requested("a2", { undoes: "a1" }), started("a2"), looked, undone[2]!]
    for (const looked of [before, unsent]) {
      const steps = [...answered("a1"), ...settled("a1"), ...undoing(looked), ...settled("a2")]
      assert.deepStrictEqual(of("read_after_write_failure", ...steps), [0, 2])
    }
    const failed = [...answered("a1"), mismatch("a1", "value_mismatch")]
    assert.deepStrictEqual(of("read_after_write_failure", ...failed), [1, 1])
  })

  it("compares a release of the verifier with the earlier one, and has no value without one", () => {
    const good = measure(...answered("a1"), ...settled("a1"))
    const steps = [...answered("a1"), mismatch("a1", "value_mismatch"), ...answered("a2"), ...settled("a2")]
    const all = trace(...steps)
    const bad = ActionMetrics.measure(all, ActionHistories.all(all), { ...options, baseline: good })
    assert.strictEqual(ActionMetrics.value(bad.verifier_regression), 0.5)
    assert.isUndefined(ActionMetrics.value(good.verifier_regression))
    const added = ActionMetrics.sum([good, bad], good)
    assert.deepStrictEqual(added.verification_failure, { numerator: 1, denominator: 3 })
    assert.strictEqual(ActionMetrics.value(added.verifier_regression), 1 / 3)
  })

  it("leaves reads out, and has no value if nothing was done", () => {
    const read = [requested("a1", { class: "read_only" }), step("action.result", "a1", { status: "ok" })]
    for (const one of Object.values(measure(...read))) assert.isUndefined(ActionMetrics.value(one))
    assert.deepStrictEqual(of("false_success_escape", ...read, said("a1", "success")), [0, 1])
    assert.deepStrictEqual(of("false_success_escape", read[0]!, said("a1", "success")), [1, 1])
  })

  const Drawn = Schema.Struct({
    type: Schema.Literals([
      "action.started",
      "action.result",
      "action.verified",
      "action.reconciled",
      "review.requested",
      "message.sent"
    ]),
    id: Schema.Literals(["a1", "a2"]),
    status: Schema.Literals(["ok", "error", "unknown", "mismatch"])
  })

  it.prop(
    "keeps every ratio between 0 and 1, whatever the trace says, and whatever part of it is counted",
    [Schema.Array(Drawn), Schema.Literals([0, 1, 2, 4])],
    ([drawn, before]) => {
      const steps = drawn.map(({ id, status, type }) =>
        type === "message.sent" ? said(id, "success") : step(type, id, { status, trust: 3 })
      )
      const all = [requested("a1"), requested("a2", { undoes: "a1" }), ...steps]
      const measures = measureAfter(all.slice(0, before), ...all.slice(before))
      return (Object.keys(measures) as ReadonlyArray<ActionMetrics.Metric>).every((name) => {
        const { denominator, numerator } = measures[name]
        return numerator >= 0 && (ActionMetrics.units[name] === "millis" || numerator <= denominator)
      })
    },
    { arbitrary: { runs: 400 } }
  )
})
