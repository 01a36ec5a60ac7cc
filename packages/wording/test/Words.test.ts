import * as Finding from "@backstitch/kernel/Finding"
import { assert, describe, it } from "@effect/vitest"
import * as English from "../src/English.ts"
import * as PseudoWords from "../src/PseudoWords.ts"
import type { Words } from "../src/said/Words.ts"
import * as Wording from "../src/Wording.ts"

const marks = PseudoWords.of(English.words)

/** English, with marks in one room. */
const other = (room: keyof Words): Words => ({ ...English.words, [room]: marks[room] })

const recovery = {
  action: "poll_key_record",
  discrepancy: "unknown_state",
  row: 2,
  section: "pending_timeout"
} as const

describe("Words", () => {
  it("says of one status alone that it was completed and verified (L8)", () => {
    const success = English.words.statuses.success.user
    const users = Object.values(English.words.statuses).map(({ user }) => user)
    assert.strictEqual(users.filter((user) => user === success).length, 1)
    for (const at of ["compensated_in_part", "compensation_attested", "undoing"] as const) {
      assert.notInclude(English.words.statuses[at].user, "and the reversal was verified.")
    }
  })

  it("are those of one lexicon, also in a sentence that names a discrepancy, a recovery or its reason", () => {
    const hold = Finding.make("outcome.recovered", { recovery })
    const differs = Finding.make("record.differs", { expected: "yes", fact: "record.readable", found: "no" })
    const claimed = Finding.make("message.unreconciled", { action: "a7", claimed: "success", found: "pending" })
    const cases: ReadonlyArray<readonly [keyof Words, Finding.Any, string]> = [
      ["discrepancies", hold, "⟦discrepancies.unknown_state⟧"],
      ["recoveries", hold, "⟦recoveries.poll_key_record⟧"],
      ["reasons", hold, "⟦reasons.first_may_complete⟧"],
      ["facts", differs, "⟦facts.record.readable⟧"],
      ["statuses", claimed, "⟦statuses.pending.user⟧"]
    ]
    for (const [room, finding, mark] of cases) {
      const { next, what } = Wording.of(finding, other(room))
      assert.include([what, Wording.remedyOf(next, other(room))].join(" "), mark)
    }
  })

  it("of a step are those of its verb, and the words that it carries", () => {
    const step = { or: [{ verb: "end" }], verb: "resume", words: "later" } as const
    assert.strictEqual(
      Wording.step(step, other("steps")),
      "⟦steps.resume⟧(end|resume|later): later, or ⟦steps.end⟧(end)"
    )
    assert.strictEqual(Wording.step({ verb: "wait", words: "later" }, marks), "⟦choices.steps⟧(later)")
  })

  it("name the remedy of an audit, a resume and a share of a budget, with its facts", () => {
    const times = { code: "times", lacks: ["sendWithin", "settleAfter"] } as const
    assert.include(Wording.advice(times), "times.sendWithin, times.settleAfter")
    assert.strictEqual(Wording.proof({ acceptedBy: "Ada", proof: "accepted_word" }), "own word, accepted by Ada")
    const raised = { tool: "pay", from: "0.50", to: "0.67" }
    assert.deepStrictEqual(Wording.raises({ ...raised, lacksCompensation: false }), [
      "declare an exact undo for pay: 0.50 → 0.67"
    ])
    assert.deepStrictEqual(Wording.raises({ ...raised, lacksCompensation: true }).slice(1), [
      "a compensation alone lets a revision take its calls back at a price"
    ])
    assert.strictEqual(Wording.narrows(), "the record of a call decides")
    assert.include(English.words.resumption.reasons.neither, "a person has to look")
    const left = { budget: "steps", code: "amount_too_large", left: 6 } as const
    assert.match(Wording.sliceRefused(left), /has 6 of steps left/)
    const unknown = { budget: "retries", budgets: ["steps"], code: "budget_unknown" } as const
    assert.match(Wording.sliceRefused(unknown), /"retries" is none of them/)
    assert.notInclude(Wording.sliceRefused({ ...unknown, budget: "" }), "none of them")
    assert.match(Wording.sliceRefused({ ...unknown, budgets: [] }), /limits nothing/)
    const missing = { code: "tool_unknown", tool: "fly", tools: ["book"] } as const
    assert.strictEqual(Wording.policyRefused(missing), "there is no tool fly. The tools are book")
    assert.include(Wording.policyRefused({ ...missing, tools: [] }), "has no pack")
    assert.match(Wording.policyRefused({ code: "judges_nothing" }), /the pack has no tool\. Refuse other steps/)
    assert.match(Wording.policyRefused({ code: "judges_nothing", type: "plan.update" }), /plan\.update is none/)
    assert.strictEqual(Wording.sliceRefused(left, marks), "⟦slices.amount_too_large⟧(steps|amount_too_large)")
  })

  it("name the two counts of each measure, and the place and remedy of a missing requirement", () => {
    assert.deepStrictEqual(Wording.measure("verifier_regression"), {
      denominator: "one",
      numerator: "rise of the failure rate against the baseline"
    })
    assert.deepStrictEqual(Wording.missing({ code: "tool_undeclared", tool: "fly" }), {
      remedy: "declare it, with its class",
      what: "it has no contract",
      where: "tools.fly"
    })
    const difference = { code: "expectation", holds: false, source: "actual.paid" } as const
    assert.strictEqual(Wording.difference(difference), "actual.paid holds no longer")
  })
})
