import { assert, describe, it } from "@effect/vitest"
import * as ActionFate from "../src/action/ActionFate.ts"
import * as DisputedFailure from "../src/resolution/DisputedFailure.ts"
import * as Reviews from "../src/review/Reviews.ts"
import { Bench, bookOf, call, ends, ok, told } from "./lab.ts"

const says = (bench: Bench, action: string, as: string) => {
  const data = { action, as, by: "Ada", evidence: "looked at the carrier" }
  return bench.proposes({ author: "user", data, type: "review.decided" })
}

/** An act that its carrier refused, and says later that it did. */
const disputed = ({ rules }: { readonly rules?: number } = {}) => {
  const bench = new Bench()
  if (rules !== undefined) bench.does({ _tag: "Migrate", rules })
  const { action } = call(bench.proposes(bookOf("LX1")))
  const startedAt = bench.now
  ends(bench.answers(action, { _tag: "Error", error: "full" }), "Failed")
  bench.does({ _tag: "LateEvidence", action, evidence: ok({ id: "LX1" }), via: "call" })
  return { action, bench, startedAt }
}

describe("DisputedFailure", () => {
  it("is an act that is not begun again, in any spelling or with other arguments, before somebody has looked", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    ends(bench.answers(action, { _tag: "Error", error: "full" }), "Failed")
    bench.does({ _tag: "LateEvidence", action, evidence: ok({ id: "LX1" }), via: "call" })
    for (const again of [bookOf("LX1"), bookOf("lx1"), bookOf("LX1", 90)]) {
      const { checks } = ends(bench.proposes(again), "Refused")
      assert.deepInclude(checks.at(-1)?.why, { code: "act.disputed" })
    }
    call(bench.proposes(bookOf("LX2")))
    bench.now += 60_000
    ends(says(bench, action, "failure"), "Done")
    call(bench.proposes(bookOf("LX1")))
  })

  it("is not begun again because somebody has looked: they say that it did not happen, or it stays disputed", () => {
    const { action, bench } = disputed()
    for (const as of ["noted", "success", "abandoned", "reopened", "resent"]) {
      const code = as === "resent" ? "action.not_held" : "verdict.unknown"
      assert.include(told(ends(says(bench, action, as), "Refused")), code)
      assert.include(told(ends(bench.proposes(bookOf("LX1")), "Refused")), "act.disputed")
    }
    // One more of the act is another act, and somebody asks for it by name.
    call(bench.proposes({ ...bookOf("LX1"), occurrence: 2, occurrenceBy: "user" }))
  })

  it("is not denied while it may still arrive (decision 0036)", () => {
    const { action, bench, startedAt } = disputed()
    assert.isTrue(DisputedFailure.isOne(bench.state, action))
    const { checks } = ends(says(bench, action, "failure"), "Refused")
    const overAt = startedAt + 4_000
    assert.deepInclude(checks.at(-1)?.why, { args: { action, overAt }, code: "action.arriving" })
    bench.now = overAt
    ends(says(bench, action, "failure"), "Done")
    assert.isUndefined(Reviews.dispute(bench.state, action))
    assert.isFalse(DisputedFailure.isOne(bench.state, action))
  })

  it("is free for other runs once somebody has denied it, and not before", () => {
    const { action, bench } = disputed()
    const fate = () => ActionFate.of(bench.transitions, action)
    assert.isFalse(ActionFate.hasFailed(fate()))
    bench.now += 60_000
    ends(says(bench, action, "failure"), "Done")
    assert.isTrue(ActionFate.hasFailed(fate()))
  })

  it("is decided by the first rules as it was, in a run that was decided by them (decision 0021)", () => {
    const { action, bench } = disputed({ rules: 1 })
    ends(says(bench, action, "failure"), "Refused")
    ends(says(bench, action, "noted"), "Done")
    call(bench.proposes(bookOf("LX1")))
  })
})
