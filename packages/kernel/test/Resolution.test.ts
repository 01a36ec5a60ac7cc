import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import { assert, describe, it } from "@effect/vitest"
import type { Decided } from "../src/decision/Decision.ts"
import * as Check from "../src/payload/Check.ts"
import * as Resolution from "../src/resolution/Resolution.ts"
import { asks, Bench, bookOf, call, type Definition, definition, ends, failing, ok, told } from "./lab.ts"

const { unbook } = definition.tools

const changes: Partial<Definition> = {
  tools: {
    ...definition.tools,
    unbook: { ...unbook, readback: { source: "airline", expect: ["actual.status == 'cancelled'"], within: "2s" } },
    pay: { ...definition.tools.tell, input: { to: "string" }, status: "by_key" }
  },
  skeletons: { trip: { tools: ["book", "pay"], aborts: ["pay"] } }
}

/** A fax that nobody can ask about: its answer was lost. */
const lost = () => {
  const bench = new Bench({ changes })
  const { action } = call(bench.proposes({ tool: "fax", params: { to: "ada" } }))
  ends(bench.answers(action, { _tag: "Unknown", reason: "cut" }), "Held")
  return { action, bench }
}

const resolves = (bench: Bench, action: string, as: string, more: object = {}): Decided =>
  bench.proposes({
    author: "user",
    data: { action, as, by: "Ada", evidence: "the log of the line, ticket 311", ...more },
    type: "review.decided"
  })

const historyOf = (bench: Bench, action: string) => ActionHistories.of(bench.transitions, action)!

describe("a person who settles a held action", () => {
  it("frees its target, and is believed at trust 1: an attested success is never told as one (L8)", () => {
    const { action, bench } = lost()
    assert.deepStrictEqual(Resolution.pending(bench.state), [action])
    assert.deepStrictEqual(
      failing(bench.proposes({ tool: "fax", params: { to: "ada" }, occurrence: 2, occurrenceBy: "plan" })),
      ["target fax/ada"]
    )
    ends(resolves(bench, action, "success", { record: { line: "sent to ada" } }), "Done")
    assert.deepStrictEqual(Resolution.pending(bench.state), [])
    const history = historyOf(bench, action)
    assert.deepInclude(history, { state: "reconciled_success", refused: [] })
    assert.strictEqual(history.reconciled?.outcome.basis, "attested")
    assert.isTrue(ActionHistory.visited(history, "review_required"))
    assert.strictEqual(Reporting.report(history).standing, "attested")
    call(bench.proposes({ tool: "fax", params: { to: "ada" }, occurrence: 2, occurrenceBy: "plan" }))
  })

  it("commits no decision that is not a valid payload: a field of another form, or an unknown one", () => {
    for (const [path, more] of [
      ["data.by", { by: 7 }],
      ["data.role", { role: ["operator"] }],
      ["data.ticket", { ticket: "311" }]
    ] as const) {
      const { action, bench } = lost()
      const before = bench.transitions.length
      const [check] = Check.failing(ends(resolves(bench, action, "failure", more), "Refused").checks)
      assert.deepInclude(check?.why, { code: "payload.misfit", args: { path, type: "review.decided" } })
      assert.notInclude(
        bench.transitions.slice(before).map(({ body }) => body.type),
        "review.decided"
      )
      assert.deepStrictEqual(Resolution.pending(bench.state), [action])
    }
  })

  it("is asked about no read: that is asked again, or has its answer", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes({ tool: "look", params: { q: "x" } }))
    assert.include(told(ends(resolves(bench, action, "success"), "Refused")), "action.not_held")
  })

  it("may end it as failed, or abandon it with its discrepancy on record, and nobody else may abandon it", () => {
    for (const [as, state] of [
      ["failure", "failed"],
      ["abandoned", "abandoned"]
    ] as const) {
      const { action, bench } = lost()
      bench.now += 30_000
      ends(resolves(bench, action, as), "Done")
      assert.deepInclude(historyOf(bench, action), { state, refused: [] })
      assert.isUndefined(OpenActions.of(bench.state)[action])
      assert.strictEqual(SettledActions.of(bench.state).size, 0)
    }
  })

  it("has to name the verdict, the person and the reason, about a held action", () => {
    const { action, bench } = lost()
    for (const [more, found] of [
      [{ as: "fine" }, '"given":"fine"'],
      [{ by: "" }, "decision.unsigned"],
      [{ by: "  " }, "decision.unsigned"],
      [{ evidence: "" }, "decision.without_evidence"],
      [{ evidence: " \n" }, "decision.without_evidence"],
      [{ action: "a99" }, "action.not_held"]
    ] as const) {
      assert.include(told(ends(resolves(bench, action, "success", more), "Refused")), found)
    }
    const forged = bench.proposes({ data: { action, as: "success", by: "Ada", evidence: "x" }, type: "review.decided" })
    assert.deepStrictEqual(failing(forged), ["authorship review.decided"])
    assert.deepStrictEqual(Resolution.pending(bench.state), [action])
  })

  it("lets the failure of a step abort its subtask, as if the tool had said so (L12)", () => {
    const bench = new Bench({ changes })
    bench.books("LX1")
    const paid = call(bench.proposes({ tool: "pay", params: { to: "ada@x.org" } })).action
    bench.answers(paid, { _tag: "Unknown", reason: "cut" })
    bench.now += 3_000
    ends(resolves(bench, paid, "failure"), "Done")
    assert.strictEqual(UndoPlan.open(bench.state)?.steps.length, 1)
  })
})

/** A booking at another price, whose reversal was refused for good. */
const stopped = (settled = false) => {
  const bench = new Bench({ changes })
  if (settled) {
    bench.books("LX1")
    bench.answers(call(bench.proposes({ tool: "pay", params: { to: "ada@x.org" } })).action, {
      _tag: "Error",
      error: "declined"
    })
  } else {
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, ok({ id: "LX1" }))
    bench.now += 4_000
    bench.readsBack(action, ok({ id: "LX1", price: 90 }))
  }
  const reversal = asks(bench.compensates(), "ReadBefore")
  const standing = ok({ id: "LX1", status: "confirmed" })
  call(bench.does({ _tag: "ReadBefore", action: reversal.action, evidence: standing }))
  bench.answers(reversal.action, { _tag: "Error", error: "too late" })
  ends(bench.compensates(), "Held")
  return { action: UndoPlan.open(bench.state)?.failed ?? "", bench, reversal }
}

describe("a person who decides about an undoing that failed", () => {
  for (const settled of [false, true]) {
    const what = settled ? "an effect that was believed" : "an effect that was never believed"

    it(`reopens it: what is undone by now needs no reversal, under a new key otherwise (${what})`, () => {
      const { action, bench, reversal } = stopped(settled)
      assert.deepStrictEqual(Resolution.pending(bench.state), [action])
      ends(resolves(bench, action, "reopened"), "Done")
      const again = asks(bench.compensates(), "ReadBefore")
      assert.notStrictEqual(again.key, reversal.key)
      bench.does({ _tag: "ReadBefore", action: again.action, evidence: ok({ id: "LX1", status: "cancelled" }) })
      ends(bench.compensates(), "Failed")
      assert.deepInclude(historyOf(bench, action), { undo: "undone", refused: [] })
      assert.strictEqual(Reporting.report(historyOf(bench, action)).standing, "compensated")
    })

    it(`attests that it is undone, and nothing is sent for it any more (${what})`, () => {
      for (const shown of [undefined, ok({ id: "LX1", price: 80, status: "gone" }), { _tag: "NotFound" } as const]) {
        const { action, bench, reversal } = stopped(settled)
        ends(resolves(bench, reversal.action, "success"), "Done")
        assert.strictEqual(Reporting.report(historyOf(bench, action)).standing, "compensation_attested")
        bench.now += 10_000
        assert.strictEqual(bench.compensates(shown).next._tag, "Compensate")
        const { error } = ends(bench.compensates(), "Failed")
        assert.deepInclude(error, { attested: [action], undone: [action] })
        assert.deepInclude(historyOf(bench, action), { undo: "attested", refused: [] })
        assert.isUndefined(OpenActions.of(bench.state)[action])
        const begun = bench.transitions.filter(({ body }) => body.action?.undoes !== undefined)
        assert.strictEqual(begun.length, 1)
        // What is undone may be done again, and is not taken for done.
        call(bench.proposes(bookOf("LX1")))
      }
    })

    it(`lets the effect stand, or abandons it, and the plan is given up (${what})`, () => {
      for (const as of ["failure", "abandoned"] as const) {
        const { action, bench } = stopped(settled)
        ends(resolves(bench, action, as), "Done")
        assert.isUndefined(UndoPlan.open(bench.state))
        assert.deepStrictEqual(Resolution.pending(bench.state), [])
        const history = historyOf(bench, action)
        assert.deepStrictEqual(history.refused, [])
        const { standing } = Reporting.report(history)
        if (settled) assert.strictEqual(standing, as === "failure" ? "success" : "partial")
        else assert.notInclude(["success", "compensated"], standing)
      }
    })
  }

  it("settles a reversal that is still open on their word, so that its target is free again", () => {
    const bench = new Bench({ changes })
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, ok({ id: "LX1" }))
    bench.now += 4_000
    bench.readsBack(action, ok({ id: "LX1", price: 90 }))
    const reversal = asks(bench.compensates(), "ReadBefore").action
    const standing = ok({ id: "LX1", status: "confirmed" })
    bench.does({ _tag: "ReadBefore", action: reversal, evidence: standing })
    bench.answers(reversal, ok({}))
    bench.now += 4_000
    ends(bench.readsBack(reversal, standing), "Held")
    ends(resolves(bench, action, "success"), "Done")
    assert.isUndefined(OpenActions.of(bench.state)[reversal])
    bench.compensates()
    ends(bench.compensates(), "Failed")
    assert.deepInclude(historyOf(bench, reversal), { state: "reconciled_success", trust: 1, refused: [] })
  })
})
