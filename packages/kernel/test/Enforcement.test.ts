import { assert, describe, it } from "@effect/vitest"
import * as Check from "../src/payload/Check.ts"
import * as Enforcement from "../src/state/Enforcement.ts"
import { forks } from "./branch.ts"
import { Bench, bookOf, call, ends, failing } from "./lab.ts"

const observing = { enforcement: { stage: 0, types: {} } }

describe("Enforcement", () => {
  it("refuses by the contract if nothing else is configured", () => {
    const bench = new Bench()
    assert.deepStrictEqual(Enforcement.of(bench.state), Enforcement.full)
    assert.notDeepEqual(failing(bench.proposes({ tool: "book", params: { flight: 7 } })), [])
  })

  it("permits actions that the contract would refuse while it is only observed, and names the checks", () => {
    const bench = new Bench()
    forks(bench, observing)
    const decision = bench.proposes({ tool: "look", params: { q: 7 } })
    call(decision)
    const { policy } = decision.drafts[0]!.body
    assert.strictEqual(policy?.decision, "allow")
    assert.deepInclude(policy?.observed?.[0], { step: "schema" })
    assert.strictEqual(policy?.observed?.[0]?.why.code, "argument.mismatch")
  })

  it("calls a tool that the contract does not name, without asking a person", () => {
    const bench = new Bench()
    forks(bench, observing)
    const decision = bench.proposes({ tool: "fly", params: {} })
    call(decision)
    const why = { args: { contract: "acme.trips@1.0.0", tool: "fly" }, code: "tool.unknown" }
    assert.deepStrictEqual(decision.drafts[0]?.body.policy?.observed, [{ id: "fly", step: "contract", why }])
  })

  it("keeps authorship, keys and held targets at every stage (L4, L6, L7)", () => {
    const bench = new Bench()
    forks(bench, observing)
    const overstep = ends(bench.proposes({ type: "action.result", data: {} }), "Refused")
    assert.deepStrictEqual(
      overstep.checks.map(({ step }) => step),
      ["authorship"]
    )
    call(bench.proposes(bookOf("LX1")))
    // The first is under way: the same act is not begun again, and no other touches its target.
    assert.notStrictEqual(bench.proposes(bookOf("LX1")).next._tag, "Call")
    assert.deepStrictEqual(failing(bench.proposes(bookOf("LX1", 80, { traveller: "Bob" }))), ["target seat/LX1"])
  })

  it("notes the refusal of any other check, and permits none of those three", () => {
    const bench = new Bench()
    forks(bench, observing)
    const refused = Check.steps.map((step) => Check.fail(step, "it", "context.changed", {}))
    const kept = Check.failing(Enforcement.applied(bench.state, ["book"], refused))
    assert.sameMembers(
      kept.map(({ step }) => step),
      ["authorship", "key", "target"]
    )
  })

  it("has another stage for a tool or a type, which a fork inherits", () => {
    const bench = new Bench()
    forks(bench, { enforcement: { stage: 0, types: { look: 3 } } })
    assert.notDeepEqual(failing(bench.proposes({ tool: "look", params: { q: 7 } })), [])
    assert.isTrue(Enforcement.isObserved(bench.state, ["book", "action.request"]))
    assert.isFalse(Enforcement.isObserved(bench.state, ["look", "action.request"]))
  })

  it("observes below stage 2 alone: from there on the contract is enforced", () => {
    for (const stage of [0, 1, 2, 3]) {
      const bench = new Bench()
      forks(bench, { enforcement: { stage, types: {} } })
      assert.strictEqual(Enforcement.isObserved(bench.state, ["look"]), stage < 2)
      const { next } = bench.proposes({ tool: "look", params: { q: 7 } })
      assert.strictEqual(next._tag, stage < 2 ? "Call" : "End", `stage ${stage}`)
    }
  })

  it("takes no setting that is none", () => {
    for (const enforcement of [7, "none", [], { stage: 4 }, { stage: 1.5 }]) {
      const bench = new Bench()
      forks(bench, { enforcement })
      assert.deepStrictEqual(Enforcement.of(bench.state), Enforcement.full)
    }
  })
})
