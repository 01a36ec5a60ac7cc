import * as Ontology from "@backstitch/trace/Ontology"
import { assert, describe, it } from "@effect/vitest"
import * as English from "../src/English.ts"
import type { TraceWords } from "../src/said/TraceWords.ts"
import * as Wording from "../src/Wording.ts"

const { types }: TraceWords = English.words.traces

describe("TraceWords", () => {
  it("has a meaning of its own for each type of the ontology", () => {
    assert.sameMembers(Object.keys(types), Object.keys(Ontology.types))
    assert.strictEqual(new Set(Object.values(types)).size, Object.keys(types).length)
  })

  it("say the effects of a step in a line, long values cut, and a type of an embedder by its name", () => {
    const long = "x".repeat(100)
    const line = Wording.effect([
      { code: "changed", path: "working.total", after: 600 },
      { code: "changed", path: "world.note", before: "a", after: long },
      { code: "more" },
      { code: "violated", predicate: "overspent" },
      { code: "policy", decision: "allow" }
    ])
    const changes = `working.total nothing → 600; world.note "a" → "${"x".repeat(46)}…; and more`
    assert.strictEqual(line, `${changes}; predicate overspent holds from here on; policy: allow`)
    const told = ["goal.complete", "acme.shipped"].map((type) => Wording.effect([{ code: "type", type }]))
    assert.deepStrictEqual(told, ["an agent declares the goal reached", "acme.shipped"])
  })

  it("say how an action is settled, and what an undoing finds and leaves", () => {
    const said = (self: Parameters<typeof Wording.stepRemark>[0]) => Wording.stepRemark(self)
    assert.strictEqual(said({ code: "settled", basis: "readback", status: "ok" }), "settled by readback")
    const doubted = said({ code: "settled", basis: "attested", status: "mismatch" })
    assert.strictEqual(doubted, "settled as not as intended by word alone")
    assert.strictEqual(said({ code: "recovered", isLater: false }), "sent again")
    const queued = said({ code: "recovered", decision: "compensate", discrepancy: "value_mismatch", isLater: true })
    assert.strictEqual(queued, "value_mismatch: compensate, once what it undoes was asked about")
    const altered = said({ code: "undo_altered", difference: "another price", record: "price=9" })
    assert.strictEqual(altered, "is to be undone, and is not as it was: another price: price=9")
    const none = { absent: [], attested: [], residue: [], undone: [], because: "a person asked" } as const
    assert.strictEqual(said({ code: "restored", ...none }), "nothing had to be undone, because a person asked")
    assert.strictEqual(said({ code: "violated", predicate: "overspent", since: 4 }), "overspent holds since tick 4")
  })

  it("say why an intent may not be imported, and what would let it be", () => {
    const about = { onto: "b", path: "world.cash", run: "a", subject: "order" }
    const differs = { code: "context_violation", ...about, problem: "differs", source: "MAX", target: "MIN" } as const
    assert.deepStrictEqual(Wording.importRefused(differs), {
      text: 'a decided it with world.cash = "MAX", and b has "MIN"',
      remedy: 'bring world.cash of b to "MAX" by an action of its own, then repeat'
    })
    const missing = Wording.importRefused({ code: "context_violation", ...about, problem: "missing" })
    assert.strictEqual(missing.text, "order requires world.cash, and b does not have it")
    const unbound = Wording.importRefused({ code: "hash_underspecified", binds: ["world.cash"], isHashed: false })
    assert.include(unbound.text, "no context hash")
    const same = { code: "contract_mismatch", onto: "b", source: "p@1", target: "p@1" } as const
    assert.include(Wording.importRefused(same).text, "not the same text")
  })

  it("say what a question asks, a diagnosis means and a built-in predicate demands", () => {
    assert.strictEqual(Wording.question({ _tag: "Anomaly", kind: "author" }), "the first kernel.anomaly of kind author")
    assert.strictEqual(Wording.question({ _tag: "Expression", source: "state.x > 1" }), "expression state.x > 1")
    assert.strictEqual(Wording.question({ _tag: "Contract" }), "predicate kernel.contract_kept")
    assert.strictEqual(Wording.diagnosis("policy").name, "contingent (policy)")
    assert.strictEqual(Wording.builtIn("kernel.budget_kept"), "no budget was exhausted")
  })
})
