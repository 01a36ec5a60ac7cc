import * as Digest from "@backstitch/trace/Digest"
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

describe("a decision that names the card that was seen", () => {
  it.effect("counts for that card, and for no later question under the same review", () =>
    Effect.gen(function* () {
      const executor = ToolExecutor.fromTools({ launch: { execute: () => ({ launched: true }) } })
      const within = lab.as(lab.process(yield* lab.shared, { executor }))
      const [card] = yield* within(
        Effect.gen(function* () {
          yield* (yield* lab.open()).propose({ tool: "launch", params: { when: "now" } })
          return yield* PendingApprovals.ofTenant(lab.trip.tenant)
        })
      )
      // Two people look at the same card. One says yes, the call is made, and the agent asks for one more.
      const seen = { review: card?.review ?? "", role: "operator", digest: card?.digest }
      const first = yield* within(ReviewDecision.decide(lab.trip, { ...seen, by: "Ada", verdict: "approved" }))
      assert.isTrue(first.ok)
      const again = yield* within(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose({ tool: "launch", params: { when: "now" } })
          yield* handle.propose({ tool: "launch", params: { when: "now" } })
          return yield* PendingApprovals.ofTenant(lab.trip.tenant)
        })
      )
      assert.deepStrictEqual([again.length, again[0]?.review], [1, seen.review])
      const ticks = yield* Effect.map(within(lab.transitions()), (all) => all.length)
      const late = within(ReviewDecision.decide(lab.trip, { ...seen, by: "Grace", verdict: "approved" }))
      const error = yield* Effect.flip(late)
      assert.instanceOf(error, ReviewDecision.QuestionChanged)
      assert.deepStrictEqual(error.changes, [
        { path: "tick", seen: String(card?.tick), now: String(again[0]?.tick) },
        { path: "verdict", seen: "nothing", now: "approved by Ada (operator)" }
      ])
      assert.deepInclude(error.next[0], { verb: "decide", digest: again[0]!.digest, needs: ["operator"] })
      assert.strictEqual((yield* within(lab.transitions())).length, ticks)
      // Whoever has seen the new card may answer it.
      const digest = again[0]!.digest
      const answered = within(ReviewDecision.decide(lab.trip, { ...seen, digest, by: "Grace", verdict: "denied" }))
      assert.isTrue((yield* answered).ok)
    })
  )

  it.effect("decides nothing where the run never asked what the digest names", () =>
    Effect.gen(function* () {
      const { count, request, within } = yield* waiting
      const before = yield* count
      const digest = Digest.ofBytes("another question")
      const wrong = within(ReviewDecision.decide(lab.trip, { ...request, digest, verdict: "approved" }))
      const error = yield* Effect.flip(wrong)
      assert.deepInclude(error, { _tag: "QuestionChanged", changes: [], seen: digest })
      assert.include(error.message, "never asked")
      assert.strictEqual(yield* count, before)
    })
  )

  it.effect("is refused by the kernel itself, whatever was committed since somebody looked", () =>
    Effect.gen(function* () {
      const { count, request, within } = yield* waiting
      const before = yield* count
      const outcome = yield* within(
        Effect.flatMap(lab.open(), (handle) =>
          handle.propose({
            type: "review.decided",
            author: "user",
            data: { ...request, verdict: "approved" },
            question: Digest.ofBytes("another question")
          })
        )
      )
      assert.deepInclude(outcome, { _tag: "Refused", tick: undefined })
      assert.strictEqual(yield* count, before)
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
      const settle = (as: ReviewDecision.Settlement["as"]) => within(ReviewDecision.settle(lab.trip, { ...said, as }))
      // The call may still be under way: nobody can say yet that it did not happen.
      const early = yield* settle("failure")
      assert.isFalse(early.ok)
      assert.isNotEmpty(early.why ?? "")
      assert.isNotEmpty(early.next)
      yield* TestClock.adjust("1 hour")
      const settled = yield* settle("failure")
      assert.deepInclude(settled, { ...said, run: "trip", as: "failure", ok: true })
      assert.deepStrictEqual(settled.next, [{ run: "trip", verb: "resume" }])
      const unknown = within(ReviewDecision.settle(lab.trip, { ...said, action: "a99", as: "failure" }))
      assert.strictEqual((yield* Effect.flip(unknown))._tag, "ActionUnknown")
    })
  )
})
