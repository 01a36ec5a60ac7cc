import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as ActionMetrics from "@backstitch/reconciliation/ActionMetrics"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as Resolution from "../src/resolution/Resolution.ts"
import * as Presence from "../src/verification/Presence.ts"
import { asks, Bench, bookOf, call, type Definition, definition, ends, ok, told, wish } from "./lab.ts"

type Tools = NonNullable<Definition["tools"]>
type Tool = Tools[string]

const { book, unbook } = definition.tools
const { readback: _, ...unread } = book
const notFound: Evidence = { _tag: "NotFound" }

/** Reversals that have a record of their own. */
const tools = (booking: Tool = book): Tools => ({
  ...definition.tools,
  book: booking,
  unbook: {
    ...unbook,
    readback: { source: "book of refunds", expect: ["actual.status == 'succeeded'"], within: "2s" },
    on_reconciled: [{ add: { field: "world.spent", value: "0 - 80" } }]
  }
})

/** A booking that was reconciled, and that somebody wants undone. */
const wanted = (booking?: Tool) => {
  const bench = new Bench({ changes: { tools: tools(booking) } })
  const { action } = call(bench.proposes(bookOf("LX1")))
  bench.answers(action, ok({ id: "LX1" }))
  // What is grave and has no readback is asked about by its key.
  if (booking?.readback === undefined && booking?.status === "by_key")
    bench.answers(action, ok({ id: "LX1" }), "status")
  if (booking?.readback !== undefined || booking === undefined) bench.readsBack(action, ok({ id: "LX1", price: 80 }))
  const actions = [action]
  const decision = bench.does({
    _tag: "Undo",
    wanted: { actions, because: wish("changed my mind"), cause: "revision" }
  })
  return { action, bench, decision }
}

const historyOf = (bench: Bench, action: string) => ActionHistories.of(bench.transitions, action)!
const undoings = (bench: Bench) => bench.transitions.filter(({ body }) => body.action?.undoes !== undefined)
const settledIn = 4_000

describe("whether there is anything to undo", () => {
  it("is asked of the action that would be undone, by the readback that it declares (L5)", () => {
    const { action, bench } = wanted()
    const { next } = bench.does({ _tag: "Compensate" })
    const original = { action, via: "readback", deadlineMillis: 3_000 } as const
    assert.deepStrictEqual(next, { _tag: "ReadOriginal", original })
    assert.deepStrictEqual(Presence.question(bench.terms, bench.state, action), original)
    assert.strictEqual(undoings(bench).length, 0)
  })

  it("is asked under its key if it cannot be read back strongly", () => {
    const eventual = { ...book, readback: { ...book.readback, consistency: "eventual" } } as const
    const lagging = { ...book, readback: { ...book.readback, from: "replica" } } as const
    for (const booking of [unread, eventual, lagging]) {
      const contract = Result.getOrThrow(TaskPack.make({ ...definition, tools: tools(booking) })).tools["book"]!
      assert.strictEqual(ToolContract.absenceBy(contract), "status")
    }
    const { bench } = wanted(unread)
    const { next } = bench.does({ _tag: "Compensate" })
    assert.strictEqual(next._tag === "ReadOriginal" && next.original.via, "status")
  })

  it("is answered by the record that shows it, and the reversal is sent without a record of its own (L5, L8)", () => {
    const { action, bench } = wanted()
    const reversal = asks(bench.compensates(ok({ id: "LX1", price: 80 })), "ReadBefore").action
    call(bench.does({ _tag: "ReadBefore", action: reversal, evidence: notFound }))
    assert.strictEqual(historyOf(bench, action).undo, "undoing")
    bench.answers(reversal, ok({}))
    bench.readsBack(reversal, ok({ status: "succeeded" }))
    assert.strictEqual(historyOf(bench, action).undo, "undone")
    assert.strictEqual(bench.state.world["spent"], 0)
  })

  it("is answered by a request under way, too: its reversal stops it", () => {
    const { bench } = wanted()
    asks(bench.compensates({ _tag: "Pending" }), "ReadBefore")
  })

  it("is not answered by a record from a source that proves nothing (HS-07, HS-08)", () => {
    for (const from of ["replica", "cache"] as const) {
      const { action, bench } = wanted()
      const held = ends(bench.compensates({ _tag: "Ok", output: {}, from }), "Held")
      assert.deepInclude(held, { action })
      assert.strictEqual(undoings(bench).length, 0)
    }
  })

  it("is not answered if it cannot be read: the plan waits, and asks again (L5)", () => {
    for (const evidence of [
      { _tag: "Unknown", reason: "cut" },
      { _tag: "Error", error: "forbidden" }
    ] as const) {
      const { action, bench } = wanted()
      ends(bench.compensates(evidence), "Held")
      assert.deepInclude(bench.last.body.data, {
        before: { met: false },
        read: evidence._tag.toLowerCase()
      })
      assert.strictEqual(SettledActions.of(bench.state).get(action)?.undo, "standing")
      asks(bench.compensates(), "ReadBefore")
    }
  })

  it("is answered about the step that is next, and about no other", () => {
    const { action, bench } = wanted()
    const own = RecordedRequest.of(bench.transitions, action)!
    const looked = { ...own, action: "a1", via: "readback", evidence: notFound } as const
    assert.strictEqual(bench.decides({ _tag: "Compensate", original: looked }).next._tag, "ReadOriginal")
  })
})

describe("an undoing that waits because its original cannot be read", () => {
  const waits = () => {
    const { action, bench } = wanted()
    ends(bench.compensates({ _tag: "Unknown", reason: "cut" }), "Held")
    return { action, bench }
  }
  const resolves = (bench: Bench, action: string, as: string) =>
    bench.proposes({ type: "review.decided", author: "user", data: { action, as, by: "Ada", evidence: "looked" } })

  it("is called off by a person, and the effect stands (L9)", () => {
    for (const [as, undo] of [
      ["failure", "standing"],
      ["abandoned", "undo_abandoned"]
    ] as const) {
      const { action, bench } = waits()
      assert.deepStrictEqual(Resolution.pending(bench.state), [action])
      ends(resolves(bench, action, as), "Done")
      assert.isUndefined(UndoPlan.open(bench.state))
      assert.strictEqual(historyOf(bench, action).undo, undo)
      assert.deepStrictEqual(Resolution.pending(bench.state), [])
    }
  })

  it("is neither done nor verified on anybody's word: it is asked about again", () => {
    const { action, bench } = waits()
    for (const as of ["success", "reopened"]) {
      const { checks } = ends(resolves(bench, action, as), "Refused")
      assert.deepInclude(checks[0]?.why, { args: { verdict: as }, code: "undoing.waits" })
    }
    asks(bench.compensates(), "ReadBefore")
  })

  it("is what a person is asked about, and its reversal is not, as long as that goes on by itself", () => {
    const { bench } = waits()
    asks(bench.compensates(), "ReadBefore")
    assert.deepStrictEqual(Resolution.pending(bench.state), [])
  })
})

describe("an action that is to be undone and not on record", () => {
  it("is not absent before everything that was sent has surely arrived (decision 0036)", () => {
    const { bench } = wanted()
    const sent = bench.now
    const { next } = bench.compensates(notFound)
    assert.deepStrictEqual(next, { _tag: "Compensate", untilMillis: sent + settledIn })
    bench.now = sent + settledIn - 1
    assert.strictEqual(bench.compensates(notFound).next._tag, "Compensate")
    assert.strictEqual(UndoPlan.open(bench.state)?.done.length, 0)
  })

  it("is not absent by an answer that was asked for too early, however late it arrives (decision 0007)", () => {
    const { bench } = wanted()
    const asked = bench.now + settledIn - 1
    bench.now += settledIn
    const { next } = bench.compensates(notFound, asked)
    assert.deepStrictEqual(next, { _tag: "Compensate", untilMillis: bench.now })
    assert.strictEqual(UndoPlan.open(bench.state)?.done.length, 0)
  })

  it("is not absent by a key that may be forgotten", () => {
    const { action, bench } = wanted(unread)
    bench.now += 3_600_000
    assert.include(told(ends(bench.compensates(notFound), "Held")), "original.forgotten")
    assert.strictEqual(SettledActions.of(bench.state).get(action)?.undo, "standing")
  })

  it("is not absent by a key that may have been forgotten before its answer was made (decision 0036)", () => {
    const { action, bench } = wanted(unread)
    const asked = bench.now + 3_599_999
    bench.now += 3_600_000
    // In a run of the first rules an answer was as old as its question (decision 0021).
    const first = { ...bench.state.kernel, [PackInForce.part.name]: PackInForce.part.init }
    const own = RecordedRequest.of(bench.transitions, action)!
    const looked = { ...own, via: "status", evidence: notFound, askedAt: asked } as const
    const judged = Presence.judge(bench.terms, { ...bench.state, kernel: first }, looked)
    assert.deepStrictEqual(judged, { _tag: "Absent" })
    assert.include(told(ends(bench.compensates(notFound, asked), "Held")), "original.forgotten")
    assert.strictEqual(SettledActions.of(bench.state).get(action)?.undo, "standing")
  })

  it("is told as absent and not as reversed, and nothing is sent (L8)", () => {
    const { action, bench } = wanted()
    bench.now += settledIn
    assert.strictEqual(bench.compensates(notFound).next._tag, "Compensate")
    const { output } = ends(bench.compensates(), "Done")
    assert.deepInclude(output as object, { absent: [action], residue: [], undone: [] })
    assert.strictEqual(undoings(bench).length, 0)
    assert.isUndefined(UndoPlan.open(bench.state))
    const history = historyOf(bench, action)
    assert.deepInclude(history, { state: "reconciled_success", undo: "absent", refused: [] })
    assert.deepInclude(Reporting.report(history), { standing: "absent" })
    const measures = ActionMetrics.measure(bench.transitions, ActionHistories.all(bench.transitions), {
      ledger: { run: "trip", tenant: "t", termsAt: () => ({ pack: bench.pack }) },
      now: bench.now,
      pendingMillisMax: 1
    })
    assert.strictEqual(measures.compensation_success.denominator, 0)
  })

  it("may be done again, under another key: a missing effect is not repeated (decision 0035)", () => {
    const { bench } = wanted()
    const first = bench.transitions.find(({ stamp }) => stamp.key !== undefined)?.stamp.key
    bench.now += settledIn
    bench.compensates(notFound)
    bench.compensates()
    assert.notStrictEqual(call(bench.proposes(bookOf("LX1"))).key, first)
  })

  it("is a failure if it was never believed, and frees its target (L7)", () => {
    const bench = new Bench({ changes: { tools: tools() } })
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, ok({ id: "LX1" }))
    bench.now += settledIn
    assert.strictEqual(bench.readsBack(action, ok({ id: "LX1", price: 90 })).next._tag, "Compensate")
    bench.compensates(notFound)
    ends(bench.compensates(), "Failed")
    assert.isUndefined(OpenActions.of(bench.state)[action])
    assert.deepInclude(historyOf(bench, action), { state: "failed", undo: "absent", refused: [] })
    const settlement = bench.transitions.findLast(({ body }) => body.type === "action.reconciled")
    assert.deepInclude(settlement?.body.action, { id: action, target: "seat/LX1" })
    call(bench.proposes(bookOf("LX1")))
  })

  it("is absent if the record of its key says that it was refused", () => {
    const { action, bench } = wanted(unread)
    assert.strictEqual(bench.compensates({ _tag: "Error", error: "declined" }).next._tag, "Compensate")
    assert.strictEqual(historyOf(bench, action).undo, "absent")
  })
})

describe("a contract by which no read can find out whether there is anything to undo", () => {
  it("has no plan admitted: nothing is sent, nothing is believed, and a person is told why (L5)", () => {
    const { status: __, ...silent } = unread
    const deaf = { ...silent, accepts_word: { by: "the desk", why: "it keeps no record" } }
    const { action, bench, decision } = wanted(deaf as Tool)
    const { checks } = ends(decision, "Refused")
    assert.deepStrictEqual(
      checks.map(({ id, why }) => [id, why?.code]),
      [[action, "undo.undecidable"]]
    )
    assert.strictEqual(UndoPlan.open(bench.state), undefined)
    assert.strictEqual(undoings(bench).length, 0)
  })
})
