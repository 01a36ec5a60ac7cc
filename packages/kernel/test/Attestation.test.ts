import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import * as Latch from "@backstitch/reducer/Latch"
import type { Json } from "@backstitch/trace/Canonical"
import type * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { findAction } from "../src/action/ActionInFlight.ts"
import type { Decided } from "../src/decision/Decision.ts"
import * as Attestation from "../src/resolution/Attestation.ts"
import * as Resolution from "../src/resolution/Resolution.ts"
import { Bench, bookOf, call, ends, ok, told } from "./lab.ts"

const record = { id: "LX1", price: 80 }

/** A booking whose answer was lost, and whose system of record does not answer. */
const lost = () => {
  const bench = new Bench()
  const { action } = call(bench.proposes(bookOf("LX1")))
  bench.answers(action, { _tag: "Unknown", reason: "cut" })
  bench.answers(action, { _tag: "Unknown", reason: "down" }, "status")
  return { action, bench }
}

const succeeds = (bench: Bench, action: string, seen?: Json): Decided =>
  bench.proposes({
    author: "user",
    data: { action, as: "success", by: "Ada", evidence: "phoned", ...(seen === undefined ? {} : { record: seen }) },
    type: "review.decided"
  })

const isBelieved = (bench: Bench) => ({
  anomalies: Object.keys(Latch.of(bench.state)),
  spent: bench.state.world["spent"]
})

describe("Attestation", () => {
  it("takes no word for a success that beliefs follow from: the target stays held (L7, L8)", () => {
    const { action, bench } = lost()
    const [check] = ends(succeeds(bench, action), "Refused").checks
    assert.deepInclude(check?.why, { args: { tool: "book", way: "resume" }, code: "record.missing" })
    assert.deepStrictEqual(isBelieved(bench), { anomalies: [], spent: 0 })
    assert.deepStrictEqual(Resolution.pending(bench.state), [action])
  })

  it("takes no word for a success that was not read back, whatever else that would change (L8)", () => {
    const fax = () => {
      const bench = new Bench({ changes: { violations: [] } })
      const { action } = call(bench.proposes({ tool: "fax", params: { to: "ada" } }))
      ends(bench.answers(action, { _tag: "Unknown", reason: "cut" }), "Held")
      return { action, bench }
    }
    for (const seen of [undefined, null]) {
      const { action, bench } = fax()
      const refused = ends(succeeds(bench, action, seen), "Refused")
      assert.deepInclude(refused.checks[0]?.why?.args, { way: "attest" })
      assert.deepStrictEqual(Resolution.pending(bench.state), [action])
    }
    const { action, bench } = fax()
    ends(succeeds(bench, action, { line: "sent to ada" }), "Done")
    const history = ActionHistories.of(bench.transitions, action)!
    assert.deepInclude(history.observed?.outcome, { basis: "attested", output: { line: "sent to ada" } })
    assert.strictEqual(Reporting.report(history).standing, "attested")
  })

  it("believes the record that a person attests, at trust 1, with the call that would undo it (L5)", () => {
    const { action, bench } = lost()
    ends(succeeds(bench, action, record), "Done")
    assert.deepStrictEqual(isBelieved(bench), { anomalies: [], spent: 80 })
    assert.deepStrictEqual((bench.state.world["bookings"] as Table.Table).get("LX1"), { price: 80 })
    assert.deepStrictEqual(SettledActions.of(bench.state).get(action)?.with, { id: "LX1" })
    const history = ActionHistories.of(bench.transitions, action)!
    assert.deepInclude(history, { refused: [], state: "reconciled_success", trust: 1 })
    assert.deepInclude(history.observed?.outcome, { basis: "attested", output: record })
    assert.strictEqual(Reporting.report(history).standing, "attested")
    ends(bench.does({ _tag: "Recover", action }), "Done")
    assert.strictEqual(bench.state.world["spent"], 80)
  })

  it("refuses a record that shows something else, or that no state follows from", () => {
    for (const [seen, found] of [
      [{ id: "LX1", price: 90 }, "actual.price == args.price"],
      [{ price: 80 }, "record.not_foldable"],
      ["phoned", "actual.price == args.price"],
      [{ ...record, flight: "LX2" }, "seat/LX2"]
    ] as const) {
      const { action, bench } = lost()
      assert.include(told(ends(succeeds(bench, action, seen), "Refused")), found)
      assert.deepStrictEqual(isBelieved(bench), { anomalies: [], spent: 0 })
    }
  })

  it("believes no answer that the system of record contradicts: it has to show the record (L8)", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, ok(record))
    bench.now += 3_600_000
    ends(bench.readsBack(action, { _tag: "NotFound" }), "Held")
    assert.include(told(ends(succeeds(bench, action), "Refused")), "record.missing")
    assert.deepStrictEqual(isBelieved(bench), { anomalies: [], spent: 0 })
    ends(succeeds(bench, action, record), "Done")
    assert.deepStrictEqual(isBelieved(bench), { anomalies: [], spent: 80 })
  })

  it("believes a record that was read or answered, and no other record besides", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, ok(record))
    ends(succeeds(bench, action), "Done")
    assert.strictEqual(bench.state.world["spent"], 80)

    const dear = new Bench({ changes: { violations: [] } })
    const other = call(dear.proposes(bookOf("LX1"))).action
    dear.answers(other, ok({ id: "LX1" }))
    dear.does({ _tag: "ReadBack", action: other, evidence: { _tag: "Unknown", reason: "down" } })
    assert.include(told(ends(succeeds(dear, other), "Refused")), "record.not_foldable")
    ends(succeeds(dear, other, record), "Done")
    assert.strictEqual(dear.state.world["spent"], 80)
  })

  it("does not take a reading from before the last sending as the outcome of that sending", () => {
    const { action, bench } = lost()
    const subject = findAction(bench.terms, bench.state, action)!
    const stale = { ...subject, open: { ...subject.open, actual: { id: "LX1", price: 90 } } }
    for (const seen of [undefined, record]) {
      const found = Attestation.of(stale, seen)
      assert.strictEqual(Result.isFailure(found) ? found.failure.why?.code : "", "record.outdated")
    }
    const verified = { ...stale, open: { ...stale.open, heard: "record" as const } }
    const known = Attestation.of(verified, undefined)
    assert.deepInclude(Result.getOrThrow(known), { actual: { id: "LX1", price: 90 }, isRecorded: false })
    assert.isTrue(Result.isFailure(Attestation.of(verified, record)))
  })

  it("belongs to a success alone", () => {
    for (const as of ["failure", "abandoned"]) {
      const { action, bench } = lost()
      const data = { action, as, by: "Ada", evidence: "phoned", record }
      const refused = ends(bench.proposes({ author: "user", data, type: "review.decided" }), "Refused")
      assert.include(told(refused), "record.not_wanted")
    }
  })
})
