import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import { Bench, type Definition, definition, ends, ok, outcome } from "./lab.ts"

/** A tool that spends, of which the record says what its arguments say, or more. */
const pay = {
  class: "high_risk_external",
  input: { to: "string", price: "int" },
  target: "none",
  identity: { scope: "goal", fields: ["to"] },
  times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" },
  status: "by_key",
  readback: { source: "bank", expect: ["actual.price == args.price"], within: "2s" },
  undo: "X",
  on_reconciled: [{ add: { field: "world.spent", value: "actual.price" } }]
} as const

const benchOf = (guard: object, more: JsonObject = {}): Bench =>
  new Bench({
    changes: {
      tools: { ...definition.tools, pay: { ...pay, ...more } },
      guards: [{ id: "affordable", on: "pay", ...guard }]
    } as object as Partial<Definition>
  })

const under = { refuse_if: "world.spent + args.price > 200" }

const payments = (bench: Bench) => {
  const pays = (to: string, price: number) => bench.proposes({ tool: "pay", params: { to, price } })
  /** Starts a payment; answers its action. */
  const starts = (to: string, price: number): string => {
    const { next } = pays(to, price)
    return next._tag === "Call" ? next.request.action : assert.fail(`expected a call, found ${next._tag}`)
  }
  const settles = (action: string, price: number): void => {
    bench.answers(action, ok({}))
    bench.readsBack(action, ok({ price }))
  }
  /** The action that a refusal waits for, each with its state. */
  const waitsFor = (to: string, price: number): ReadonlyArray<string> =>
    ends(pays(to, price), "Refused").checks.flatMap(({ id, step, why }) => {
      if (why?.code !== "guard.unsettled") return []
      assert.deepStrictEqual([step, id], ["guard", "affordable"])
      return why.args.actions.map(({ action, state }) => `${action} ${state}`)
    })
  return { pays, starts, settles, waitsFor }
}

/** Begins a repayment of 20, and then payments. */
const repaid = (...prices: ReadonlyArray<number>) => {
  const takes = { ...pay, on_reconciled: [{ add: { field: "world.spent", value: "0 - actual.price" } }] }
  const bench = new Bench({
    changes: {
      tools: { ...definition.tools, pay, takes },
      guards: [{ id: "affordable", on: "pay", ...under }]
    } as object as Partial<Definition>
  })
  bench.proposes({ tool: "takes", params: { to: "ada", price: 20 } })
  const calls = payments(bench)
  for (const [at, price] of prices.entries()) calls.starts(`payee${at}`, price)
  return calls
}

describe("a guard", () => {
  it("counts acts under way as they were asked for: calls that fit together start, and one more is refused", () => {
    const { pays, settles, starts, waitsFor } = payments(benchOf(under))
    const [one, other] = [starts("ada", 80), starts("bob", 100)]
    assert.deepStrictEqual(waitsFor("cy", 80), [`${one} executing`, `${other} executing`])
    assert.strictEqual(pays("cy", 20).next._tag, "Call")
    settles(one, 80)
    assert.deepStrictEqual(waitsFor("dee", 30), [`${other} executing`, "a7 executing"])
  })

  it("counts a held act, and no act that failed", () => {
    const bench = benchOf(under)
    const { pays, starts, waitsFor } = payments(bench)
    const lost = starts("ada", 150)
    bench.answers(lost, { _tag: "Unknown", reason: "no answer" })
    assert.lengthOf(waitsFor("bob", 80), 1)
    bench.answers(lost, { _tag: "Error", error: "declined" }, "status")
    assert.strictEqual(pays("bob", 80).next._tag, "Call")
  })

  it("refuses where it would refuse after one act and not after all of them", () => {
    const takes = { ...pay, on_reconciled: [{ add: { field: "world.spent", value: "0 - actual.price" } }] }
    const bench = new Bench({
      changes: {
        tools: { ...definition.tools, pay, takes },
        guards: [{ id: "affordable", on: "pay", ...under }]
      } as object as Partial<Definition>
    })
    const { starts, waitsFor } = payments(bench)
    starts("ada", 180)
    bench.proposes({ tool: "takes", params: { to: "ada", price: 180 } })
    assert.lengthOf(waitsFor("bob", 50), 2)
  })

  it("refuses where it would refuse after some acts, and neither after all nor after each alone", () => {
    assert.lengthOf(repaid(140, 50).waitsFor("bob", 20), 3)
    assert.strictEqual(repaid(130, 50).pays("bob", 20).next._tag, "Call")
  })

  it("counts that any one of many acts may fail", () => {
    const many = [40, 30, 30, 30, 30]
    assert.lengthOf(repaid(...many, 30).waitsFor("bob", 20), many.length + 2)
    assert.strictEqual(repaid(...many, 20).pays("bob", 20).next._tag, "Call")
  })

  it("waits for an act of which only the record will tell what it changes", () => {
    const bench = benchOf(under, { on_reconciled: [{ add: { field: "world.spent", value: "actual.total" } }] })
    const { pays, starts, waitsFor } = payments(bench)
    const paid = starts("ada", 10)
    assert.deepStrictEqual(waitsFor("bob", 10), [`${paid} executing`])
    bench.answers(paid, ok({ total: 12 }))
    assert.strictEqual(pays("bob", 10).next._tag, "Call")
  })

  it("waits for nothing where it reads what no act under way changes, and answers a repeated call as before", () => {
    const bench = benchOf({ refuse_if: "args.price > 200 || working.mad" })
    const { starts } = payments(bench)
    starts("ada", 150)
    starts("bob", 150)
    const spending = payments(benchOf(under))
    spending.starts("ada", 150)
    assert.strictEqual(outcome(spending.pays("ada", 150))._tag, "Held")
  })

  it("reads everything where it is a function, and no act that only reads", () => {
    const bench = benchOf({ refuse_if: ({ world }: { world: { spent: number } }) => world.spent > 100 })
    bench.proposes({ tool: "look", params: { q: "x" } })
    const { starts, waitsFor } = payments(bench)
    starts("ada", 90)
    starts("bob", 90)
    assert.lengthOf(waitsFor("cy", 1), 2)
  })
})
