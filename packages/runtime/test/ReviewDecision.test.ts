import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as PendingApprovals from "../src/pending/PendingApprovals.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as ReviewDecision from "../src/review/ReviewDecision.ts"
import * as lab from "./lab.ts"

// A tool that the contract does not name waits for an operator.
const steps = [{ id: "launch", propose: { tool: "launch", params: { when: "now" } } }]

/** A run that waits for an operator, and a way to decide in processes of their own. */
const waiting = Effect.gen(function* () {
  const executor = ToolExecutor.fromTools({ launch: { execute: () => ({ launched: true }) } })
  const within = lab.as(lab.process(yield* lab.shared, { steps, executor }))
  yield* within(lab.work)
  const [waits] = yield* within(PendingApprovals.ofTenant(lab.trip.tenant))
  const request = { review: waits?.review ?? "", by: "Ada", role: "operator" }
  return { request, within, work: within(lab.work), count: Effect.map(within(lab.transitions()), (all) => all.length) }
})

describe("ReviewDecision.decide", () => {
  it.effect("commits a decision once, and answers the same again from the record", () =>
    Effect.gen(function* () {
      const { count, request, within } = yield* waiting
      const decide = within(ReviewDecision.decide(lab.trip, { ...request, verdict: "denied", reason: "too late" }))
      const first = yield* decide
      assert.deepInclude(first, { ok: true, verdict: "denied", tool: "launch", reason: "too late" })
      assert.deepStrictEqual(first.next, { run: "trip", verb: "resume" })
      const before = yield* count
      assert.deepInclude(yield* decide, { ok: true, already: true, by: "Ada", role: "operator" })
      assert.strictEqual(yield* count, before)
    })
  )

  it.effect("refuses a role that the review does not name, and names those that may decide", () =>
    Effect.gen(function* () {
      const { request, within } = yield* waiting
      const refused = yield* within(ReviewDecision.decide(lab.trip, { ...request, role: "guest", verdict: "approved" }))
      assert.isFalse(refused.ok)
      assert.isNotEmpty(refused.why ?? "")
      assert.deepInclude(refused.next, { verb: "decide", as: "approved", needs: ["operator"] })
      const unsaid = ReviewDecision.decide(lab.trip, { ...request, role: undefined, verdict: "approved" })
      assert.deepInclude(yield* Effect.flip(within(unsaid)), { _tag: "CapacityMissing", needs: ["operator"] })
      const unknown = ReviewDecision.decide(lab.trip, { ...request, review: "r0", verdict: "approved" })
      assert.deepInclude(yield* Effect.flip(within(unknown)), { _tag: "ReviewUnknown", waiting: [request.review] })
    })
  )

  it.effect("refuses a decision that comes after the act, and names the action", () =>
    Effect.gen(function* () {
      const { request, within, work } = yield* waiting
      yield* within(ReviewDecision.decide(lab.trip, { ...request, verdict: "approved" }))
      yield* work
      const late = yield* within(ReviewDecision.decide(lab.trip, { ...request, verdict: "denied" }))
      assert.isFalse(late.ok)
      assert.isDefined(late.used)
      assert.deepStrictEqual(late.next, { action: late.used, run: "trip", verb: "action" })
    })
  )
})

describe("ReviewDecision.settle", () => {
  it.effect("settles a held action, and names the alternative if the kernel refuses it", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      world.faults.push("lost")
      const within = lab.as(lab.process(yield* lab.shared, { world }))
      const held = yield* within(
        Effect.flatMap(lab.open(), (handle) => handle.propose({ tool: "fax", params: { to: "a" } }))
      )
      assert.strictEqual(held._tag, "Held")
      const action = held._tag === "Held" ? held.action : ""
      const said = { action, by: "Ada", evidence: "the desk says so" }
      const settle = (as: ReviewDecision.Settlement["as"]) =>
        within(ReviewDecision.settle(lab.trip, { ...said, as }, { wrapper: "test" }))
      // The call may still be under way: nobody can say yet that it did not happen.
      const early = yield* settle("failure")
      assert.isFalse(early.ok)
      assert.isNotEmpty(early.why ?? "")
      assert.isNotEmpty(early.next)
      yield* TestClock.adjust("1 hour")
      const settled = yield* settle("failure")
      assert.deepInclude(settled, { ...said, run: "trip", as: "failure", ok: true })
      assert.deepStrictEqual(settled.next, [{ run: "trip", verb: "resume" }])
      const unknown = within(
        ReviewDecision.settle(lab.trip, { ...said, action: "a99", as: "failure" }, { wrapper: "test" })
      )
      assert.strictEqual((yield* Effect.flip(unknown))._tag, "ActionUnknown")
    })
  )
})
