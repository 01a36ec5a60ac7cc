import type * as Definition from "@backstitch/contracts/Definition"
import { assert, describe, it } from "@effect/vitest"
import * as Expectations from "../src/verification/Expectations.ts"
import { Bench, bookOf, call, definition, ends, ok, told } from "./lab.ts"

const book: Definition.ToolDefinition = definition.tools.book

/** A bench whose booking was answered, and is expected to be something, at the end of its time. */
const answered = (expect: NonNullable<typeof book.readback>["expect"]) => {
  const readback = { source: "airline", within: "4s", expect }
  const bench = new Bench({ changes: { tools: { ...definition.tools, book: { ...book, readback } } } })
  const request = call(bench.proposes(bookOf("LX1")))
  bench.answers(request.action, ok({ id: "B1" }))
  bench.now += 4_000
  return { bench, ...request }
}

const evidenceOf = (bench: Bench) =>
  bench.transitions.findLast(({ body }) => body.type === "action.verified")?.body.data ?? {}

describe("Expectations", () => {
  it("names the failure that a contract names, with the values of the record", () => {
    const { action, bench } = answered([
      { id: "bounced", holds: "actual.status != 'bounced'", otherwise: "partial_application" },
      "actual.id == observed.id"
    ])
    const held = ends(bench.readsBack(action, ok({ id: "B1", status: "bounced" })), "Held")
    assert.include(
      told(held),
      `{"indicator":"bounced","source":"actual.status != 'bounced'"},"code":"expectation.unmet"`
    )
    assert.deepInclude(evidenceOf(bench), {
      discrepancy: "partial_application",
      evidence: [
        {
          expected: true,
          fact: "actual.status != 'bounced'",
          found: false,
          indicator: "bounced",
          shown: { status: "bounced" }
        }
      ]
    })
  })

  it("holds a record that is not there against it as null", () => {
    const { action, bench } = answered([
      { id: "missing", holds: "actual != null", otherwise: "target_missing" },
      { id: "other_price", holds: "actual.price == args.price", otherwise: "value_mismatch" }
    ])
    bench.now += 3_600_000
    bench.readsBack(action, { _tag: "NotFound" })
    const { discrepancy, evidence } = evidenceOf(bench)
    assert.strictEqual(discrepancy, "target_missing")
    assert.deepStrictEqual(
      (evidence as ReadonlyArray<{ readonly indicator?: string }>).map(({ indicator }) => indicator),
      [undefined, "missing"]
    )
  })

  it("knows the key of the action", () => {
    const { action, bench, key } = answered([{ id: "not_ours", holds: "key in actual.keys" }])
    ends(bench.readsBack(action, ok({ keys: [key ?? ""] })), "Done")
  })

  it("has no answer from an unreadable record, and never the answer yes", () => {
    const { action, bench } = answered([{ id: "unknown", holds: "true" }])
    const expected = bench.pack.tools["book"]?.readback?.expect ?? []
    assert.lengthOf(expected, 1)
    assert.deepStrictEqual(Expectations.against(expected, {}, { _tag: "Unknown", reason: "503" }), [])
    ends(bench.readsBack(action, { _tag: "Unknown", reason: "503" }), "Held")
  })

  it("keeps no field as evidence that is longer than a line", () => {
    const { action, bench } = answered([{ id: "other_text", holds: "actual.text == 'short'" }])
    ends(bench.readsBack(action, ok({ text: "x".repeat(1_000) })), "Held")
    assert.notInclude(JSON.stringify(evidenceOf(bench)["evidence"]), "xxx")
  })
})
