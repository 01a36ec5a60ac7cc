import * as Amount from "@backstitch/contracts/Amount"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as BudgetCheck from "../src/budget/BudgetCheck.ts"
import * as BudgetUse from "../src/budget/BudgetUse.ts"
import * as BudgetSlice from "../src/fork/BudgetSlice.ts"
import * as Check from "../src/payload/Check.ts"
import { forks } from "./branch.ts"
import { Bench, bookOf, call, ends, failing } from "./lab.ts"

const note = { type: "observation.add", data: { text: "x" } }

const used = (steps: number, budgets: object = { steps: 10, tokens: 100, money: { max: "9.99" } }) => {
  const bench = new Bench({ changes: { budgets, violations: [] } })
  for (let index = 0; index < steps; index++) ends(bench.proposes({ ...note, tokens: 10 }), "Done")
  return bench
}

const cut = (bench: Bench, rules: ReadonlyArray<string> = [], child = "child") =>
  BudgetSlice.cut(bench.pack.budget, bench.state, { child, rules })

const gives = (bench: Bench, slice: BudgetSlice.BudgetSlice, child: string) =>
  bench.commits([
    {
      body: { author: "kernel", data: { budget: slice.taken, child }, type: "budget.sliced" },
      stamp: { asOf: bench.now },
      envelope: { ts: bench.now }
    }
  ])

const budgets = ["steps", "tokens", "money"]

describe("BudgetSlice", () => {
  it("is the parent's remaining amount, and takes nothing, unless its rule says so (L13)", () => {
    assert.deepStrictEqual(cut(used(4)), Result.succeed({ given: { steps: 6, tokens: 60, money: "9.99" }, taken: {} }))
  })

  it("takes a share of everything, or amounts, and rounds down", () => {
    const half = { steps: 3, tokens: 35, money: "4.99" }
    assert.deepStrictEqual(cut(used(3), ["50%"]), Result.succeed({ given: half, taken: half }))
    assert.deepStrictEqual(
      cut(used(3), ["steps=2", "money=0.10"]),
      Result.succeed({ given: { steps: 2, tokens: 70, money: "0.1" }, taken: { steps: 2, money: "0.1" } })
    )
  })

  it("takes all of it if a lineage shares its budgets", () => {
    assert.deepStrictEqual(
      cut(used(4, { steps: 10, shared: true })),
      Result.succeed({ given: { steps: 6 }, taken: { steps: 6 } })
    )
  })

  it("divides questions to the world like every other budget", () => {
    const bench = used(1, { steps: 10, verification: { run: 4, action: 2 } })
    assert.deepStrictEqual(
      cut(bench, ["50%"]),
      Result.succeed({ given: { steps: 4, verification: 2 }, taken: { steps: 4, verification: 2 } })
    )
  })

  it("counts reserved amounts as used", () => {
    const tools = {
      look: { class: "read_only", input: { q: "string" }, cost: 2 }
    } as const
    const bench = new Bench({
      changes: { budgets: { money: { max: 5 } }, tools, approvals: {}, guards: [], reducers: { on: {} } }
    })
    call(bench.proposes({ tool: "look", params: { q: "x" } }))
    assert.deepStrictEqual(cut(bench), Result.succeed({ given: { money: "3" }, taken: {} }))
  })

  it.each([
    ["more than is left", "steps=7", { budget: "steps", code: "amount_too_large", left: 6 }],
    ["a share of more than everything", "101%", { code: "share_too_large" }],
    ["a budget that is not limited", "retries=1", { budget: "retries", budgets, code: "budget_unknown" }],
    ["what is no amount", "steps=1.5", { budget: "steps", code: "amount_unreadable", text: "1.5" }],
    ["a negative amount", "money=-1", { budget: "money", code: "amount_unreadable", text: "-1" }],
    ["nonsense", "lots", { budget: "", budgets, code: "budget_unknown" }]
  ] as const)("refuses %s", (_, rule, problem) => {
    assert.deepStrictEqual(cut(used(4), [rule]), Result.fail({ problem, rule }))
  })

  it("lets a fork use its share and no more, whatever the contract allows", () => {
    const bench = used(4)
    const slice = Result.getOrThrow(cut(bench, ["steps=2"]))
    forks(bench, { budget: slice.given })
    for (let index = 0; index < 2; index++) ends(bench.proposes(note), "Done")
    assert.deepStrictEqual(failing(bench.proposes(note)), ["budget steps"])
  })

  it("leaves the parent the amount that it did not give, and names the fork that has the rest", () => {
    const bench = used(4)
    gives(bench, Result.getOrThrow(cut(bench, ["steps=5"])), "child")
    ends(bench.proposes(note), "Done")
    const { checks } = ends(bench.proposes(note), "Refused")
    assert.deepInclude(Check.reason(checks)?.args, { given: [{ amount: 5, run: "child" }] })
  })

  it("gives a fork of the same name the same share again, once taken", () => {
    const bench = used(4)
    gives(bench, Result.getOrThrow(cut(bench, ["steps=5"])), "child")
    assert.deepStrictEqual(
      cut(bench, ["steps=5"]),
      Result.succeed({ given: { steps: 5, tokens: 60, money: "9.99" }, taken: {} })
    )
  })

  it.prop(
    "never makes a budget larger than it was, however many forks take their shares (L13)",
    [Schema.Array(Schema.Literals(["10%", "50%", "100%", "steps=1", "steps=3"])).check(Schema.isMaxLength(12))],
    ([shares]) => {
      const parent = used(2, { steps: 12 })
      let spent = 0
      for (const [index, share] of shares.entries()) {
        const slice = cut(parent, [share], `fork${index}`)
        if (Result.isFailure(slice)) continue
        const fork = used(0, { steps: 12 })
        fork.at = { ...parent.at }
        forks(fork, { budget: slice.success.given })
        gives(parent, slice.success, `fork${index}`)
        const before = BudgetUse.of(fork.state).steps
        for (let step = 0; step < 13; step++) fork.proposes(note)
        const refused = BudgetUse.of(fork.state).refusals
        spent += BudgetUse.of(fork.state).steps - refused - before
      }
      const [stands] = BudgetCheck.usage(parent.pack.budget, parent.state)
      while (stands !== undefined && BudgetUse.of(parent.state).refusals === 0) parent.proposes(note)
      spent += BudgetUse.of(parent.state).steps - BudgetUse.of(parent.state).refusals
      assert.strictEqual(spent, 12)
      assert.isTrue(Amount.compare(Amount.of(BudgetUse.givenOf(BudgetUse.of(parent.state)), "steps"), 12) <= 0)
    },
    { arbitrary: { runs: 200 } }
  )

  it("cuts nothing if the pack limits nothing", () => {
    const bench = used(1, {})
    bench.proposes(bookOf("LX1"))
    assert.deepStrictEqual(cut(bench), Result.succeed({ given: {}, taken: {} }))
    assert.isTrue(Result.isFailure(cut(bench, ["steps=1"])))
  })
})
