import * as Latch from "@backstitch/reducer/Latch"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { Proposal } from "../src/decision/Proposal.ts"
import * as Kernel from "../src/Kernel.ts"
import { forks, proposes } from "./branch.ts"
import { Bench, bookOf, call, ends, failing } from "./lab.ts"

const note: Proposal = { type: "observation.add", data: { text: "x" } }

const extension = (data: object): Proposal => ({
  type: "policy.contract_extension",
  author: "institution",
  data: { approved_by: "board", target_contract: "book", ...data }
})

describe("a contract extension", () => {
  it.prop(
    "binds from its tick on and never before, also in a fork that it was pending in",
    [Schema.Literals([4, 5, 6, 7]), Schema.Literals([0, 1, 2])],
    ([from, forkAfter]) => {
      const bench = new Bench()
      proposes(bench, note)
      ends(proposes(bench, extension({ adds_hash_seeds: ["working.plan"], effective_from_tick: from })), "Done")
      for (let step = 0; step < 6; step++) {
        if (step === forkAfter) forks(bench)
        const { tick } = bench.terms
        const decision = proposes(bench, { ...bookOf(`LX${step}`), occurrence: step + 1, occurrenceBy: "plan" })
        call(decision)
        assert.strictEqual(decision.drafts[0]?.body.intent?.contextHash !== undefined, tick >= from)
      }
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "is refused at or before the tick at which it would be committed: it is never retroactive",
    [Schema.Literals([-1, 0, 1, 2, 3, 4, 9]), Schema.Literals([0, 1, 2])],
    ([from, notes]) => {
      const bench = new Bench()
      for (let step = 0; step < notes; step++) proposes(bench, note)
      const { tick } = bench.terms
      const decision = proposes(bench, extension({ adds_required: ["working.plan"], effective_from_tick: from }))
      if (from > tick) ends(decision, "Done")
      else assert.include(failing(decision), "contract effective_from_tick")
    },
    { arbitrary: { runs: 300 } }
  )

  it("extends the whole pack from the tick after its own, unless it says otherwise", () => {
    const bench = new Bench()
    proposes(bench, note)
    const { tick } = bench.terms
    const data = { adds_hash_seeds: ["working.plan"], approved_by: "board" }
    const proposal: Proposal = { type: "policy.contract_extension", author: "institution", data }
    const whole = proposes(bench, proposal)
    const defaults = { effective_from_tick: tick + 1, target_contract: bench.pack.id }
    assert.deepStrictEqual(whole.drafts[0]?.body.data, { ...data, ...defaults })
    const later = { adds_hash_seeds: ["working.notes"], effective_from_tick: tick + 9, target_contract: "book" }
    const named = proposes(bench, extension(later))
    assert.deepInclude(named.drafts[0]?.body.data, later)
  })

  it("adds predicates that latch from its tick on", () => {
    const bench = new Bench()
    const violations = [{ id: "chatty", when: "size(working.notes) > 1" }]
    for (let step = 0; step < 3; step++) proposes(bench, note)
    proposes(bench, extension({ adds_violations: violations, effective_from_tick: 7 }))
    proposes(bench, note)
    assert.isUndefined(Latch.of(bench.state)["chatty"])
    proposes(bench, note)
    assert.strictEqual(Latch.of(bench.state)["chatty"], 7)
  })

  it("has to fit the extensions that wait for their tick: one that cannot bind with them is refused at once", () => {
    const bench = new Bench()
    const adding = (from: number) =>
      extension({ adds_violations: [{ id: "chatty", when: "size(working.notes) > 1" }], effective_from_tick: from })
    ends(proposes(bench, adding(5)), "Done")
    assert.deepStrictEqual(failing(proposes(bench, adding(4))), ["contract adds_violations[0].id"])
    for (let step = 0; step < 4; step++) ends(proposes(bench, note), "Done")
    assert.deepStrictEqual(failing(proposes(bench, adding(12))), ["contract adds_violations[0].id"])
  })

  it("needs a name under it, something that it adds, and a contract", () => {
    const bench = new Bench()
    const refused = (data: object) => failing(proposes(bench, extension({ effective_from_tick: 9, ...data })))
    assert.include(refused({ adds_required: ["working.plan"], approved_by: "" }), "contract approved_by")
    assert.isAbove(refused({}).length, 0)
    assert.include(refused({ adds_required: ["working.none"] }), "contract adds_required[0]")
    const proposal = extension({ adds_required: ["working.plan"], effective_from_tick: 9 })
    const decision = Kernel.decide({ ...bench.terms, pack: undefined }, bench.state, { _tag: "Propose", proposal })
    assert.deepStrictEqual(failing(decision), ["contract policy.contract_extension"])
  })

  it("is not an agent's or a user's to make (L4)", () => {
    for (const author of ["agent", "user", "kernel"] as const) {
      const bench = new Bench()
      proposes(bench, { ...extension({ adds_required: ["working.plan"], effective_from_tick: 9 }), author })
      assert.deepStrictEqual(bench.types(1), ["kernel.anomaly"])
    }
  })
})
