import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Kernel from "../src/Kernel.ts"
import type { DecisionTerms } from "../src/state/DecisionTerms.ts"
import { Bench, call, definition, ends, failing, ok } from "./lab.ts"

/** One payment, and the ways in which models and people write it. */
const spellings = {
  amount: [80, "80", "80.0", "80.00", 80.001, "80.004"],
  count: [2, "2", "2.0"],
  flight: ["LX1234", "lx1234", "LX 1234", "LX-1234", " lx.1234 ", "ＬＸ１２３４"],
  mail: ["ada@example.org", " ADA@Example.ORG "],
  name: ["Zoë d'Ada", "zoë  d’ada", "ZOË\tD'ADA ", "Zoe\u0308 d'Ada", "Ｚｏë d＇Ａｄａ"],
  on: ["2026-11-21", " 2026-11-21 ", "2026-11-21T00:00:00Z", "20261121"],
  phone: ["+41 44 668 18 00", "0041446681800", "+41 (44) 668-18-00", "tel:+41-44-668-18-00"]
} as const
type Name = keyof typeof spellings
const names = Object.keys(spellings) as ReadonlyArray<Name>

/** The same fields, each with another value: another act. */
const other: { readonly [name in Name]: string | number } = {
  amount: "80.01",
  count: 3,
  flight: "LX1235",
  mail: "bob@example.org",
  name: "Zoe d'Ada",
  on: "2026-11-22",
  phone: "+41446681801"
}

/** The same fields in what may mean the same and may mean something else. */
const doubtful = {
  flight: "#LX1234",
  on: "2026-11-21T09:30:00Z"
} as const

const tools = {
  ...definition.tools,
  pay: {
    class: "high_risk_external",
    input: {
      amount: { decimal: 2 },
      count: "json",
      flight: "string",
      mail: "string",
      memo: "string",
      name: "string",
      on: "string",
      phone: "string"
    },
    target: "none",
    identity: {
      scope: "goal",
      fields: {
        amount: "decimal",
        count: "integer",
        flight: "code",
        mail: "email",
        name: "name",
        on: "date",
        phone: "phone"
      }
    },
    times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" },
    status: "by_key",
    undo: "X"
  }
} as const

const Choice = Schema.Struct({
  picks: Schema.Array(Schema.Literals([0, 1, 2, 3, 4, 5])).check(Schema.isMinLength(7), Schema.isMaxLength(7)),
  reversed: Schema.Boolean,
  description: Schema.Literals(["pay it", "please pay, third try", ""]),
  confidence: Schema.Literals([0.1, 0.9]),
  notes: Schema.Literals([0, 1, 5])
})

const paramsOf = ({ picks, reversed }: typeof Choice.Type): JsonObject => {
  const entries = names.map((name, index) => {
    const ways = spellings[name]
    return [name, ways[picks[index]! % ways.length]!] as const
  })
  const params = [...entries, ["memo", "rent"] as const]
  return Object.fromEntries(reversed ? params.reverse() : params)
}

const proposalOf = (choice: typeof Choice.Type, more: JsonObject = {}) => {
  const { confidence, description } = choice
  return { tool: "pay", params: { ...paramsOf(choice), ...more }, confidence, description }
}

const benchOf = ({ notes }: typeof Choice.Type, run?: string) => {
  const bench = new Bench({ changes: { tools, approvals: {} }, ...(run === undefined ? {} : { run }) })
  for (let step = 0; step < notes; step++) bench.proposes({ type: "observation.add", data: { text: "x" } })
  return bench
}

describe("the wording of an act", () => {
  it.prop(
    "changes neither key nor request hash: case, spaces, numbers, dates, field order, attempt, position, run (L6)",
    [Choice, Choice],
    ([one, two]) => {
      const decide = (choice: typeof Choice.Type, run: string) => {
        const bench = benchOf(choice, run)
        const { key } = call(bench.proposes(proposalOf(choice)))
        return { key, requestHash: bench.last.body.action?.requestHash }
      }
      assert.deepStrictEqual(decide(one, "run-1"), decide(two, "run-2"))
    },
    { arbitrary: { runs: 400 } }
  )

  it.prop(
    "is adopted when the act is settled, and held while it is open (L6)",
    [Choice, Choice],
    ([one, two]) => {
      const bench = benchOf(one)
      const { action } = call(bench.proposes(proposalOf(one)))
      assert.strictEqual(ends(bench.proposes(proposalOf(two)), "Held").action, action)
      bench.answers(action, ok({ id: "P1" }))
      bench.answers(action, ok({ id: "P1" }), "status")
      assert.strictEqual(ends(bench.proposes(proposalOf(two)), "Done").adopted?.action, action)
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "is another act if one field of the identity means something else, and another request if another field does (L6)",
    [Choice, Schema.Literals(names)],
    ([choice, name]) => {
      const bench = benchOf(choice)
      const first = call(bench.proposes(proposalOf(choice)))
      assert.notStrictEqual(call(bench.proposes(proposalOf(choice, { [name]: other[name] }))).key, first.key)
      assert.deepStrictEqual(failing(bench.proposes(proposalOf(choice, { memo: "gift" }))), [`key ${first.action}`])
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "is refused if it may mean the same and may mean something else: nothing is adopted and nothing is sent (L6)",
    [Choice, Schema.Literals(["flight", "on"])],
    ([choice, name]) => {
      const bench = benchOf(choice)
      const { action } = call(bench.proposes(proposalOf(choice)))
      bench.answers(action, ok({ id: "P1" }))
      const again = bench.proposes(proposalOf(choice, { [name]: doubtful[name] }))
      assert.deepStrictEqual(failing(again), [`key ${action}`])
    },
    { arbitrary: { runs: 100 } }
  )

  it.prop(
    "is refused if its number is ambiguous: nothing is adopted and nothing is sent (L6)",
    [Choice, Schema.Literals(["1.000", "2.000", "１.０００", "2,000"])],
    ([choice, count]) => {
      const bench = benchOf(choice)
      bench.proposes(proposalOf(choice))
      assert.deepStrictEqual(failing(bench.proposes(proposalOf(choice, { count }))), ["key count"])
    },
    { arbitrary: { runs: 50 } }
  )

  it.prop(
    "is one more of the same if the proposer counts it, each occurrence with a key of its own (L6)",
    [Choice, Schema.Literals([1, 2, 3]), Schema.Literals([1, 2, 3])],
    ([choice, one, two]) => {
      const keyOf = (occurrence: number) =>
        call(benchOf(choice).proposes({ ...proposalOf(choice), occurrence, occurrenceBy: "plan" })).key
      assert.strictEqual(keyOf(one) === keyOf(two), one === two)
    },
    { arbitrary: { runs: 300 } }
  )
})

describe("the scope of a key", () => {
  const keyOf = (tool: string, params: JsonObject, more: Partial<DecisionTerms>, goal = "goal") => {
    const bench = new Bench({ goal })
    const terms = { ...bench.terms, ...more }
    return call(Kernel.decide(terms, bench.state, { _tag: "Propose", proposal: { tool, params } })).key
  }
  const forked = { run: Run.make("fork"), lineage: "trip" }
  const apart = { run: Run.make("else"), lineage: "else" }
  const elsewhere = { run: Run.make("trip", "acme") }
  const otherSecret = { secret: "another" }

  it("run reaches over the lineage, forks included, and no further (decision 0039)", () => {
    const of = (...more: [Partial<DecisionTerms>, string?]) => keyOf("tell", { to: "a@b.ch" }, ...more)
    assert.strictEqual(of(forked), of({}))
    assert.strictEqual(of({}, "another goal"), of({}))
    assert.notStrictEqual(of(apart), of({}))
  })

  it("goal reaches over the runs of a goal, and no further", () => {
    const of = (...more: [Partial<DecisionTerms>, string?]) =>
      keyOf("book", { flight: "LX1", traveller: "Ada", price: 80 }, ...more)
    assert.strictEqual(of(apart), of({}))
    assert.notStrictEqual(of({}, "another goal"), of({}))
  })

  it("tenant reaches over all runs of a tenant, and no further (L15)", () => {
    const of = (...more: [Partial<DecisionTerms>, string?]) => keyOf("refund", { amount: 5 }, ...more)
    assert.strictEqual(of(apart, "another goal"), of({}))
    assert.notStrictEqual(of(elsewhere), of({}))
    assert.notStrictEqual(of(otherSecret), of({}))
  })
})
