import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import { assert, describe, it } from "@effect/vitest"
import { answered, context, requested, type Step, settled, step, trace } from "../../reconciliation/test/traces.ts"
import * as SpanAttributes from "../src/telemetry/SpanAttributes.ts"

const history = (...steps: ReadonlyArray<Step>) => ActionHistories.of(trace(...steps), "a1")!

describe("SpanAttributes", () => {
  it("carries every attribute of the table that is known, and none that is not", () => {
    const values = SpanAttributes.of(
      ActionLedgerEntry.fromHistory(history(...answered("a1"), ...settled("a1")), context)
    )
    const unknown = ["approval.id", "discrepancy.class"]
    assert.sameMembers([...Object.keys(values), ...unknown], Object.keys(SpanAttributes.attributes))
    assert.deepInclude(values, {
      "action.id": "a1",
      "ledger.entry_id": "trip-1/a1",
      "reconciliation.status": "RECONCILED_SUCCESS",
      side_effect_class: "HIGH_RISK_EXTERNAL"
    })
    assert.notInclude(JSON.stringify(values), "key-a1")
  })

  it("links the spans that took place, each to the one before", () => {
    const spans = (...steps: ReadonlyArray<Step>) =>
      SpanAttributes.links(history(...steps)).map(({ after, span }) => [span, after])
    assert.deepStrictEqual(spans(requested("a1")), [
      ["inference", null],
      ["validation", "inference"]
    ])
    const all = spans(...answered("a1"), ...settled("a1"), step("recovery.decided", "a1"))
    assert.deepStrictEqual(
      all.map(([span]) => span),
      [...SpanAttributes.spans]
    )
    assert.deepStrictEqual(all.at(-1), ["recovery", "reconciliation"])
  })
})
