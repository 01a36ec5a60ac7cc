import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import { assert, describe, it } from "@effect/vitest"
import * as ActionFate from "../src/action/ActionFate.ts"
import * as Kernel from "../src/Kernel.ts"
import * as Reviews from "../src/review/Reviews.ts"
import * as LateEvidence from "../src/settlement/LateEvidence.ts"
import { Bench, bookOf, call, ends, ok } from "./lab.ts"

const settled = () => {
  const bench = new Bench()
  const { action } = call(bench.proposes(bookOf("LX1")))
  bench.answers(action, ok({ id: "LX1" }))
  bench.readsBack(action, ok({ id: "LX1", price: 80 }))
  return { action, bench }
}

describe("an answer about an action that waits for a person", () => {
  const fax = { tool: "fax", params: { to: "Ada" } }
  const frozen = () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(fax))
    bench.answers(action, { _tag: "Unknown", reason: "late" })
    bench.now += 60_000
    ends(bench.does({ _tag: "Recover", action }), "Held")
    assert.strictEqual(OpenActions.of(bench.state)[action]?.state, "review_required")
    return { action, bench }
  }

  it("is kept once, moves nothing, and is told to whoever decides", () => {
    const { action, bench } = frozen()
    const { heard, state, answer } = OpenActions.of(bench.state)[action]!
    const held = ends(bench.answers(action, ok("sent")), "Held")
    assert.deepInclude(held.why.args, { told: "done", verifiable: true })
    assert.deepInclude(bench.last.body.data, { told: { outcome: "done", output: "sent" }, via: "call" })
    assert.deepInclude(OpenActions.of(bench.state)[action], { answer, heard, state })
    const tick = bench.at.head.tick
    ends(bench.answers(action, ok("sent")), "Held")
    ends(bench.answers(action, { _tag: "Unknown", reason: "late" }), "Held")
    assert.strictEqual(bench.at.head.tick, tick)
  })

  it("counts once a person reopens the action, which nothing else could settle", () => {
    for (const [evidence, as] of [
      [ok("sent"), "Done"],
      [{ _tag: "Error", error: "no such number" }, "Failed"]
    ] as const) {
      const { action, bench } = frozen()
      const data = { action, as: "reopened", by: "Ada", evidence: "it has answered" }
      const reopens = () => bench.proposes({ author: "user", data, type: "review.decided" })
      ends(reopens(), "Refused")
      bench.answers(action, evidence)
      ends(reopens(), "Done")
      ends(bench.does({ _tag: "Recover", action }), as)
      assert.deepStrictEqual(ActionHistories.of(bench.transitions, action)?.refused, [])
    }
  })
})

const says = (bench: Bench, action: string, as: string) => {
  const data = { action, as, by: "Ada", evidence: "looked at the carrier" }
  return bench.proposes({ author: "user", data, type: "review.decided" })
}

describe("LateEvidence", () => {
  it("is an answer about an action that was requested in the run and is no longer open", () => {
    const { action, bench } = settled()
    assert.isTrue(LateEvidence.isOf(bench.terms, bench.state, action))
    const { action: open } = call(bench.proposes(bookOf("LX2")))
    for (const other of [open, "a99", "a0", "name", ""]) {
      assert.isFalse(LateEvidence.isOf(bench.terms, bench.state, other))
    }
  })

  it("looks at the trace from the request on before it says anything, and commits nothing by looking", () => {
    const { action, bench } = settled()
    const evidence = { _tag: "Error", error: "full" } as const
    const late = { _tag: "LateEvidence", action, via: "call", evidence } as const
    for (const command of [late, { ...late, _tag: "Answered" } as const]) {
      const { drafts, next } = Kernel.decide(bench.terms, bench.state, command)
      assert.deepStrictEqual(drafts, [])
      assert.deepInclude(next._tag === "Look" && next.look, { _tag: "Trace", run: bench.run.id })
    }
  })

  it("is an anomaly if the settlement cannot have come of it, and answered from the record all the same", () => {
    const { action, bench } = settled()
    const tick = bench.at.head.tick
    const done = ends(bench.answers(action, { _tag: "Error", error: "full" }), "Done")
    assert.deepStrictEqual([done.basis, done.adopted?.action], ["recorded", action])
    assert.deepStrictEqual(bench.types(tick), ["kernel.anomaly"])
  })

  it("asks a person to look, once, if it contradicts a settlement by a person or a tool, and reopens nothing", () => {
    const error = { _tag: "Error", error: "full" } as const
    const done = ok({ id: "LX1" })
    const settlements = [
      { as: "failure", settled: "failed", said: "done", answer: done },
      { as: "success", settled: "reconciled_success", said: "failed", answer: error },
      { as: undefined, settled: "failed", said: "done", answer: done }
    ] as const
    for (const { answer, as, said, settled } of settlements) {
      const bench = new Bench()
      const { action } = call(bench.proposes(bookOf("LX1")))
      if (as === undefined) ends(bench.answers(action, error), "Failed")
      else {
        bench.now += 60_000
        const record = as === "success" ? { record: { id: "LX1", price: 80 } } : {}
        const data = { action, as, by: "Ada", evidence: "phoned", ...record }
        ends(bench.proposes({ author: "user", data, type: "review.decided" }), "Done")
      }
      const tick = bench.at.head.tick
      bench.does({ _tag: "LateEvidence", action, evidence: answer, via: "webhook" })
      const types = bench.transitions.slice(tick).map(({ body }) => body.type)
      assert.deepStrictEqual(types, ["kernel.anomaly", "review.requested"])
      const args = { person: as !== undefined, said, settled }
      assert.deepInclude(bench.transitions.at(-1)?.body.data, { why: { args, code: "verification.disputed" } })
      assert.strictEqual(ActionHistories.of(bench.transitions, action)?.state, settled)
      bench.does({ _tag: "LateEvidence", action, evidence: answer, via: "status" })
      const disputes = () =>
        Reviews.ofVerification(bench.state).filter(([, { why }]) => why?.code === "verification.disputed")
      assert.lengthOf(disputes(), 1)

      const became = () => ActionFate.of(bench.transitions, action).disputed
      assert.isDefined(became())
      bench.now += 60_000
      ends(says(bench, action, said === "done" ? "failure" : "noted"), "Done")
      assert.deepStrictEqual([became(), disputes()], [undefined, []])
    }
  })

  it("is kept once if the action was abandoned: it contradicts nothing, and is no anomaly (decision 0041)", () => {
    const answers = [
      [ok({ id: "LX1" }), { outcome: "done", output: { id: "LX1" } }],
      [
        { _tag: "Error", error: "full" },
        { outcome: "failed", output: "full" }
      ]
    ] as const
    for (const [answer, told] of answers) {
      const bench = new Bench()
      const { action } = call(bench.proposes(bookOf("LX1")))
      const data = { action, as: "abandoned", by: "Ada", evidence: "phoned" }
      ends(bench.proposes({ author: "user", data, type: "review.decided" }), "Done")
      const tick = bench.at.head.tick
      ends(bench.answers(action, { _tag: "Pending" }), "Done")
      for (const _ of [1, 2]) assert.strictEqual(ends(bench.answers(action, answer), "Done").basis, "recorded")
      assert.deepStrictEqual(bench.types(tick), ["action.result"])
      assert.deepStrictEqual(bench.transitions.at(-1)?.body.data, { told, via: "call" })
      const history = ActionHistories.of(bench.transitions, action)
      assert.deepInclude(history, { refused: [], state: "abandoned" })
      assert.strictEqual(ActionFate.of(bench.transitions, action).told, told.outcome)
      assert.isUndefined(OpenActions.of(bench.state)[action])
    }
  })

  it("says nothing if it agrees, or is silence", () => {
    const { action, bench } = settled()
    const tick = bench.at.head.tick
    ends(bench.answers(action, ok({ id: "LX1" })), "Done")
    ends(bench.answers(action, { _tag: "Unknown", reason: "cut" }), "Done")
    ends(bench.readsBack(action, ok({ id: "LX1", price: 80 })), "Done")
    assert.deepStrictEqual(bench.types(tick), [])
  })
})
