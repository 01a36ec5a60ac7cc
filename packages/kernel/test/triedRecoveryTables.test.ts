import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type * as RecoveryAction from "@backstitch/reconciliation/RecoveryAction"
import type * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import { assert, describe, it } from "@effect/vitest"
import * as Recovery from "../src/recovery/Recovery.ts"
import { asks, Bench, bookOf, call, type Definition, definition, ends, ok } from "./lab.ts"

/** A table that is tried: one section answers with one row. */
const tried = (
  section: keyof RecoveryRow.RecoverySections,
  action: RecoveryAction.RecoveryAction
): RecoveryRow.RecoverySections => ({
  ...RecoveryTable.sections,
  [section]: [{ when: {}, action, because: "it is tried" }]
})

const recorded = (bench: Bench) => bench.transitions.findLast(({ body }) => body.type === "recovery.decided")?.body.data

const follows = (bench: Bench, decision: RecoveryAction.RecoveryAction) =>
  assert.deepInclude(recorded(bench), {
    decision,
    policyVersion: RecoveryTable.policyVersion(bench.recovery)
  })

const { book, tell, unbook } = definition.tools

/** Proposes a booking of which the record shows something before it is sent. */
const looks = (recovery: RecoveryRow.RecoverySections, actual: { readonly price: number }) => {
  const input = { ...book.input, version: { type: "int", optional: true } } as const
  const version = { planned: "args.version", actual: "actual.version" }
  const readback = { ...book.readback, before: "permit", version } as const
  const bench = new Bench({ changes: { tools: { ...definition.tools, book: { ...book, input, readback } } } })
  bench.recovery = recovery
  const { action } = asks(bench.proposes(bookOf("LX1", 80, { version: 4 })), "ReadBefore")
  const evidence = ok({ id: "B1", version: 80 - actual.price + 4, ...actual })
  return { bench, decision: bench.does({ _tag: "ReadBefore", action, evidence }) }
}

const reversible: Partial<Definition> = {
  tools: {
    ...definition.tools,
    unbook: { ...unbook, readback: { source: "airline", expect: ["actual.status == 'cancelled'"], within: "2s" } },
    pay: { ...tell, input: { to: "string" }, status: "by_key" }
  },
  skeletons: { trip: { tools: ["book", "pay", "tell"], aborts: ["pay"], pivot: ["tell"] } }
}

/** A run whose payment is declined after a booking. */
const declined = (recovery?: RecoveryRow.RecoverySections) => {
  const bench = new Bench({ changes: reversible })
  bench.recovery = recovery
  bench.books("LX1")
  const paid = call(bench.proposes({ tool: "pay", params: { to: "ada@x.org" } })).action
  return { bench, decision: bench.answers(paid, { _tag: "Error", error: "declined" }) }
}

describe("Recovery by a table that is tried", () => {
  it("decides about a record that was so before, by the row of the table (L9)", () => {
    const { bench, decision } = looks(tried("no_op_success", "hold_and_escalate"), { price: 80 })
    ends(decision, "Held")
    follows(bench, "hold_and_escalate")
  })

  it("decides about a plan on another version, by the row of the table (L9)", () => {
    const { bench, decision } = looks(tried("stale_state_error", "hold_and_escalate"), { price: 79 })
    ends(decision, "Held")
    follows(bench, "hold_and_escalate")
    assert.notInclude(bench.types(), "action.result")
  })

  it("decides about a subtask that failed half-way: nothing is undone if a person decides (L9)", () => {
    const { bench } = declined(tried("partial_success", "hold_and_escalate"))
    follows(bench, "hold_and_escalate")
    assert.isUndefined(UndoPlan.open(bench.state))
    assert.isDefined(UndoPlan.open(declined().bench.state))
  })

  it("decides about a reversal that failed (L9)", () => {
    const { bench } = declined()
    bench.recovery = tried("compensation_failure", "freeze_and_alarm")
    const reversal = asks(bench.compensates(), "ReadBefore").action
    bench.does({ _tag: "ReadBefore", action: reversal, evidence: ok({ id: "LX1", status: "confirmed", price: 80 }) })
    bench.answers(reversal, { _tag: "Error", error: "too late" })
    ends(bench.compensates(), "Held")
    follows(bench, "freeze_and_alarm")
  })

  it("decides by the table in force if none is tried", () => {
    const { decision } = Recovery.ofCompensationFailure(new Bench().terms, "critical_mutation")
    assert.strictEqual(decision.action, "open_incident")
  })
})
