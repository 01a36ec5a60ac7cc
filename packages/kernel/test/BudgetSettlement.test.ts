import * as Amount from "@backstitch/contracts/Amount"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as State from "@backstitch/reducer/State"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as BudgetCheck from "../src/budget/BudgetCheck.ts"
import * as BudgetUse from "../src/budget/BudgetUse.ts"
import * as Check from "../src/payload/Check.ts"
import { forks } from "./branch.ts"
import { Bench, bookOf, call, definition, ends, failing, ok, told } from "./lab.ts"

const tools = {
  ...definition.tools,
  look: { ...definition.tools.look, cost: { amount: "0.05", currency: "USD", tokens: 100 } },
  book: { ...definition.tools.book, cost: { amount: "args.price", actual: "observed.price", currency: "USD" } }
} as const

const limited = (budgets: object) => new Bench({ changes: { budgets, tools, violations: [], guards: [] } })
const dollars = (max: number | string) => ({ money: { currency: "USD", decimal: 2, max } })
const look = { tool: "look", params: { q: "x" } }

const money = (bench: Bench) => {
  const use = BudgetUse.of(bench.state)
  return [Amount.of(BudgetUse.usedOf(use), "money.USD"), Amount.of(BudgetUse.reservedOf(use), "money.USD")] as const
}

describe("BudgetSettlement", () => {
  it("reserves the expected cost of a call, and settles the real one (L13)", () => {
    const bench = limited(dollars("2.00"))
    const { action } = call(bench.proposes(look))
    assert.deepStrictEqual(money(bench), ["0", "0.05"])
    assert.deepStrictEqual(bench.last.stamp.reserved, { "money.USD": "0.05", tokens: 100 })
    bench.answers(action, ok({ found: "y" }))
    assert.deepStrictEqual(bench.last.stamp.spent, { "money.USD": "0.05", tokens: 100 })
    assert.deepStrictEqual(money(bench), ["0.05", "0"])
    assert.isUndefined(BudgetUse.of(bench.state).reserved)
  })

  it("counts the tokens that an answer reports instead of the reserved ones", () => {
    const bench = limited({ tokens: 1000 })
    const { action } = call(bench.proposes(look))
    bench.does({ _tag: "Answered", action, via: "call", evidence: { _tag: "Ok", output: {}, tokens: 30 } })
    assert.strictEqual(BudgetUse.of(bench.state).spent["tokens"], 30)
  })

  it("settles a mutation with the action, at the amount that the answer reports", () => {
    const bench = limited(dollars(100))
    const { action } = call(bench.proposes(bookOf("LX1", 80)))
    bench.answers(action, ok({ id: "LX1", price: 75 }))
    assert.deepStrictEqual(money(bench), ["0", "80"])
    ends(bench.readsBack(action, ok({ id: "LX1", price: 80 })), "Done")
    assert.deepStrictEqual(money(bench), ["75", "0"])
  })

  it("gives back the reservation of a failed action", () => {
    const bench = limited(dollars(100))
    const { action } = call(bench.proposes(bookOf("LX1", 80)))
    ends(bench.answers(action, { _tag: "Error", error: "sold out" }), "Failed")
    assert.deepStrictEqual(money(bench), ["0", "0"])
    call(bench.proposes(bookOf("LX2", 100)))
  })

  it("keeps the reservation of an unknown outcome, and refuses by naming it", () => {
    const bench = limited(dollars(100))
    const { action } = call(bench.proposes(bookOf("LX1", 80)))
    bench.answers(action, { _tag: "Unknown", reason: "no answer" })
    assert.deepStrictEqual(money(bench), ["0", "80"])
    const { checks } = ends(bench.proposes(bookOf("LX2", 30)), "Refused")
    assert.deepInclude(Check.reason(checks), {
      args: {
        asked: "30",
        budget: "money.USD",
        held: [{ action, amount: "80" }],
        max: "100",
        reserved: "80",
        used: "0"
      },
      code: "budget.exceeded"
    })
    assert.deepStrictEqual(bench.last.body.data?.["budget"], "money.USD")
    assert.strictEqual(bench.last.body.type, "budget.exhausted")
  })

  it("counts a read that was never answered as paid", () => {
    const bench = limited(dollars(1))
    const { action } = call(bench.proposes(look))
    bench.answers(action, { _tag: "Unknown", reason: "no answer" })
    assert.deepStrictEqual(money(bench), ["0.05", "0"])
  })

  it("says at once that an answer took more than there was, and takes nothing more", () => {
    const bench = limited(dollars(100))
    const { action } = call(bench.proposes(bookOf("LX1", 80)))
    bench.answers(action, ok({ id: "LX1", price: 120 }))
    assert.deepStrictEqual(bench.types(3), ["action.result", "budget.exhausted"])
    ends(bench.readsBack(action, ok({ id: "LX1", price: 80 })), "Done")
    assert.deepStrictEqual(failing(bench.proposes(look)), ["budget money.USD"])
    assert.deepStrictEqual(BudgetUse.of(bench.state).exhausted, ["money.USD"])
  })

  it("takes the cost of proposing, and refuses an amount that cannot be evaluated", () => {
    const bench = limited(dollars("0.20"))
    ends(bench.proposes({ type: "observation.add", data: { text: "x" }, spent: { "money.USD": "0.08" } }), "Done")
    assert.deepStrictEqual(money(bench), ["0.08", "0"])
    const broken = new Bench({
      changes: { tools: { ...tools, look: { ...tools.look, cost: "1 / int(args.q)" } } }
    })
    assert.deepStrictEqual(failing(broken.proposes({ tool: "look", params: { q: "0" } })), ["contract look.cost"])
    assert.deepStrictEqual(failing(broken.proposes({ tool: "look", params: { q: "-1" } })), ["contract look.cost"])
  })

  it("sends nothing again beyond the budget of retries, and says so once (L13)", () => {
    const bench = limited({ retries: 1 })
    const { action } = call(bench.proposes({ tool: "tell", params: { to: "a@b.ch" } }))
    const lost = { _tag: "Unknown", reason: "no answer" } as const
    call(bench.answers(action, lost))
    assert.strictEqual(BudgetUse.of(bench.state).retries, 1)
    const held = ends(bench.answers(action, lost), "Held")
    assert.include(told(held), '{"asked":1,"budget":"retries","max":1,"reserved":0,"used":1},"code":"budget.exceeded"')
    assert.deepStrictEqual(bench.types(5), ["action.result", "budget.exhausted"])
    ends(bench.does({ _tag: "Recover", action }), "Held")
    assert.deepStrictEqual(bench.types(7), [])
  })

  it("decides no recovery beyond their budget (L13)", () => {
    const bench = limited({ recoveries: 1 })
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, ok({ id: "LX1" }))
    bench.now += 3000
    const wrong = ok({ id: "LX1", price: 1 })
    ends(bench.readsBack(action, wrong), "Held")
    const tick = bench.last.tick
    const held = ends(bench.readsBack(action, wrong), "Held")
    assert.include(told(held), '"budget":"recoveries"')
    assert.deepStrictEqual(bench.types(tick), ["action.verified", "budget.exhausted"])
    assert.strictEqual(BudgetUse.of(bench.state).recoveries, 1)
    ends(bench.readsBack(action, ok({ id: "LX1", price: 80 })), "Done")
  })
})

const Move = Schema.Union([
  Schema.Struct({ move: Schema.Literal("look") }),
  Schema.Struct({ move: Schema.Literal("book"), price: Schema.Literals([1, 7, 40]) }),
  Schema.Struct({
    move: Schema.Literals(["answer", "read back", "ask"]),
    which: Schema.Literals([0, 1, 2]),
    evidence: Schema.Literals(["Ok", "Less", "Error", "Unknown", "NotFound"])
  }),
  Schema.Struct({ move: Schema.Literals(["crash", "fork", "later"]), which: Schema.Literals([0, 1, 2]) })
])

const evidenceOf = (kind: string, price: number) => {
  switch (kind) {
    case "Ok":
      return ok({ id: "x", found: "y", price })
    case "Less":
      return ok({ id: "x", found: "y", price: 0 })
    case "Error":
      return { _tag: "Error", error: "no" } as const
    case "NotFound":
      return { _tag: "NotFound" } as const
    default:
      return { _tag: "Unknown", reason: "lost" } as const
  }
}

const plays = (bench: Bench, move: typeof Move.Type, index: number): void => {
  const open = Object.entries(OpenActions.of(bench.state))
  if (move.move === "look") bench.proposes(look)
  else if (move.move === "book") bench.proposes(bookOf(`LX${index}`, move.price))
  else if (move.move === "later") bench.now += 1000
  else if (move.move === "fork") forks(bench, { budget: { "money.USD": "5", steps: 3 } })
  else {
    const [action, at] = open[move.which % Math.max(1, open.length)] ?? []
    if (action === undefined || at === undefined) return
    if (move.move === "crash") bench.does({ _tag: "Recover", action })
    else if ("evidence" in move) {
      const price = Number((at.params as { readonly price?: number }).price ?? 0)
      const evidence = evidenceOf(move.evidence, price)
      if (move.move === "read back") bench.readsBack(action, evidence)
      else bench.answers(action, evidence, move.move === "ask" ? "status" : "call")
    }
  }
}

describe("Budgets", () => {
  it.prop(
    "are never exceeded by any interleaving of starts, answers, crashes and forks, and go on as they stood (L13)",
    [Schema.Array(Move).check(Schema.isMaxLength(40))],
    ([moves]) => {
      const budgets = { ...dollars("60.10"), steps: 20, retries: 2, recoveries: 3, calls: { look: 4 } }
      const bench = limited(budgets)
      for (const [index, move] of moves.entries()) {
        plays(bench, move, index)
        for (const stands of BudgetCheck.usage(bench.pack.budget, bench.state)) {
          // A refusal is a step as well, so that confusion is not free.
          if (stands.budget !== "steps") assert.isTrue(BudgetCheck.covers(stands, 0), JSON.stringify(stands))
        }
      }
      const again = bench.transitions.reduce((state, each) => bench.fold.evolve(state, each), State.empty)
      assert.deepStrictEqual(BudgetUse.of(again), BudgetUse.of(bench.state))
    },
    { arbitrary: { runs: 300 } }
  )

  it("are not exceeded if an answer says less, and the next one more (L13)", () => {
    const bench = limited(dollars("60.10"))
    const { action } = call(bench.proposes(bookOf("LX1", 40)))
    bench.answers(action, evidenceOf("Less", 40), "status")
    assert.strictEqual(bench.proposes(bookOf("LX2", 40)).next._tag, "End")
    bench.answers(action, evidenceOf("Ok", 40), "status")
    for (const stands of BudgetCheck.usage(bench.pack.budget, bench.state)) assert.isTrue(BudgetCheck.covers(stands, 0))
  })

  it.prop(
    "hold nothing for an action that is settled",
    [Schema.Array(Move).check(Schema.isMaxLength(30))],
    ([moves]) => {
      const bench = limited(dollars("500"))
      for (const [index, move] of moves.entries()) plays(bench, move, index)
      const held = Object.keys(BudgetUse.of(bench.state).reserved ?? {})
      const open = Object.keys(OpenActions.of(bench.state))
      assert.deepStrictEqual(
        held.filter((id) => !open.includes(id)),
        []
      )
    },
    { arbitrary: { runs: 300 } }
  )
})
