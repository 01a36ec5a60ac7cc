import * as Backoff from "@backstitch/contracts/Backoff"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as Kernel from "../src/Kernel.ts"
import * as DecisionTerms from "../src/state/DecisionTerms.ts"
import { asks, Bench, bookOf, call, definition, ends, ok, told } from "./lab.ts"

/** The times of `book`: 3 s to send, 1 s to settle, 1 h for which its key is honoured. */
const [proven, forgotten] = [4000, 3_600_000]
const After = Schema.Literals([0, 1, 3999, 4000, 4001, 60_000, 3_595_999, 3_596_000, 3_596_001, 3_600_000, 3_600_001])

const unread: ReadonlyArray<Evidence> = [
  { _tag: "Unknown", reason: "cut" },
  { _tag: "Error", error: "forbidden" },
  { _tag: "Pending" }
]

/** A tool whose effect can be read back, and which can be neither asked by key nor sent again. */
const shown = {
  tools: {
    ...definition.tools,
    fax: { ...definition.tools.fax, readback: { source: "journal", expect: ["actual.to == args.to"] } }
  }
}

describe("the times of a contract", () => {
  it.prop(
    "turn not found into wait, send again or hold, by the last attempt and the first (decision 0036)",
    [Schema.Array(After).check(Schema.isMaxLength(5))],
    ([waits]) => {
      const bench = new Bench()
      const { action, key } = call(bench.proposes(bookOf("LX1")))
      const first = bench.now
      let [last, sends] = [first, 1]
      for (const wait of waits) {
        bench.now += wait
        const decision = bench.answers(action, { _tag: "NotFound" }, "status")
        if (bench.now < last + proven) {
          assert.deepStrictEqual(decision.next, { _tag: "Wait", action, untilMillis: last + proven })
        } else if (bench.now + proven <= first + forgotten) {
          assert.strictEqual(call(decision).key, key)
          assert.strictEqual(call(decision).sendBefore, bench.now + 3000)
          sends += 1
          last = bench.now
        } else ends(decision, "Held")
        // Unknown is neither success nor failure: the action stays open, and the target with it (L7).
        assert.deepInclude(OpenActions.of(bench.state)[action], { attempts: sends, firstAt: first, target: "seat/LX1" })
      }
    },
    { arbitrary: { runs: 400 } }
  )

  it("count to the question, not to its answer: after an early not found, it is asked again (decision 0036)", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    const first = bench.now
    bench.now = first + 10 * proven
    const late = { _tag: "Answered", action, via: "status", evidence: { _tag: "NotFound" } } as const
    asks(bench.does({ ...late, askedAt: first + proven - 1 }), "Ask")
    assert.deepInclude(OpenActions.of(bench.state)[action], { attempts: 1 })
    call(bench.does({ ...late, askedAt: first + proven }))
    assert.deepInclude(OpenActions.of(bench.state)[action], { attempts: 2 })
  })

  it("prove nothing by a key that may have been forgotten before its answer was made (decision 0036)", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    const first = bench.now
    bench.now = first + forgotten
    const asked = { _tag: "Answered", action, via: "status", evidence: { _tag: "NotFound" } } as const
    const command = { ...asked, askedAt: first + forgotten - 1 }
    // In a run of the first rules the key was taken to be known (decision 0021).
    const before = { ...bench.state.kernel, [PackInForce.part.name]: PackInForce.part.init }
    const { drafts } = Kernel.decide(bench.terms, { ...bench.state, kernel: before }, command)
    assert.deepInclude(drafts[0]?.body.data, { discrepancy: "no_op_failure" })
    assert.include(told(ends(bench.does(command), "Held")), "sending.key_expired")
    assert.deepInclude(bench.last.body.data, { discrepancy: "unknown_state" })
  })

  it("are not over because the clock leapt: not found is asked again until they have passed (decision 0036)", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    const first = bench.now
    bench.now = first + 600_000
    const leaps = [{ at: bench.now - 100, millis: 599_000 }]
    const asked = { _tag: "Answered", action, via: "status", evidence: { _tag: "NotFound" } } as const
    const decides = (more: object = {}) => Kernel.decide({ ...bench.terms, leaps }, bench.state, { ...asked, ...more })
    // One second has passed since it was begun, whatever the clock says.
    assert.deepStrictEqual(decides().next, { _tag: "Wait", action, untilMillis: bench.now + proven - 1000 })
    bench.now += proven - 1000
    asks(decides({ askedAt: bench.now - 1 }), "Ask")
    call(decides())
    // What leapt before the action was begun is nothing to it.
    assert.strictEqual(DecisionTerms.surely({ ...bench.terms, leaps }, bench.now), bench.now)
  })

  it("count to the request that was refused: a later attempt may still succeed (L14)", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    const first = bench.now
    bench.now += proven
    call(bench.answers(action, { _tag: "NotFound" }, "status"))
    const refused = { _tag: "Answered", action, via: "call", evidence: { _tag: "Error", error: "full" } } as const
    asks(bench.does({ ...refused, askedAt: first }), "Ask")
    assert.deepInclude(OpenActions.of(bench.state)[action], { heard: "answer", target: "seat/LX1" })
    ends(bench.does({ ...refused, askedAt: bench.now }), "Failed")
  })

  it("leave a request that is sent again the time to arrive while its key is honoured (L14)", () => {
    const { tell } = definition.tools
    const times = { sendWithin: "3s", settleAfter: "1s", keyRetention: "10s" }
    const sentAgainAfter = (millis: number) => {
      const bench = new Bench({ changes: { tools: { ...definition.tools, tell: { ...tell, times } } } })
      const { action } = call(bench.proposes({ tool: "tell", params: { to: "a@b.ch" } }))
      bench.now += millis
      return bench.answers(action, { _tag: "Unknown", reason: "cut" })
    }
    call(sentAgainAfter(6000))
    assert.include(told(ends(sentAgainAfter(6001), "Held")), "sending.key_expired")
  })

  it("begin when its sender drops the request, by default after 30 s: until then a record is read again (L14)", () => {
    const { fax, ...tools } = shown.tools
    const bench = new Bench({ changes: { tools: { ...tools, fax: { ...fax, times: { settleAfter: "1s" } } } } })
    const { action } = call(bench.proposes({ tool: "fax", params: { to: "Ada" } }))
    const sent = bench.now
    bench.answers(action, ok({}))
    bench.now = sent + 30_999
    assert.strictEqual(bench.readsBack(action, { _tag: "NotFound" }).next._tag, "Wait")
    bench.now = sent + 31_000
    ends(bench.readsBack(action, { _tag: "NotFound" }), "Held")
  })

  it("are needed for a proof by not found: without them it proves nothing, ever (L14)", () => {
    const { book } = definition.tools
    for (const times of [
      {},
      { sendWithin: "3s", settleAfter: "1s" },
      { sendWithin: "3s", keyRetention: "1h" },
      { settleAfter: "1s", keyRetention: "1h" }
    ]) {
      const bench = new Bench({ changes: { tools: { ...definition.tools, book: { ...book, times } } } })
      const { action } = call(bench.proposes(bookOf("LX1")))
      bench.now += 10_000
      assert.include(told(ends(bench.answers(action, { _tag: "NotFound" }, "status"), "Held")), "status.untimed")
    }
  })

  it("forbid to send again under a key whose retention is not declared", () => {
    const { tell } = definition.tools
    const changes = { tools: { ...definition.tools, tell: { ...tell, times: { sendWithin: "3s" } } } }
    const bench = new Bench({ changes })
    const { action } = call(bench.proposes({ tool: "tell", params: { to: "a@b.ch" } }))
    ends(bench.answers(action, { _tag: "Unknown", reason: "cut" }), "Held")
  })

  it("give a lost answer to a tool that honours keys a next attempt, which is durable with the loss (L5)", () => {
    const bench = new Bench()
    const { action, key } = call(bench.proposes({ tool: "tell", params: { to: "a@b.ch" } }))
    const { tick } = bench.at.head
    const decision = bench.answers(action, { _tag: "Unknown", reason: "cut" })
    assert.strictEqual(decision.flush, "now")
    assert.strictEqual(call(decision).key, key)
    assert.deepStrictEqual(bench.types(tick), ["action.result", "action.started"])
  })

  it("make a loss durable before the key is asked about: the known facts survive the question", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    const decision = bench.answers(action, { _tag: "Unknown", reason: "cut" })
    asks(decision, "Ask")
    assert.strictEqual(decision.flush, "now")
  })
})

describe("a readback", () => {
  it("is made again on recovery if it cannot be read, also if nothing else can be asked", () => {
    for (const evidence of unread) {
      const bench = new Bench({ changes: shown })
      const { action } = call(bench.proposes({ tool: "fax", params: { to: "1" } }))
      bench.answers(action, ok({ id: "F1" }))
      bench.now += 60_000
      ends(bench.readsBack(action, evidence), "Held")
      assert.strictEqual(bench.verdict?.status, "unknown")
      if (OpenActions.of(bench.state)[action]?.state === "review_required") bench.reopens(action)
      assert.deepStrictEqual(asks(bench.does({ _tag: "Recover", action }), "ReadBack").observed, { id: "F1" })
      assert.strictEqual(ends(bench.readsBack(action, ok({ to: "1" })), "Done").basis, "readback")
    }
  })

  it("is never Done if it contradicts the answer, however often it is made", () => {
    const bench = new Bench({ changes: shown })
    const { action } = call(bench.proposes({ tool: "fax", params: { to: "1" } }))
    bench.answers(action, ok({ id: "F1" }))
    for (const evidence of [ok({ to: "2" }), { _tag: "NotFound" } as const, ok({}), ok(null)]) {
      bench.now += 60_000
      asks(bench.does({ _tag: "Recover", action }), "ReadBack")
      ends(bench.readsBack(action, evidence), "Held")
      assert.strictEqual(bench.verdict?.status, "mismatch")
      bench.reopens(action)
    }
    assert.notInclude(bench.types(), "action.reconciled")
    assert.strictEqual(OpenActions.of(bench.state)[action]?.target, "fax/1")
  })

  it("is polled as the contract says, and by a default if it does not", () => {
    const readback = { ...definition.tools.book.readback, poll: "700ms" }
    const tools = { ...definition.tools, book: { ...definition.tools.book, readback } }
    for (const [changes, poll] of [
      [{ tools }, 700],
      [{}, Backoff.standard.firstMillis]
    ] as const) {
      const bench = new Bench({ changes })
      const { action } = call(bench.proposes(bookOf("LX1")))
      bench.answers(action, ok({ id: "B1" }))
      const { next } = bench.readsBack(action, { _tag: "Pending" })
      assert.deepStrictEqual(next, { _tag: "Wait", action, untilMillis: bench.now + poll })
    }
  })
})

describe("an action that was requested and never started", () => {
  it("ends on the record, for nothing can have happened (L14)", () => {
    const bench = new Bench()
    const { drafts } = bench.decides({ _tag: "Propose", proposal: bookOf("LX1") })
    bench.commits(drafts.slice(0, 1))
    assert.include(told(ends(bench.does({ _tag: "Recover", action: "a2" }), "Refused")), "action.never_started")
    assert.strictEqual(bench.last.body.type, "intent.dropped")
    assert.deepStrictEqual(OpenActions.of(bench.state), {})
  })
})

describe("Terms", () => {
  it("counts no leap of the clock as time that has passed, from the moment after it on", () => {
    const { terms } = new Bench()
    const surely = (at: number) => DecisionTerms.surely({ ...terms, leaps: [{ at: 10, millis: 4 }], now: 20 }, 5, at)
    assert.deepStrictEqual([9, 10, 11, 20].map(surely), [9, 6, 7, 16])
    assert.strictEqual(DecisionTerms.surely({ ...terms, leaps: [{ at: 10, millis: 4 }], now: 20 }, 10), 20)
  })
})
