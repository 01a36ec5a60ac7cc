import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type { State } from "@backstitch/reducer/State"
import type { Draft } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as InvalidMove from "../src/decision/InvalidMove.ts"
import * as Reviews from "../src/review/Reviews.ts"
import * as LateReadback from "../src/settlement/LateReadback.ts"
import { Bench, bookOf, call, ends, ok, told } from "./lab.ts"

const record = ok({ id: "LX1", price: 80 })
const differs = ok({ id: "LX1", price: 90 })
const silent: ReadonlyArray<Evidence> = [
  { _tag: "Pending" },
  { _tag: "Error", error: "busy" },
  { _tag: "Unknown", reason: "cut" }
]
/** Long after everything that could be under way has arrived. */
const later = 60_000

/** A booking that was settled as a success or a failure, and what another process is shown of it. */
const settled = (as: "success" | "failure" = "success") => {
  const bench = new Bench()
  const { action } = call(bench.proposes(bookOf("LX1")))
  let before: State = bench.state
  if (as === "success") {
    bench.answers(action, ok({ id: "LX1" }))
    before = bench.state
    ends(bench.readsBack(action, record), "Done")
  } else ends(bench.answers(action, { _tag: "Error", error: "sold out" }), "Failed")
  const shown = (evidence: Evidence, after = later, state = bench.state): ReadonlyArray<Draft> => {
    const history = ActionHistories.of(bench.transitions, action)!
    const read = { evidence, askedAt: bench.now + after }
    return LateReadback.judge(bench.terms, state, { history, before, transitions: bench.transitions }, read)
  }
  return { action, before, bench, shown }
}

const types = (drafts: ReadonlyArray<Draft>) => drafts.map(({ body }) => body.type)

describe("a record that is shown after a success was settled", () => {
  it("is an anomaly if it does not meet the contract, and a person reviews it, once: the settlement stands", () => {
    const { action, bench, shown } = settled()
    const { world } = bench.state
    const drafts = shown(differs)
    assert.deepStrictEqual(types(drafts), ["kernel.anomaly", "review.requested"])
    assert.deepInclude(drafts[0]?.body.data, {
      evidence: {
        output: { id: "LX1", price: 90 },
        read: "ok",
        unmet: [{ args: { source: "actual.price == args.price" }, code: "expectation.unmet" }],
        via: "readback"
      },
      from: "reconciled_success",
      kind: InvalidMove.kind,
      to: "reconciliation_failed"
    })
    bench.commits(drafts)
    assert.deepStrictEqual(bench.state.world, world)
    assert.strictEqual(ActionHistories.of(bench.transitions, action)?.state, "reconciled_success")
    assert.deepStrictEqual(
      Reviews.ofVerification(bench.state).map(([, each]) => [each.action, each.triggers]),
      [[action, ["mismatch"]]]
    )
    assert.deepStrictEqual(types(shown(differs)), ["kernel.anomaly"])
    const data = { action, as: "noted", by: "Ada", evidence: "the price was changed by hand" }
    ends(bench.proposes({ type: "review.decided", author: "user", data }), "Done")
    assert.deepStrictEqual(Reviews.ofVerification(bench.state), [])
  })

  it("is an anomaly, too, if the record has gone, once no request can be under way", () => {
    const { shown } = settled()
    assert.deepStrictEqual(types(shown({ _tag: "NotFound" })), ["kernel.anomaly", "review.requested"])
    assert.deepStrictEqual(shown({ _tag: "NotFound" }, 1_000), [])
  })

  it("says nothing if it agrees, shows nothing, or was asked for before (decision 0007)", () => {
    const { shown } = settled()
    for (const evidence of [record, ...silent]) assert.deepStrictEqual(shown(evidence), [])
    assert.deepStrictEqual(shown(differs, -1), [])
  })

  it("has no verdict on later changes of the target by others", () => {
    const { bench, shown } = settled()
    call(bench.proposes({ ...bookOf("LX1"), occurrence: 2, occurrenceBy: "plan" }))
    assert.deepStrictEqual(shown(differs), [])
  })
})

describe("a record that is shown after a failure was settled", () => {
  it("is an anomaly if it shows the effect, whenever it was asked for, and never otherwise", () => {
    for (const after of [-1, later]) {
      const [anomaly, review, ...others] = settled("failure").shown(record, after)
      assert.deepInclude(anomaly?.body.data, { from: "failed", kind: InvalidMove.kind, to: "committed" })
      const args = { person: false, said: "done", settled: "failed" }
      assert.deepInclude(review?.body.data, { why: { args, code: "verification.disputed" } })
      assert.deepStrictEqual(others, [])
    }
    const { shown } = settled("failure")
    for (const evidence of [differs, { _tag: "NotFound" } as const, ...silent]) {
      assert.deepStrictEqual(shown(evidence), [])
    }
  })

  it("keeps the act from being begun again until a person says that it did not happen (L14)", () => {
    const { action, bench, shown } = settled("failure")
    bench.commits(shown(record))
    assert.include(told(ends(bench.proposes(bookOf("LX1")), "Refused")), "act.disputed")
    bench.now += 60_000
    const data = { action, as: "failure", by: "Ada", evidence: "the record is that of another desk" }
    ends(bench.proposes({ type: "review.decided", author: "user", data }), "Done")
    call(bench.proposes(bookOf("LX1")))
  })

  it("is no more than an anomaly by the first rules (decision 0021)", () => {
    const { bench, shown } = settled("failure")
    bench.does({ _tag: "Migrate", rules: 1 })
    assert.deepStrictEqual(types(shown(record)), ["kernel.anomaly"])
  })

  it("has no verdict if another run acted on the target: the effect may be that run's", () => {
    const { bench, shown } = settled("failure")
    call(bench.proposes(bookOf("LX1")))
    assert.deepStrictEqual(shown(record), [])
  })
})
