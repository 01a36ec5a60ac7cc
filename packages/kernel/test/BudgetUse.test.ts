import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as BudgetUse from "../src/budget/BudgetUse.ts"
import type { Proposal } from "../src/decision/Proposal.ts"
import { forks } from "./branch.ts"
import { Bench, bookOf, call, ends, failing } from "./lab.ts"

const Note = Schema.Struct({
  type: Schema.Literals(["observation.add", "plan.update", "memory.write", "artifact.write", "anomaly.flag"]),
  count: Schema.UndefinedOr(Schema.NullOr(Schema.Literals([-3, 0, 0.5, 7, "x"]))),
  tokens: Schema.UndefinedOr(Schema.Literals([0, 3]))
})

const noteOf = ({ count, tokens, type }: typeof Note.Type): Proposal => ({
  type,
  tokens,
  data: { text: "x", plan: "x", ...(count === undefined ? {} : { count }) }
})

const limited = (budgets: object) => new Bench({ changes: { budgets, violations: [] } })

describe("BudgetUse", () => {
  it.prop(
    "costs an agent one step an intent, whatever the intent claims about itself (L13)",
    [Schema.Array(Note).check(Schema.isMaxLength(12))],
    ([notes]) => {
      const bench = limited({})
      for (const note of notes) ends(bench.proposes(noteOf(note)), "Done")
      const use = BudgetUse.of(bench.state)
      assert.strictEqual(use.steps, notes.length)
      assert.strictEqual(
        use.spent["tokens"] ?? 0,
        notes.reduce((sum, { tokens = 0 }) => sum + tokens, 0)
      )
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "ends a run at its limit, after any mix of notes, refusals, oversteps, questions and forks (L13)",
    [Schema.Array(Schema.Literals(["note", "refused", "overstep", "parked", "fork"])).check(Schema.isMaxLength(30))],
    ([moves]) => {
      const bench = limited({ steps: 6 })
      let used = 0
      for (const move of moves) {
        if (move === "fork") forks(bench)
        else {
          const decision = bench.proposes(
            move === "note"
              ? { type: "observation.add", data: { text: "x" } }
              : move === "refused"
                ? bookOf("LX1", 500)
                : move === "overstep"
                  ? { type: "action.result" }
                  : { tool: "launch", params: {} }
          )
          if (move === "note" && used >= 6) assert.include(failing(decision), "budget steps")
          else if (move === "note") ends(decision, "Done")
          used += 1
        }
        assert.strictEqual(BudgetUse.of(bench.state).steps, used)
      }
    },
    { arbitrary: { runs: 300 } }
  )

  it("counts calls by tool, refusals and anomalies, each to its own limit (L13)", () => {
    const calls = limited({ calls: { look: 2 } })
    const look = { tool: "look", params: { q: "x" } }
    call(calls.proposes(look))
    forks(calls)
    call(calls.proposes(look))
    assert.deepStrictEqual(failing(calls.proposes(look)), ["budget calls.look"])
    call(calls.proposes(bookOf("LX1")))

    const refusals = limited({ refusals: 1 })
    for (const price of [500, 501]) failing(refusals.proposes(bookOf("LX1", price)))
    assert.deepStrictEqual(failing(refusals.proposes(bookOf("LX1"))), ["budget refusals"])

    const anomalies = limited({ anomalies: 1 })
    for (const type of ["action.result", "run.started"]) failing(anomalies.proposes({ type }))
    assert.deepStrictEqual(failing(anomalies.proposes(bookOf("LX1"))), ["budget anomalies"])
  })

  it("counts merged transitions by their number", () => {
    const bench = limited({})
    bench.does({ _tag: "Annotate", type: "kernel.anomaly", data: { kind: "replay.missing_output", count: 4 } })
    assert.strictEqual(BudgetUse.of(bench.state).steps, 4)
  })

  it("reports each budget as exhausted once, however often it refuses, and in a fork not again", () => {
    const bench = limited({ steps: 1, tokens: 10 })
    ends(bench.proposes({ type: "observation.add", data: { text: "x" }, tokens: 10 }), "Done")
    const { tick } = bench.at.head
    const again = () => failing(bench.proposes({ type: "observation.add", data: { text: "x" }, tokens: 1 }))
    assert.deepStrictEqual(again(), ["budget steps", "budget tokens"])
    again()
    forks(bench)
    again()
    assert.deepStrictEqual(bench.types(tick), [
      "intent.refused",
      "budget.exhausted",
      "budget.exhausted",
      "intent.refused",
      "run.fork",
      "intent.refused"
    ])
    assert.deepStrictEqual(BudgetUse.of(bench.state).exhausted, ["steps", "tokens"])
  })

  it("runs on elapsed time over a fork: a fork is no fresh start (L13)", () => {
    const bench = limited({ elapsed: "10s" })
    bench.now += 9000
    forks(bench)
    bench.now += 1001
    assert.deepStrictEqual(failing(bench.proposes({ type: "observation.add", data: { text: "x" } })), [
      "budget elapsed"
    ])
  })
})
