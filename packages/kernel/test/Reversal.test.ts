import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as UsedKeys from "@backstitch/ledger/UsedKeys"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as ActionFate from "../src/action/ActionFate.ts"
import * as Reversal from "../src/action/Reversal.ts"
import * as Resolution from "../src/resolution/Resolution.ts"
import { Bench, call, definition, ends, failing, ok, told } from "./lab.ts"

const { book, unbook } = definition.tools
const changes = {
  tools: {
    ...definition.tools,
    book: { ...book, undo: { class: "K", by: "unbook", with: { id: "actual.id", percent: "100" } } },
    unbook: {
      ...unbook,
      input: { id: "string", percent: "int" },
      identity: { scope: "run", fields: [{ id: "code" }] },
      readback: { source: "airline", expect: ["actual == null"] }
    }
  }
} as const

const booked = () => {
  const bench = new Bench({ changes })
  bench.books("LX1")
  bench.books("LX2")
  const [one = "", two = ""] = SettledActions.inOrder(bench.state).map(([action]) => action)
  return { bench, one, two }
}

const of = (bench: Bench, params: JsonObject, tool = "unbook") =>
  Reversal.of(bench.state, { contract: bench.pack.tools[tool]!, params })?.reversal

/** Takes a booking back, and lets its tool answer, and its record where it does. */
const unbooks = (bench: Bench, params: JsonObject, answer: "ok" | "refused" | "silence") => {
  const { action } = call(bench.proposes({ tool: "unbook", params }))
  const error = { _tag: "Error", error: "too late" } as const
  const silence = { _tag: "Unknown", reason: "cut" } as const
  bench.answers(action, answer === "ok" ? ok({}) : answer === "refused" ? error : silence)
  if (answer === "ok") bench.readsBack(action, ok(null))
}

const undoOf = (bench: Bench, action: string) => SettledActions.of(bench.state).get(action)?.undo

describe("Reversal", () => {
  it("is the reversal that was registered for an action, however it is spelt, and whole then", () => {
    const { bench, one, two } = booked()
    assert.deepStrictEqual(of(bench, { id: "LX1", percent: 100 }), { action: one, whole: true })
    assert.deepStrictEqual(of(bench, { id: "lx2", percent: 100 }), { action: two, whole: true })
  })

  it("may be a part if more or less than that is asked for", () => {
    const { bench, one } = booked()
    assert.deepStrictEqual(of(bench, { id: "LX1", percent: 50 }), { action: one, whole: false })
    assert.deepStrictEqual(of(bench, { id: "LX1", percent: 100, fee: 1 }), { action: one, whole: false })
  })

  it("is no call for another thing, and none of another tool", () => {
    const { bench } = booked()
    assert.isUndefined(of(bench, { id: "LX3", percent: 100 }))
    assert.isUndefined(of(bench, { id: "LX1", percent: 100 }, "tell"))
    assert.isUndefined(Reversal.of(new Bench({ changes }).state, { contract: bench.pack.tools["unbook"]!, params: {} }))
  })

  it("has undone its action once it is verified, which may be done again then", () => {
    const { bench, one, two } = booked()
    const { key = "" } = SettledActions.of(bench.state).get(one) ?? {}
    unbooks(bench, { id: "LX1", percent: 100 }, "ok")
    assert.deepStrictEqual([undoOf(bench, one), undoOf(bench, two)], ["undone", "standing"])
    assert.strictEqual(UsedKeys.find(bench.state, key)?.status, "undone")
    assert.isUndefined(of(bench, { id: "LX1", percent: 100 }))
  })

  it("has undone nothing if it is refused, and something perhaps if it is a part", () => {
    const { bench, one, two } = booked()
    const { key = "" } = SettledActions.of(bench.state).get(two) ?? {}
    unbooks(bench, { id: "LX1", percent: 100 }, "refused")
    unbooks(bench, { id: "LX2", percent: 50 }, "ok")
    assert.deepStrictEqual([undoOf(bench, one), undoOf(bench, two)], ["standing", "doubtful"])
    assert.strictEqual(UsedKeys.find(bench.state, key)?.status, "ok")
  })

  it("is under way as long as its outcome is unknown, and is refused if another run relies on its action (L10)", () => {
    const { bench, one, two } = booked()
    unbooks(bench, { id: "LX1", percent: 100 }, "silence")
    assert.strictEqual(undoOf(bench, one), "undoing")
    bench.turns = { next: {}, relied: { [two]: { run: "other", action: "a7", tick: 12 } } }
    const refused = bench.proposes({ tool: "unbook", params: { id: "LX2", percent: 100 } })
    assert.deepStrictEqual(failing(refused), [`policy ${two}`])
  })
})

describe("an act that was taken back in part", () => {
  /** Two bookings of a trip, half of the second one taken back, and a payment that aborts the trip. */
  const trip = () => {
    const pay = { ...definition.tools.tell, input: { to: "string" }, status: "by_key" } as const
    const skeletons = { trip: { tools: ["book", "pay"], aborts: ["pay"] } } as const
    const bench = new Bench({ changes: { tools: { ...changes.tools, pay }, skeletons } })
    bench.books("LX1")
    bench.books("LX2")
    const [one = "", two = ""] = SettledActions.inOrder(bench.state).map(([action]) => action)
    unbooks(bench, { id: "LX2", percent: 50 }, "ok")
    return { bench, one, two }
  }
  const resolves = (bench: Bench, action: string, as: string) =>
    bench.proposes({
      author: "user",
      data: { action, as, by: "Ada", evidence: "the airline's account" },
      type: "review.decided"
    })
  const fails = (bench: Bench) => {
    const { action } = call(bench.proposes({ tool: "pay", params: { to: "ada@x.org" } }))
    return bench.answers(action, { _tag: "Error", error: "declined" })
  }

  it("waits for a person, and holds back the other undoings of its subtask (L5)", () => {
    const { bench, two } = trip()
    assert.deepStrictEqual(Resolution.pending(bench.state), [two])
    fails(bench)
    assert.isUndefined(UndoPlan.open(bench.state))
    assert.isDefined(UndoPlan.wanted(bench.state))
  })

  it.each([
    ["success", "attested", ["one"], "compensation_attested"],
    ["failure", "standing", ["two", "one"], "let_stand"],
    ["abandoned", "undo_abandoned", ["one"], "partial"]
  ] as const)("holds nothing back where it is settled as %s any more", (as, undo, undoes, standing) => {
    const { bench, one, two } = trip()
    ends(resolves(bench, two, as), "Done")
    assert.strictEqual(undoOf(bench, two), undo)
    assert.deepStrictEqual(Resolution.pending(bench.state), [])
    const history = ActionHistories.of(bench.transitions, two)!
    assert.deepStrictEqual([Reporting.report(history).standing, history.undo], [standing, undo])
    assert.deepStrictEqual(history.refused, [])
    fails(bench)
    assert.deepStrictEqual(
      UndoPlan.open(bench.state)?.steps.map((step) => step.undoes),
      undoes.map((name) => ({ one, two })[name])
    )
  })

  it("lets a plan go on that waited for it", () => {
    const { bench, one, two } = trip()
    fails(bench)
    ends(resolves(bench, two, "success"), "Done")
    bench.compensates()
    assert.deepStrictEqual(
      UndoPlan.open(bench.state)?.steps.map(({ undoes }) => undoes),
      [one]
    )
  })

  it("is settled by a person alone, in one of three ways, and once", () => {
    const { bench, two } = trip()
    for (const as of ["reopened", "resent"]) {
      assert.include(told(ends(resolves(bench, two, as), "Refused")), "verdict.unknown")
    }
    const data = { action: two, as: "success", by: "Ada", evidence: "said so", record: {} }
    const recorded = bench.proposes({ author: "user", data, type: "review.decided" })
    assert.include(told(ends(recorded, "Refused")), "record.not_wanted")
    ends(resolves(bench, two, "success"), "Done")
    ends(resolves(bench, two, "failure"), "Refused")
    assert.strictEqual(undoOf(bench, two), "attested")
  })

  it("may be taken over by another run if a person found that it stands, and not if it is gone (L6)", () => {
    for (const [as, isUndone, isDoubtful] of [
      ["failure", false, false],
      ["success", true, true],
      ["abandoned", false, true]
    ] as const) {
      const { bench, two } = trip()
      ends(resolves(bench, two, as), "Done")
      const { doubtful, undone } = ActionFate.of(bench.transitions, two)
      assert.deepStrictEqual([undone !== undefined, doubtful !== undefined], [isUndone, isDoubtful])
    }
  })
})
