import * as State from "@backstitch/reducer/State"
import * as Ontology from "@backstitch/trace/Ontology"
import { assert, describe, it } from "@effect/vitest"
import type { Proposal } from "../src/decision/Proposal.ts"
import * as Check from "../src/payload/Check.ts"
import * as Finding from "../src/payload/Finding.ts"
import { Bench, bookOf, call, ends, failing, ok } from "./lab.ts"

const kernelTypes = Object.keys(Ontology.types).filter(
  (type) => Ontology.isType(type) && !Ontology.mayAuthor("agent", type)
)

describe("Propose", () => {
  describe("authorship", () => {
    it("answers an agent that writes a type of others with a kernel.anomaly, and nothing else (L4)", () => {
      assert.isAbove(kernelTypes.length, 20)
      for (const type of kernelTypes) {
        const bench = new Bench()
        const before = bench.state
        const decision = bench.proposes({ type, data: { action: "a2", output: "all is well" } })
        assert.deepStrictEqual(failing(decision), [`authorship ${type}`])
        assert.deepStrictEqual(bench.types(1), ["kernel.anomaly"])
        assert.deepStrictEqual(bench.last.body.data, { author: "agent", kind: "author", type })
        assert.strictEqual(bench.state.world, before.world)
        assert.strictEqual(bench.state.working, before.working)
      }
    })

    it("refuses a type that the ontology does not have", () => {
      const bench = new Bench()
      assert.deepStrictEqual(failing(bench.proposes({ type: "wish.made" })), ["authorship wish.made"])
      assert.deepStrictEqual(bench.types(1), ["intent.refused"])
    })

    it("commits a type that an agent may write, folded by the pack", () => {
      const bench = new Bench()
      ends(bench.proposes({ type: "observation.add", data: { text: "sunny" }, confidence: 0.91234 }), "Done")
      assert.deepStrictEqual(State.fieldToJson(bench.state.working["notes"]!), ["sunny"])
      assert.strictEqual(bench.last.body.confidence, 0.912)
      assert.strictEqual(bench.last.body.author, "agent")
    })

    it("lets a user write types that an agent may not", () => {
      const bench = new Bench()
      ends(bench.proposes({ type: "message.received", author: "user", data: { text: "go" } }), "Done")
      assert.deepStrictEqual(failing(bench.proposes({ type: "message.received", data: { text: "go" } })), [
        "authorship message.received"
      ])
    })
  })

  describe("the path of a mutation", () => {
    it("makes key, request hash and target durable before anything is called (L5)", () => {
      const bench = new Bench()
      const decision = bench.decides({ _tag: "Propose", proposal: bookOf("LX1") })
      assert.strictEqual(decision.flush, "now")
      const [requested, started] = decision.drafts
      assert.strictEqual(requested?.body.type, "action.request")
      assert.strictEqual(started?.body.type, "action.started")
      assert.strictEqual(started?.body.action?.target, "seat/LX1")
      assert.match(started?.body.action?.requestHash ?? "", /^[0-9a-f]{64}$/)
      assert.strictEqual(started?.stamp.key, call(decision).key)
      assert.match(call(decision).key ?? "", /^bs_[0-9a-f]{40}$/)
      assert.strictEqual(call(decision).sendBefore, bench.now + 3000)
    })

    it("lets a read wait for the next flush: nothing has happened that a crash could lose", () => {
      const decision = new Bench().decides({ _tag: "Propose", proposal: { tool: "look", params: { q: "x" } } })
      assert.strictEqual(decision.flush, "later")
      assert.deepStrictEqual(
        decision.drafts.map(({ body }) => body.type),
        ["action.request"]
      )
      assert.isUndefined(call(decision).key)
    })

    it("notes the answer of a read in working state, by the reducers of the tool", () => {
      const bench = new Bench()
      const { action } = call(bench.proposes({ tool: "look", params: { q: "x" } }))
      bench.answers(action, ok({ found: "LX1" }))
      assert.deepStrictEqual(State.fieldToJson(bench.state.working["notes"]!), ["LX1"])
    })

    it("changes the world at action.reconciled, and nowhere before (decision 0001)", () => {
      const bench = new Bench()
      const { action } = call(bench.proposes(bookOf("LX1")))
      bench.answers(action, ok({ id: "B1" }))
      assert.strictEqual(bench.state.world["spent"], 0)
      bench.readsBack(action, ok({ id: "B1", price: 80 }))
      assert.strictEqual(bench.last.body.type, "action.reconciled")
      assert.strictEqual(bench.state.world["spent"], 80)
    })
  })

  describe("refusals", () => {
    const refusals: ReadonlyArray<readonly [string, Proposal, ReadonlyArray<string>]> = [
      ["an argument of the wrong type", bookOf("LX1", 80, { price: "much" }), ["schema price", "guard cheap"]],
      ["an argument that is not there", { tool: "look", params: {} }, ["schema q"]],
      ["an argument that nobody declared", { tool: "look", params: { q: "x", hidden: 1 } }, ["schema hidden"]],
      ["what a guard refuses", bookOf("LX1", 101), ["guard cheap"]],
      ["a goal declared reached before its required state", { type: "goal.complete" }, ["required_state working.plan"]]
    ]
    for (const [name, proposal, expected] of refusals) {
      it(`refuses ${name}, and says what was found and what would help`, () => {
        const bench = new Bench()
        const decision = bench.proposes(proposal)
        assert.deepStrictEqual(failing(decision), expected)
        assert.deepStrictEqual(bench.types(1), ["intent.refused"])
        assert.strictEqual(bench.last.body.policy?.decision, "deny")
        for (const check of ends(decision, "Refused").checks) {
          if (!Check.isOk(check)) assert.isTrue(Finding.isKnown(Check.findingOf(check)))
        }
      })
    }

    it("refuses every mutation once a violation that halts has latched, and still reads", () => {
      const bench = new Bench()
      bench.proposes({ type: "plan.update", data: { plan: "mad" } })
      assert.deepStrictEqual(bench.types(1), ["plan.update", "predicate.violation"])
      assert.deepStrictEqual(failing(bench.proposes(bookOf("LX1"))), ["policy mad"])
      bench.proposes({ type: "plan.update", data: { plan: "sane" } })
      assert.deepStrictEqual(failing(bench.proposes(bookOf("LX1"))), ["policy mad"])
      call(bench.proposes({ tool: "look", params: { q: "x" } }))
    })

    it("refuses an intent whose fields have changed since it was first decided", () => {
      const bench = new Bench()
      bench.proposes({ type: "plan.update", data: { plan: "a" } })
      const first = bench.decides({ _tag: "Propose", proposal: { type: "goal.complete" } })
      const context = first.drafts[0]?.body.intent?.contextHash
      assert.isDefined(context)
      bench.proposes({ type: "observation.add", data: { text: "unrelated" } })
      ends(bench.decides({ _tag: "Propose", proposal: { type: "goal.complete" }, context }), "Done")
      bench.proposes({ type: "plan.update", data: { plan: "b" } })
      const again = bench.decides({ _tag: "Propose", proposal: { type: "goal.complete" }, context })
      assert.deepStrictEqual(failing(again), ["context goal.complete"])
    })

    it("cannot be weakened by an omission of a model: the hash covers the contract's fields anyway (L4)", () => {
      const hash = (plan: string, proposal: Proposal) => {
        const bench = new Bench()
        bench.proposes({ type: "plan.update", data: { plan } })
        return bench.decides({ _tag: "Propose", proposal }).drafts[0]?.body.intent?.contextHash
      }
      assert.notStrictEqual(hash("a", { type: "goal.complete" }), hash("b", { type: "goal.complete" }))
      assert.notStrictEqual(
        hash("a", { type: "goal.complete", dependsOn: ["world.spent"] }),
        hash("a", { type: "goal.complete" })
      )
      assert.notStrictEqual(
        hash("a", { type: "goal.complete", dependsOn: [] }),
        hash("b", { type: "goal.complete", dependsOn: [] })
      )
    })
  })

  describe("parking", () => {
    it("parks an intent that needs an approval, and starts one that does not", () => {
      const bench = new Bench()
      const parked = ends(bench.proposes({ tool: "refund", params: { amount: 51 } }), "Parked")
      assert.deepStrictEqual(parked.needs, ["manager"])
      assert.deepStrictEqual(bench.types(1), ["policy.decision", "review.requested"])
      assert.strictEqual(bench.transitions.at(-2)?.body.policy?.decision, "escalate")
      call(bench.proposes({ tool: "refund", params: { amount: 50 } }))
    })

    it("parks a tool that the contract does not name", () => {
      const bench = new Bench()
      assert.deepStrictEqual(ends(bench.proposes({ tool: "launch", params: {} }), "Parked").needs, ["operator"])
    })
  })

  describe("commands", () => {
    it("answers a command that was carried out from the record, and says that it did", () => {
      const bench = new Bench()
      const note: Proposal = { type: "observation.add", data: { text: "once" }, command: "c1" }
      ends(bench.proposes(note), "Done")
      const { tick } = bench.at.head
      const again = ends(bench.proposes(note), "Done")
      assert.strictEqual(again.basis, "recorded")
      assert.deepStrictEqual(again.adopted, { run: "trip", tick })
      assert.deepStrictEqual(bench.types(tick), ["intent.adopted"])
      assert.deepInclude(bench.last.body, {
        data: { adopted: { tick }, by: "command", proposed: "observation.add" }
      })
    })

    it("holds a command whose action is still open", () => {
      const bench = new Bench()
      const { action } = call(bench.proposes({ ...bookOf("LX1"), command: "c1" }))
      assert.strictEqual(ends(bench.proposes({ ...bookOf("LX1"), command: "c1" }), "Held").action, action)
    })

    it("takes up a refused command again", () => {
      const bench = new Bench()
      failing(bench.proposes({ type: "goal.complete", command: "end" }))
      bench.proposes({ type: "plan.update", data: { plan: "a" } })
      ends(bench.proposes({ type: "goal.complete", command: "end" }), "Done")
    })
  })

  describe("targets", () => {
    it("refuses a second mutation of a target while the first is open (L7)", () => {
      const bench = new Bench()
      const { action } = call(bench.proposes(bookOf("LX1")))
      const second = bench.proposes(bookOf("lx1", 80, { traveller: "Bob" }))
      assert.deepStrictEqual(failing(second), ["target seat/LX1"])
      call(bench.proposes(bookOf("LX2")))
      bench.answers(action, { _tag: "Unknown", reason: "cut" })
      assert.deepStrictEqual(failing(bench.proposes(bookOf("LX1", 80, { traveller: "Bob" }))), ["target seat/LX1"])
      bench.answers(action, ok({ id: "B1" }), "status")
      bench.readsBack(action, ok({ id: "B1", price: 80 }))
      call(bench.proposes(bookOf("LX1", 80, { traveller: "Bob" })))
    })
  })

  it("extends the contract by the institution alone, from a later tick on", () => {
    const bench = new Bench()
    const data = {
      approved_by: "board",
      effective_from_tick: bench.at.head.tick + 5,
      target_contract: "acme.trips",
      adds_violations: [{ id: "notes", when: "size(working.notes) > 1" }]
    }
    const extend = (more: object) =>
      bench.proposes({ type: "policy.contract_extension", author: "institution", data: { ...data, ...more } })
    assert.deepStrictEqual(failing(bench.proposes({ type: "policy.contract_extension", data })), [
      "authorship policy.contract_extension"
    ])
    assert.deepStrictEqual(failing(extend({ effective_from_tick: 1 })), ["contract effective_from_tick"])
    assert.deepStrictEqual(failing(extend({ approved_by: undefined })), ["contract approved_by"])
    ends(extend({}), "Done")
  })
})
