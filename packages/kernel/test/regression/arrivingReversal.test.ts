import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UsedKeys from "@backstitch/ledger/UsedKeys"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import { assert, describe, it } from "@effect/vitest"
import { asks, Bench, call, type Definition, definition, ends, ok, wish } from "../lab.ts"

const readback = { source: "airline", expect: ["actual == null"] }
/** What undoes a booking leaves within 3 s, and shows within 1 s after that. */
const changes: Partial<Definition> = {
  skeletons: {},
  tools: { ...definition.tools, unbook: { ...definition.tools.unbook, readback } }
}
const arrivesMillis = 4_000

const historyOf = (bench: Bench, action: string) => ActionHistory.of(bench.transitions, action)!
const standingOf = (bench: Bench, action: string) => Reporting.report(historyOf(bench, action)).standing
const undoOf = (bench: Bench, action: string) => SettledActions.of(bench.state).get(action)?.undo
const openOf = (bench: Bench, action: string) => OpenActions.of(bench.state)[action]
const resolves = (bench: Bench, action: string, as: string) =>
  bench.proposes({ author: "user", data: { action, as, by: "Ada", evidence: "phoned" }, type: "review.decided" })

/** A reversal of a booking, begun and about to be sent. */
const begun = () => {
  const bench = new Bench({ changes })
  const action = "a2"
  bench.books("LX1")
  bench.does({ _tag: "Undo", wanted: { actions: [action], because: wish("it was not wanted"), cause: "revision" } })
  return { action, bench, reversal: asks(bench.compensates(), "ReadBefore").action }
}

describe("a reversal that may still arrive", () => {
  const sent = () => {
    const { action, bench, reversal } = begun()
    call(bench.does({ _tag: "ReadBefore", action: reversal, evidence: ok({ id: "LX1" }) }))
    const startedAt = bench.now
    bench.answers(reversal, { _tag: "Unknown", reason: "cut" })
    return { action, bench, reversal, startedAt }
  }

  it("is called a failure by nobody before it cannot any more, by its contract (decision 0036)", () => {
    for (const named of ["action", "reversal"] as const) {
      const { bench, startedAt, ...ids } = sent()
      const { checks } = ends(resolves(bench, ids[named], "failure"), "Refused")
      const until = startedAt + arrivesMillis
      assert.deepInclude(checks[0]?.why, { args: { lastAt: until, reversal: ids.reversal }, code: "reversal.arriving" })
      bench.now = until - 1
      ends(resolves(bench, ids[named], "failure"), "Refused")
      assert.isDefined(openOf(bench, ids.reversal))
      assert.strictEqual(undoOf(bench, ids.action), "undoing")
      bench.now = until
      ends(resolves(bench, ids[named], "failure"), "Done")
      assert.deepInclude(historyOf(bench, ids.reversal), { state: "failed", refused: [] })
      assert.strictEqual(undoOf(bench, ids.action), "standing")
    }
  })

  it("is abandoned where a person gives it up, and told neither as failed nor as done (L8)", () => {
    const { action, bench, reversal } = sent()
    ends(resolves(bench, reversal, "abandoned"), "Done")
    assert.deepInclude(historyOf(bench, reversal), { state: "abandoned", refused: [] })
    assert.isUndefined(openOf(bench, reversal))
    assert.deepStrictEqual([undoOf(bench, action), standingOf(bench, action)], ["undo_abandoned", "partial"])
    assert.strictEqual(standingOf(bench, reversal), "abandoned")
    const { key } = historyOf(bench, reversal)
    assert.strictEqual(UsedKeys.find(bench.state, key ?? "")?.status, "unknown")
  })

  it("is told as not sent where it was given up before it was", () => {
    const { action, bench, reversal } = begun()
    ends(resolves(bench, reversal, "abandoned"), "Done")
    assert.deepInclude(historyOf(bench, reversal), { refused: [] })
    assert.strictEqual(undoOf(bench, action), "undo_abandoned")
  })
})
