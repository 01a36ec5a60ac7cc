import * as Claims from "@backstitch/trace/Claims"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as ClaimConflict from "../src/claims/ClaimConflict.ts"
import type * as ClaimHolder from "../src/claims/ClaimHolder.ts"
import { type Drafted, drafted } from "../src/decision/Decision.ts"
import { Bench, bookOf, ends, failing, told } from "./lab.ts"

const hash = "ab".repeat(32)

const holderOf = (more: Partial<ClaimHolder.ClaimHolder>): ClaimHolder.ClaimHolder => ({
  action: "a7",
  output: null,
  requestHash: hash,
  run: "other",
  startedAt: 1_000_000,
  status: "unknown",
  tick: 9,
  ...more
})

const decide = (
  namespace: Claims.Namespace,
  holder: ClaimHolder.ClaimHolder | undefined,
  more: { readonly now?: number; readonly since?: number; readonly run?: string } = {}
): Drafted => {
  const bench = new Bench()
  bench.now = more.now ?? bench.now
  const decision = ClaimConflict.decide(bench.terms, bench.state, {
    proposal: { ...bookOf("LX1"), command: "c1", tokens: 3 },
    requestHash: hash,
    refusal: Claims.refuse({ namespace, name: "n", owner: "a7", run: Run.make(more.run ?? "other"), tick: 9 }),
    holder,
    since: more.since
  })
  return drafted(bench.terms, decision)
}

/** The time that the contract of the lab allows a booking: 3 s to be sent, 1 s to be seen, 2 s to be read back. */
const patience = 6000
const late = 1_000_000 + patience

describe("ClaimConflict", () => {
  it("refuses the same key for another request (L6)", () => {
    for (const settled of [undefined, 12]) {
      const decision = decide("key", holderOf({ requestHash: "cd".repeat(32), settled }))
      assert.deepStrictEqual(failing(decision), ["key n"])
      assert.include(told(ends(decision, "Refused")), "key.reused")
    }
  })

  it("waits for an act that another run has under way, longer and longer, and no longer than the contract says", () => {
    const until: Array<number> = []
    let now = 1_000_000
    for (;;) {
      const decision = decide("key", holderOf({}), { now, since: 1_000_000 })
      if (decision.next._tag !== "Await") break
      assert.deepStrictEqual([decision.drafts, decision.next.since], [[], 1_000_000])
      now = decision.next.untilMillis
      until.push(now - 1_000_000)
    }
    assert.deepStrictEqual(until, [250, 750, 1750, 3750, patience])
  })

  it("waits from the start of the act, or from when it was met, whichever is earlier: clocks differ", () => {
    const slow = decide("key", holderOf({ startedAt: 9_000_000 }), { now: late, since: 1_000_000 })
    assert.strictEqual(slow.next._tag, "End")
    const old = decide("key", holderOf({ startedAt: 1_000_000 - patience }))
    assert.strictEqual(old.next._tag, "End")
  })

  it("waits for an undoing as long as both calls may take, and holds the run then (L10)", () => {
    const undoing = { tick: 11, at: 1_000_000 }
    const done = { settled: 10, status: "ok" as const }
    const holder = holderOf({ ...done, startedAt: 0, undoing })
    assert.deepInclude(decide("key", holder, { since: 1_000_000 }).next, { _tag: "Await", untilMillis: 1_000_250 })
    const held = decide("key", holder, { now: late + 60_000 })
    assert.deepInclude(ends(held, "Held"), { action: "a7", run: "other" })
    assert.deepInclude(held.drafts[0]?.body.data?.["checks"], {
      id: "n",
      step: "key",
      why: { args: { action: "a7", run: "other", tick: 11 }, code: "act.undoing" }
    })
    const over = decide("key", holderOf({ ...done, undoing, undone: { action: "a12", tick: 15 } }))
    assert.deepInclude(over.drafts[0]?.body.data?.["checks"], {
      id: "n",
      step: "key",
      why: { args: { action: "a7", reversal: "a12", reversed: 15, run: "other", tick: 10 }, code: "act.reversed" }
    })
  })

  it("waits for a reversal that a person gave up as long as it may arrive, and no longer (decision 0023)", () => {
    const { pack } = new Bench().terms
    const holder = holderOf({ arriving: 1_000_000, settled: 12, status: "ok" })
    // What undoes a booking is sent within 3 s, and seen 1 s later.
    for (const now of [1_000_000, 1_003_999]) {
      const { drafts, next } = decide("key", holder, { now, since: 1_000_000 })
      assert.deepStrictEqual([drafts, next._tag], [[], "Await"])
      assert.isAtMost(next._tag === "Await" ? next.untilMillis : Number.NaN, 1_004_000)
    }
    assert.isUndefined(ClaimConflict.arrivesUntil({ now: 1_004_000, pack }, holder, "book"))
    assert.isUndefined(ClaimConflict.arrivesUntil({ now: 1_000_000, pack }, holderOf({}), "book"))
  })

  it("holds an act that is not settled in time, names its run, and names its remedy", () => {
    const decision = decide("key", holderOf({}), { now: late })
    const held = ends(decision, "Held")
    assert.deepStrictEqual([held.action, held.run], ["a7", "other"])
    assert.deepStrictEqual(held.why, { args: { action: "a7", run: "other", tick: 9 }, code: "act.unsettled" })
    const [draft] = decision.drafts
    assert.deepInclude(draft?.body.data, { awaits: { action: "a7", run: "other", tick: 9 }, tool: "book" })
    assert.deepInclude(draft?.body.data?.["checks"], {
      id: "n",
      step: "key",
      why: { args: { action: "a7", run: "other", tick: 9 }, code: "act.unsettled" }
    })
    assert.deepStrictEqual([draft?.body.type, draft?.body.intent?.command], ["policy.decision", "c1"])
    assert.deepStrictEqual(draft?.stamp.spent, { tokens: 3 })
  })

  it("refuses an act that another run has done and reversed, with the facts and no sentence on record", () => {
    const undone = { action: "a15", tick: 20 }
    const decision = decide("key", holderOf({ settled: 12, status: "ok", undone }), { now: late })
    const { data = {} } = decision.drafts[0]!.body
    const args = { action: "a7", reversal: "a15", reversed: 20, run: "other", tick: 12 }
    assert.deepStrictEqual(data["checks"], [{ id: "n", step: "key", why: { args, code: "act.reversed" } }])
    assert.deepInclude(ends(decision, "Refused").checks[0]?.why, { args, code: "act.reversed" })
  })

  it("refuses an act that another run has done and found gone, in words of its own", () => {
    const undone = { action: "a7", tick: 20 }
    const decision = decide("key", holderOf({ settled: 12, status: "ok", undone }), { now: late })
    const args = { action: "a7", reversal: "a7", reversed: 20, run: "other", tick: 12 }
    assert.deepInclude(ends(decision, "Refused").checks[0]?.why, { args, code: "act.reversed" })
  })

  it("refuses an act that failed for good in another run, and says how to ask for one more", () => {
    const [check] = ends(decide("key", holderOf({ settled: 12, status: "error" })), "Refused").checks
    assert.strictEqual(check?.why?.code, "act.failed")
  })

  it("refuses an act whose settlement is disputed, or that was given up, with the known facts (L14)", () => {
    const why = (more: Partial<ClaimHolder.ClaimHolder>) =>
      ends(decide("key", holderOf({ settled: 12, ...more }), { now: late }), "Refused").checks[0]?.why
    const act = { action: "a7", run: "other", tick: 9 }
    for (const status of ["error", "ok"] as const) {
      assert.deepStrictEqual(why({ disputed: 15, status }), { args: { ...act, since: 15 }, code: "act.disputed" })
    }
    assert.deepStrictEqual(why({}), { args: act, code: "act.abandoned" })
    assert.deepStrictEqual(why({ told: "done" }), { args: { ...act, told: "done" }, code: "act.abandoned" })
  })

  it("waits for a target that another run has just taken, then refuses and names the holder (L7)", () => {
    assert.strictEqual(decide("target", holderOf({ requestHash: "cd".repeat(32) })).next._tag, "Await")
    for (const holder of [holderOf({}), undefined]) {
      const [check] = ends(decide("target", holder, { now: late }), "Refused").checks
      assert.strictEqual(check?.step, "target")
      assert.deepInclude(check?.why?.args, { action: "a7", run: "other", tick: 9 })
    }
  })

  it("does not wait for an action of its own run, nor for any other name", () => {
    assert.strictEqual(decide("target", holderOf({ run: "trip" }), { run: "trip" }).next._tag, "End")
    assert.deepStrictEqual(failing(decide("command", undefined)), ["key n"])
  })
})
