import * as OpenActions from "@backstitch/ledger/OpenActions"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as BudgetUse from "../src/budget/BudgetUse.ts"
import type { Decided } from "../src/decision/Decision.ts"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as VerificationBudget from "../src/settlement/VerificationBudget.ts"
import { Bench, bookOf, call, definition, ends, ok, told } from "./lab.ts"

const under = (verification: { readonly run?: number; readonly action?: number }, readback = {}) => {
  const { book } = definition.tools
  const tools = { ...definition.tools, book: { ...book, readback: { ...book.readback, ...readback } } }
  return new Bench({ changes: { tools, budgets: { ...definition.budgets, verification } } })
}

const begun = (bench: Bench, flight = "LX1") => call(bench.proposes(bookOf(flight))).action

const asked = (bench: Bench): number => Number(BudgetUse.of(bench.state).spent[VerificationBudget.name] ?? 0)

describe("VerificationBudget", () => {
  it("counts each question before it is asked, durably (L13)", () => {
    const bench = under({ action: 9 })
    const action = begun(bench)
    const decision = bench.answers(action, ok({ id: "B1" }))
    assert.deepStrictEqual([decision.next._tag, decision.flush], ["ReadBack", "now"])
    assert.deepStrictEqual([asked(bench), OpenActions.of(bench.state)[action]?.asked], [1, 1])
    bench.does({ _tag: "Recover", action })
    assert.deepStrictEqual([asked(bench), OpenActions.of(bench.state)[action]?.asked], [2, 2])
  })

  it("counts nothing if the contract has no such budget", () => {
    const bench = new Bench()
    bench.answers(begun(bench), ok({ id: "B1" }))
    assert.notInclude(bench.types(), "action.asked")
  })

  it("counts further sources as questions of their own", () => {
    const bench = under({ action: 9 }, { sources: [{ source: "bank" }, { source: "audit" }] })
    bench.answers(begun(bench), ok({ id: "B1" }))
    assert.strictEqual(asked(bench), 3)
  })

  it("is unverifiable once it is used up, and no success: no source is asked again", () => {
    const bench = under({ action: 1 })
    const action = begun(bench)
    bench.answers(action, ok({ id: "B1" }))
    assert.strictEqual(bench.readsBack(action, { _tag: "NotFound" }).next._tag, "Wait")
    bench.now += 250
    const held = ends(bench.does({ _tag: "Recover", action }), "Held")
    assert.include(told(held), '"max":1,"per":"action"},"code":"budget.questions"')
    assert.deepStrictEqual(bench.types().slice(-3), ["budget.exhausted", "action.verified", "recovery.decided"])
    assert.strictEqual(bench.last.body.data?.["discrepancy"], "unverifiable_state")
    assert.strictEqual(bench.last.body.data?.["decision"], "hold_and_escalate")
    assert.strictEqual(bench.state.world["spent"], 0)
    const { tick } = bench.at.head
    ends(bench.does({ _tag: "Recover", action }), "Held")
    assert.strictEqual(bench.at.head.tick, tick, "it is said once")
  })

  it("covers questions about a key as well", () => {
    const bench = under({ action: 1 })
    const action = begun(bench)
    assert.strictEqual(bench.answers(action, { _tag: "Unknown", reason: "cut" }).next._tag, "Ask")
    bench.answers(action, { _tag: "Pending" }, "status")
    ends(bench.does({ _tag: "Recover", action }), "Held")
    assert.deepStrictEqual(bench.types().slice(-2), ["budget.exhausted", "recovery.decided"])
  })

  it("is one budget for the whole run: a check of one action is missing to the next", () => {
    const bench = under({ run: 1 })
    bench.books("LX1", 40)
    const action = begun(bench, "LX2")
    const held = ends(bench.answers(action, ok({ id: "B2" })), "Held")
    assert.include(told(held), '"per":"run"')
    assert.include(bench.types(), "action.result")
    assert.strictEqual(OpenActions.of(bench.state)[action]?.heard, "answer")
  })

  const Move = Schema.Literals(["recover", "notFound", "pending", "lost", "right"])
  const evidence: { readonly [M in Exclude<typeof Move.Type, "recover">]: Evidence } = {
    notFound: { _tag: "NotFound" },
    pending: { _tag: "Pending" },
    lost: { _tag: "Unknown", reason: "cut" },
    right: ok({ id: "B1", price: 80 })
  }

  it.prop(
    "is never exceeded, however often a run crashes and is resumed (L13)",
    [Schema.Array(Move).check(Schema.isMaxLength(30)), Schema.Literals([0, 1, 2, 5])],
    ([moves, action]) => {
      const bench = under({ action })
      const id = begun(bench)
      let questions = 0
      let next: Decided["next"] = bench.answers(id, evidence.lost).next
      const count = () => {
        if (next._tag === "Ask" || next._tag === "ReadBack") questions++
      }
      count()
      for (const move of moves) {
        bench.now += 500
        if (move === "recover") next = bench.does({ _tag: "Recover", action: id }).next
        else if (next._tag === "Ask") next = bench.answers(id, evidence[move], "status").next
        else if (next._tag === "ReadBack") next = bench.readsBack(id, evidence[move]).next
        else if (next._tag === "Call") next = bench.answers(id, evidence[move]).next
        else continue
        count()
        assert.isAtMost(questions, action)
        assert.isAtLeast(asked(bench), questions)
      }
      if (action === 0) assert.notInclude(bench.types(), "action.reconciled")
    },
    { arbitrary: { runs: 300 } }
  )
})
