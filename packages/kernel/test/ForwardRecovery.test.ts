import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import { assert, describe, it } from "@effect/vitest"
import type { Decided } from "../src/decision/Decision.ts"
import * as ForwardRecovery from "../src/forward/ForwardRecovery.ts"
import { asks, Bench, bookOf, call, type Definition, definition, ends, failing, ok, told } from "./lab.ts"

const { tell } = definition.tools

/** The lab's contract in which a payment is the point of no return, and two messages remain behind it. */
const changes: Partial<Definition> = {
  tools: {
    ...definition.tools,
    pay: { ...tell, target: "'card/' + args.to", status: "by_key", times: { ...tell.times, settleAfter: "1s" } },
    tell: { ...tell, status: "by_key", times: { ...tell.times, settleAfter: "1s" } },
    thank: { ...tell, target: "'thanks/' + args.to", status: "by_key", times: { ...tell.times, settleAfter: "1s" } }
  },
  skeletons: {
    trip: {
      tools: ["book", "pay", "tell", "thank"],
      pivot: ["pay"],
      forward: [
        { tool: "tell", with: { to: "steps.pay.args.to" }, within: "20s", poll: { first: "1s", max: "4s" } },
        { tool: "thank", with: { to: "steps.tell.actual.for" }, within: "20s", poll: "1s" }
      ]
    }
  }
}

const benchOf = (more: Partial<Definition> = {}) => new Bench({ changes: { ...changes, ...more } })

const paid = (more: Partial<Definition> = {}): Bench => {
  const bench = benchOf(more)
  bench.books("LX1")
  const { action } = call(bench.proposes({ tool: "pay", params: { to: "ada@x.org" } }))
  ends(bench.answers(action, ok({ receipt: 7 })), "Done")
  return bench
}

const tells = (bench: Bench) => bench.proposes({ tool: "tell", params: { to: "ada@x.org" } })
const completes = (bench: Bench): Decided => bench.does({ _tag: "Complete" })
const recovers = (bench: Bench, action: string): Decided => bench.does({ _tag: "Recover", action })
const refused = { _tag: "Error", error: "full" } as const
const away = { _tag: "Unknown", reason: "nobody answers" } as const
const owed = (bench: Bench) => Obligations.all(bench.state)
const left = (bench: Bench) => owed(bench).map(({ state, steps }) => `${state}: ${steps.join(" ")}`)
const stateOf = (bench: Bench, action: string) => ActionHistories.of(bench.transitions, action)?.state
const illegal = (bench: Bench) => [...ActionHistories.all(bench.transitions).values()].flatMap(({ refused }) => refused)

/** Waits as long as the decision says. */
const waits = (bench: Bench, { next }: Decided): number => {
  if (next._tag !== "Wait") return assert.fail(`expected Wait, found ${JSON.stringify(next)}`)
  const waited = next.untilMillis - bench.now
  bench.now = next.untilMillis
  return waited
}

describe("what remains behind a pivot", () => {
  it("is owed from the moment at which the pivot is reconciled, and no goal is reached before it is done", () => {
    const bench = paid()
    assert.deepStrictEqual(left(bench), ["partially_committed: tell thank"])
    bench.proposes({ type: "plan.update", data: { plan: "go" } })
    const early = bench.proposes({ type: "goal.complete" })
    assert.include(failing(early), "policy remaining.trip")
    assert.include(told(ends(early, "Refused")), '"steps":["tell","thank"]')
    const { action } = call(tells(bench))
    ends(bench.answers(action, ok({ for: "eve@x.org" })), "Done")
    assert.deepStrictEqual(left(bench), ["partially_committed: thank"])
    const next = call(bench.proposes({ tool: "thank", params: { to: "eve@x.org" } }))
    ends(bench.answers(next.action, ok({})), "Done")
    assert.deepStrictEqual(left(bench), [])
    ends(bench.proposes({ type: "goal.complete" }), "Done")
  })

  it("is not owed by acts before the pivot, nor before there is a pivot", () => {
    const bench = benchOf()
    bench.books("LX1")
    assert.deepStrictEqual(left(bench), [])
    bench.answers(call(tells(bench)).action, ok({ for: "eve@x.org" }))
    // What cannot be undone is a pivot by itself: behind it, the rest is owed.
    assert.deepStrictEqual(left(bench), ["partially_committed: thank"])
    const { action } = call(bench.proposes({ tool: "pay", params: { to: "ada@x.org" } }))
    bench.answers(action, ok({}))
    assert.deepStrictEqual(left(bench), ["partially_committed: thank"])
  })

  it("was done before the pivot by the act that is owed, and by no other act of its tool", () => {
    const undo = { class: "R", by: "untell", with: { to: "args.to" } } as const
    const tools = { ...changes.tools, tell: { ...changes.tools!["tell"]!, undo }, untell: { ...tell, status: "none" } }
    const before = (to: string, skeletons = changes.skeletons) => {
      const bench = benchOf({ tools, skeletons } as Partial<Definition>)
      ends(bench.answers(call(bench.proposes({ tool: "tell", params: { to } })).action, ok({})), "Done")
      assert.deepStrictEqual(left(bench), [])
      ends(bench.answers(call(bench.proposes({ tool: "pay", params: { to: "ada@x.org" } })).action, ok({})), "Done")
      return left(bench)
    }
    assert.deepStrictEqual(before("eve@x.org"), ["partially_committed: tell thank"])
    // However it is worded: the identity of the act counts.
    assert.deepStrictEqual(before("ADA@x.org "), ["partially_committed: thank"])
    assert.deepStrictEqual(before("ada@x.org"), ["partially_committed: thank"])
    // What no contract derives is known by the name of its tool alone.
    const named = { trip: { ...changes.skeletons!["trip"]!, forward: ["tell", "thank"] } }
    assert.deepStrictEqual(before("eve@x.org", named), ["partially_committed: thank"])
  })

  it("is proposed by the kernel from the observations of earlier steps, each under a key of its own", () => {
    const bench = paid()
    const first = call(completes(bench))
    assert.deepStrictEqual([first.tool, first.params], ["tell", { to: "ada@x.org" }])
    assert.strictEqual(bench.transitions.at(-2)?.body.author, "kernel")
    assert.deepStrictEqual(left(bench), ["forward_recovery: tell thank"])
    const done = bench.answers(first.action, ok({ for: "eve@x.org" }))
    assert.strictEqual(done.next._tag, "Complete")
    const second = call(completes(bench))
    assert.deepStrictEqual([second.tool, second.params], ["thank", { to: "eve@x.org" }])
    assert.notStrictEqual(first.key, second.key)
    ends(bench.answers(second.action, ok({})), "Done")
    assert.deepStrictEqual([left(bench), illegal(bench)], [[], []])
    ends(completes(bench), "Done")
  })

  it("is sent again under the next generation of its key after a refusal, later and later (decision 0035)", () => {
    const bench = paid()
    const { action, key } = call(tells(bench))
    const keys = [key]
    const pauses: Array<number> = []
    let decision = bench.answers(action, refused)
    for (let attempt = 0; attempt < 4; attempt++) {
      assert.strictEqual(stateOf(bench, action), "forward_recovery")
      const { drafts, flush, next } = recovers(bench, action)
      assert.deepStrictEqual({ drafts, flush, next }, { drafts: [], flush: "later", next: decision.next })
      pauses.push(waits(bench, decision))
      const again = call(recovers(bench, action))
      assert.strictEqual(again.action, action)
      keys.push(again.key)
      decision = bench.answers(action, attempt < 3 ? refused : ok({ for: "eve@x.org" }))
    }
    assert.deepStrictEqual(pauses, [1000, 2000, 4000, 4000])
    assert.strictEqual(new Set(keys).size, 5)
    assert.strictEqual(stateOf(bench, action), "reconciled_success")
    assert.strictEqual(decision.next._tag, "Complete")
    assert.deepStrictEqual([left(bench), illegal(bench)], [["forward_recovery: thank"], []])
  })

  it("is held for a person once its time is up, and goes on or is given up as they decide", () => {
    for (const as of ["success", "failure", "abandoned"] as const) {
      const bench = paid()
      const { action } = call(tells(bench))
      let decision = bench.answers(action, refused)
      for (let turn = 0; turn < 20 && decision.next._tag === "Wait"; turn++) {
        waits(bench, decision)
        decision = recovers(bench, action)
        if (decision.next._tag === "Call") decision = bench.answers(action, refused)
      }
      assert.include(told(ends(decision, "Held")), "forward.")
      assert.deepStrictEqual(
        [stateOf(bench, action), left(bench)],
        ["review_required", ["review_required: tell thank"]]
      )
      ends(recovers(bench, action), "Held")
      const seen = as === "success" ? { record: {} } : {}
      const data = { action, as, by: "Ada", evidence: "looked", ...seen }
      ends(bench.proposes({ author: "user", data, type: "review.decided" }), "Done")
      assert.deepStrictEqual(left(bench), as === "success" ? ["forward_recovery: thank"] : [])
      const came = { success: "reconciled_success", failure: "failed", abandoned: "abandoned" } as const
      assert.strictEqual(stateOf(bench, action), came[as])
      assert.deepStrictEqual(illegal(bench), [])
    }
  })

  it("is asked about under its key while no answer comes, and then held (L7)", () => {
    const bench = paid()
    const { action, key } = call(tells(bench))
    const asked = asks(bench.answers(action, away), "Ask")
    assert.strictEqual(asked.key, key)
    let decision = bench.answers(action, away, "status")
    assert.deepStrictEqual(left(bench), ["forward_recovery: tell thank"])
    const tick = bench.at.head.tick
    waits(bench, decision)
    asks(recovers(bench, action), "Ask")
    decision = bench.answers(action, away, "status")
    assert.strictEqual(bench.at.head.tick, tick, "asking in vain leaves no trace")
    bench.now += 20_000
    asks(recovers(bench, action), "Ask")
    ends(bench.answers(action, away, "status"), "Held")
    assert.deepStrictEqual(left(bench), ["review_required: tell thank"])
    asks(recovers(bench, action), "Ask")
    decision = bench.answers(action, ok({ for: "eve@x.org" }), "status")
    assert.strictEqual(decision.next._tag, "Complete")
    assert.deepStrictEqual(illegal(bench), [])
  })

  it("is asked of the planner if nothing supplies its arguments", () => {
    const forward = ["tell", { tool: "thank", with: { to: "working.plan" } }]
    const bench = paid({ skeletons: { trip: { tools: ["book", "pay", "tell", "thank"], pivot: ["pay"], forward } } })
    const [first] = ForwardRecovery.remaining(bench.pack, bench.state)
    assert.deepInclude(first, { tool: "tell", later: ["thank"], params: undefined })
    assert.deepStrictEqual(first?.lacks, { args: { arguments: ["to"] }, code: "forward.unsaid" })
    assert.include(told(ends(completes(bench), "Held")), "forward.underivable")
    assert.isFalse(ForwardRecovery.isUnderWay(ForwardRecovery.remaining(bench.pack, bench.state)))
    bench.answers(call(tells(bench)).action, ok({}))
    assert.deepInclude(ForwardRecovery.remaining(bench.pack, bench.state)[0]?.lacks, { code: "forward.mismatch" })
    bench.proposes({ type: "plan.update", data: { plan: "eve@x.org" } })
    assert.deepStrictEqual(call(completes(bench)).params, { to: "eve@x.org" })
  })

  it("is not done by a call of the same tool with another meaning, and is completed all the same", () => {
    const bench = paid()
    const other = call(bench.proposes({ tool: "tell", params: { to: "bob@x.org" } }))
    ends(bench.answers(other.action, ok({ for: "bob@x.org" })), "Done")
    assert.deepStrictEqual(left(bench), ["partially_committed: tell thank"])
    ends(bench.proposes({ type: "goal.complete" }), "Refused")
    const first = call(completes(bench))
    assert.deepStrictEqual([first.tool, first.params], ["tell", { to: "ada@x.org" }])
    bench.answers(first.action, ok({ for: "eve@x.org" }))
    assert.deepStrictEqual(left(bench), ["forward_recovery: thank"])
    const same = paid()
    const { action } = call(same.proposes({ tool: "tell", params: { to: " Ada@X.org" } }))
    ends(same.answers(action, ok({ for: "eve@x.org" })), "Done")
    assert.deepStrictEqual(left(same), ["partially_committed: thank"])
  })

  it("goes on with the owed step after another act was done in its place", () => {
    const bench = paid()
    const { action } = call(bench.proposes({ tool: "tell", params: { to: "bob@x.org" } }))
    bench.answers(action, refused)
    bench.now += 1000
    const again = call(recovers(bench, action))
    const done = bench.answers(again.action, ok({ for: "bob@x.org" }))
    assert.strictEqual(done.next._tag, "Complete")
    assert.deepStrictEqual(call(completes(bench)).params, { to: "ada@x.org" })
    assert.deepStrictEqual(illegal(bench), [])
  })

  it("is refused to the planner while the kernel is at it, and held if a guard refuses it", () => {
    const bench = paid()
    const { action } = call(tells(bench))
    bench.answers(action, refused)
    assert.include(failing(tells(bench)), "policy remaining.trip")
    const guarded = paid({ guards: [{ id: "quiet", on: "tell", refuse_if: "true" }] })
    assert.include(told(ends(completes(guarded), "Held")), "quiet")
    assert.deepStrictEqual(left(guarded), ["review_required: tell thank"])
    ends(completes(guarded), "Held")
    const [{ pivot } = { pivot: "" }] = owed(guarded)
    const data = { action: pivot, as: "abandoned", by: "Ada", evidence: "they know" }
    ends(guarded.proposes({ author: "user", data, type: "review.decided" }), "Done")
    assert.deepStrictEqual(left(guarded), [])
  })

  it("stays with the parent of a fork, and two obligations do not mix", () => {
    const entity = "args.to"
    const skeletons = { trip: { ...changes.skeletons!["trip"]!, tools: ["pay", "tell", "thank"], entity } }
    const bench = paid({ skeletons })
    const other = call(bench.proposes({ tool: "pay", params: { to: "bob@x.org" } }))
    bench.answers(other.action, ok({}))
    assert.deepStrictEqual(
      owed(bench).map(({ entity }) => entity),
      ["ada@x.org", "bob@x.org"]
    )
    const { action } = call(bench.proposes({ tool: "tell", params: { to: "bob@x.org" } }))
    bench.answers(action, ok({}))
    assert.deepStrictEqual(left(bench), ["partially_committed: tell thank", "partially_committed: thank"])
    const forked = Obligations.part.on["run.fork"]?.({ a: owed(bench)[0] }, bench.last, bench.state)
    assert.deepStrictEqual(forked, {})
    assert.deepStrictEqual(OpenActions.of(bench.state), {})
  })

  it("begins no call while a step is to be undone, and none of another's", () => {
    const bench = benchOf()
    ends(completes(bench), "Done")
    ends(bench.proposes(bookOf("LX2", 500)), "Refused")
  })
})
