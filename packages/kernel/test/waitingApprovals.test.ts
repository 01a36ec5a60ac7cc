import * as OpenActions from "@backstitch/ledger/OpenActions"
import { assert, describe, it } from "@effect/vitest"
import * as Kernel from "../src/Kernel.ts"
import { Bench, bookOf, call, ends, failing } from "./lab.ts"

const asking = (when?: string) =>
  new Bench({ changes: { approvals: { book: { by: ["manager", "owner"], ...(when === undefined ? {} : { when }) } } } })

describe("an approval", () => {
  it("without a condition is asked for every time, and nothing begins meanwhile", () => {
    const bench = asking()
    const parked = ends(bench.proposes(bookOf("LX1")), "Parked")
    assert.deepStrictEqual(parked.needs, ["manager", "owner"])
    assert.deepStrictEqual(bench.types(1), ["policy.decision", "review.requested"])
    assert.deepStrictEqual(OpenActions.of(bench.state), {})
    assert.deepInclude(bench.transitions.at(-2)?.body.data, {
      proposed: "action.request",
      tool: "book",
      params: bookOf("LX1").params
    })
  })

  it("is asked for if its condition cannot be evaluated: silence is not permission", () => {
    ends(asking("working.notes[0] == 'x'").proposes(bookOf("LX1")), "Parked")
    call(asking("size(working.notes) > 0").proposes(bookOf("LX1")))
  })

  it("is not requested for an intent that is refused anyway", () => {
    assert.deepStrictEqual(failing(asking().proposes(bookOf("LX1", 500))), ["guard cheap"])
  })

  it("is asked for every tool of a run without a pack", () => {
    const bench = new Bench()
    const command = { _tag: "Propose", proposal: { tool: "look", params: { q: "x" } } } as const
    const decision = Kernel.decide({ ...bench.terms, pack: undefined }, bench.state, command)
    assert.deepStrictEqual(ends(decision, "Parked").why, { args: { tool: "look" }, code: "tool.unknown" })
    assert.strictEqual(decision.drafts[0]?.body.policy?.version, "none")
  })

  it("leaves the command to be proposed again, and the step counted", () => {
    const bench = asking("size(working.notes) == 0")
    ends(bench.proposes({ ...bookOf("LX1"), command: "c1" }), "Parked")
    bench.proposes({ type: "observation.add", data: { text: "x" } })
    call(bench.proposes({ ...bookOf("LX1"), command: "c1" }))
  })
})
