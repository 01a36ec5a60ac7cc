import type * as Definition from "@backstitch/contracts/Definition"
import type { Json } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import type { Evidence } from "../src/decision/Evidence.ts"
import type { Proposal } from "../src/decision/Proposal.ts"
import * as Reviews from "../src/review/Reviews.ts"
import { Bench, bookOf, call, definition, ends, ok } from "./lab.ts"

const { book } = definition.tools

/** A booking that was answered, with a record to be read. */
const answered = (readback: Partial<Definition.Readback> = {}, more: Partial<Definition.ToolDefinition> = {}) => {
  const tools = { ...definition.tools, book: { ...book, ...more, readback: { ...book.readback, ...readback } } }
  const bench = new Bench({ changes: { tools } })
  const { action } = call(bench.proposes(bookOf("LX1")))
  bench.answers(action, ok({ id: "B1" }))
  const shows = (record: { readonly [name: string]: Json }) =>
    bench.does({ _tag: "ReadBack", action, evidence: ok({ id: "B1", price: 80, ...record }) })
  return { action, bench, shows }
}

const tells: Proposal = { tool: "tell", params: { to: "anna@example.com" } }

/** The codes by which a proposal is refused; none if it is not. */
const refused = (bench: Bench, proposal: Proposal): ReadonlyArray<string> => {
  const { next } = bench.decides({ _tag: "Propose", proposal })
  return next._tag === "End" && next.outcome._tag === "Refused"
    ? next.outcome.checks.flatMap(({ why }) => (why === undefined ? [] : [why.code]))
    : []
}

const tenant = { scope: { tenant: "actual.tenant" } } as const
const otherwise = [
  { id: "elsewhere", holds: "actual.price == args.price", otherwise: "wrong_target_modified" }
] as const

describe("An act that has crossed a boundary", () => {
  const ways: ReadonlyArray<readonly [string, Partial<Definition.Readback>, { readonly [name: string]: Json }]> = [
    ["another tenant", tenant, { tenant: "umbrella" }],
    ["another target", {}, { flight: "LX2" }],
    ["a target that an expectation compares", { expect: [...otherwise] }, { price: 1 }]
  ]

  it.each(ways)("stops the changes of its run until a person has decided: %s", (_, readback, record) => {
    const { action, bench, shows } = answered(readback)
    assert.deepStrictEqual(refused(bench, tells), [])
    ends(shows(record), "Held")
    assert.deepStrictEqual(refused(bench, tells), ["breach.open"])
    assert.deepStrictEqual(refused(bench, bookOf("LX9")), ["breach.open"])
    // Reads go on, and the act itself is told as held, and not as refused because of itself.
    assert.deepStrictEqual(refused(bench, { tool: "look", params: { q: "ZRH" } }), [])
    ends(bench.decides({ _tag: "Propose", proposal: bookOf("LX1") }), "Held")
    bench.reopens(action)
    assert.deepStrictEqual(refused(bench, tells), [])
  })

  it("stops them if the status of its key shows it, too", () => {
    const { bench } = answered(tenant)
    const asked = call(bench.proposes(bookOf("LX2")))
    bench.answers(asked.action, { _tag: "Unknown", reason: "cut" })
    const elsewhere: Evidence = ok({ id: "B1", price: 80, tenant: "umbrella" })
    ends(bench.answers(asked.action, elsewhere, "status"), "Held")
    assert.deepStrictEqual(refused(bench, tells), ["breach.open"])
  })

  const elsewhere: Evidence = ok({ id: "B1", price: 80, flight: "LX3" })

  it.each(["ephemeral_write", "low_risk_internal", "medium_risk_write", "high_risk_external"] as const)(
    "stops them if only the status of its key shows another target, also in a class of %s",
    (sideEffect) => {
      const { bench } = answered({}, { class: sideEffect })
      const { action } = call(bench.proposes(bookOf("LX2")))
      bench.answers(action, { _tag: "Unknown", reason: "cut" })
      ends(bench.answers(action, elsewhere, "status"), "Held")
      assert.deepStrictEqual(refused(bench, tells), ["breach.open"])
      bench.reopens(action)
      assert.deepStrictEqual(refused(bench, tells), [])
    }
  )

  it("asks for no review of it in a run of the first rules", () => {
    const { bench } = answered()
    bench.does({ _tag: "Migrate", rules: 1 })
    const { action } = call(bench.proposes(bookOf("LX2")))
    bench.answers(action, { _tag: "Unknown", reason: "cut" })
    const before = Reviews.ofVerification(bench.state).length
    ends(bench.answers(action, elsewhere, "status"), "Held")
    assert.strictEqual(Reviews.ofVerification(bench.state).length, before)
  })

  it("stops nothing in a run of the first rules, which is decided as it was", () => {
    const { bench, shows } = answered(tenant)
    bench.does({ _tag: "Migrate", rules: 1 })
    ends(shows({ tenant: "umbrella" }), "Held")
    assert.deepStrictEqual(refused(bench, tells), [])
  })

  it("is no read whose source may not be believed, while another source is asked", () => {
    const fallback = { source: "books", expect: "actual.q == args.q", sources: [{ source: "mirror" }] }
    const look = { class: "read_only", input: { q: "string" }, readback: fallback } as const
    const bench = new Bench({ changes: { tools: { ...definition.tools, look } } })
    const { action } = call(bench.proposes({ tool: "look", params: { q: "ZRH" } }))
    const lagging: Evidence = { _tag: "Ok", output: { q: "ZRH" }, from: "replica" }
    bench.answers(action, lagging)
    bench.answers(action, lagging)
    assert.include(JSON.stringify(bench.transitions.map(({ body }) => body.data)), "policy_violation")
    assert.deepStrictEqual(refused(bench, tells), [])
  })

  it("is no act with a value that differs: that one is held alone", () => {
    const { bench, shows } = answered()
    bench.now += 60_000
    ends(shows({ price: 1 }), "Held")
    assert.deepStrictEqual(refused(bench, tells), [])
  })
})
