import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as BudgetUse from "../src/budget/BudgetUse.ts"
import type { Drafted } from "../src/decision/Decision.ts"
import {
  asks,
  Bench,
  bookOf,
  call,
  type Definition,
  definition,
  ends,
  failing,
  ok,
  outcome,
  told,
  wish
} from "./lab.ts"

const { unbook } = definition.tools

/** The lab's contract with reversals that can be read back, and a subtask that a final failure of `pay` aborts. */
const changes: Partial<Definition> = {
  tools: {
    ...definition.tools,
    unbook: {
      ...unbook,
      readback: { source: "airline", expect: ["actual.status == 'cancelled'"], within: "2s" },
      on_reconciled: [{ add: { field: "world.spent", value: "0 - actual.refunded" } }]
    },
    pay: { ...definition.tools.tell, input: { to: "string" }, status: "by_key" }
  },
  skeletons: { trip: { tools: ["book", "pay", "tell"], aborts: ["pay"], pivot: ["tell"] } }
}

const benchOf = (more: Partial<Definition> = {}) => new Bench({ changes: { ...changes, ...more } })

/** Begins a payment. */
const pays = (bench: Bench) => call(bench.proposes({ tool: "pay", params: { to: "ada@x.org" } })).action

const declined = { _tag: "Error", error: "declined" } as const
const standing = { id: "LX1", status: "confirmed", price: 80 }
const cancelled = { id: "LX1", status: "cancelled", refunded: 80 }

const compensates = (bench: Bench): Drafted => bench.compensates()

/** Carries a reversal out as far as it goes when everybody answers. */
const reverses = (bench: Bench, decision: Drafted): Drafted => {
  const { action, params } = asks(decision, "ReadBefore")
  const before = bench.does({ _tag: "ReadBefore", action, evidence: ok({ ...standing, ...(params as JsonObject) }) })
  bench.answers(call(before).action, ok({ id: "ok" }))
  return bench.readsBack(action, ok({ ...cancelled, ...(params as JsonObject) }))
}

const undone = (bench: Bench): ReadonlyArray<string> =>
  bench.transitions.flatMap(({ body }) => (body.action?.undoes === undefined ? [] : [body.action.undoes]))

const historyOf = (bench: Bench, action: string) => ActionHistories.of(bench.transitions, action)!

describe("the compensation of an action", () => {
  it("is durable with its start, as far as the call says it, and completed once the record was read (L5)", () => {
    const bench = benchOf()
    const { action } = call(bench.proposes(bookOf("LX1")))
    assert.deepStrictEqual(bench.last.body.type, "action.started")
    assert.deepStrictEqual(bench.last.body.data?.["undo"], { by: "unbook", class: "K", within: { trip: null } })
    bench.answers(action, ok({ id: "LX1" }))
    bench.readsBack(action, ok({ id: "LX1", price: 80 }))
    const settled = SettledActions.of(bench.state).get(action)
    assert.deepInclude(settled, { by: "unbook", class: "K", undo: "standing", with: { id: "LX1" } })
  })

  it("is known at the start if it follows from the call alone, and narrowed by the instance", () => {
    const undo = {
      class: "R",
      by: "unbook",
      with: { id: "args.flight" },
      narrows: "actual.fee > 0 ? 'X' : 'R'"
    } as const
    const bench = benchOf({ tools: { ...changes.tools!, book: { ...definition.tools.book, undo } } })
    const { action } = call(bench.proposes(bookOf("LX1")))
    assert.deepInclude(bench.last.body.data?.["undo"] as JsonObject, { with: { id: "LX1" } })
    bench.answers(action, ok({ id: "LX1" }))
    bench.readsBack(action, ok({ id: "LX1", price: 80, fee: 5 }))
    assert.strictEqual(SettledActions.of(bench.state).get(action)?.class, "X")
  })
})

describe("the final failure of a step that aborts its subtask", () => {
  it("counts the cost of undoing, and lets no budget prevent it (L13)", () => {
    const cost = { amount: 9, currency: "CHF" } as const
    const { book, unbook: reversal, ...tools } = changes.tools!
    const bench = benchOf({
      tools: { ...tools, book: { ...book!, cost }, unbook: { ...reversal!, cost } },
      budgets: { money: { currency: "CHF", max: 10 } }
    })
    bench.books("LX1")
    bench.answers(pays(bench), declined)
    reverses(bench, compensates(bench))
    assert.deepStrictEqual(BudgetUse.of(bench.state).spent, { "money.CHF": "18" })
    assert.deepStrictEqual(undone(bench), ["a2"])
    assert.include(failing(bench.proposes(bookOf("LX2"))), "budget money.CHF")
  })

  it("undoes the acts of the others in reverse order, each verified before the next (L12)", () => {
    const bench = benchOf()
    bench.books("LX1")
    bench.books("LX2")
    assert.strictEqual(bench.state.world["spent"], 160)
    assert.strictEqual(bench.answers(pays(bench), declined).next._tag, "Compensate")
    const first = compensates(bench)
    const key = asks(first, "ReadBefore").key
    const second = reverses(bench, first)
    assert.strictEqual(second.next._tag, "Compensate")
    const last = reverses(bench, compensates(bench))
    assert.strictEqual(last.next._tag, "Compensate")
    const failed = ends(compensates(bench), "Failed")
    const [one = "", two = ""] = SettledActions.inOrder(bench.state).map(([id]) => id)
    assert.deepStrictEqual(undone(bench), [two, one])
    assert.deepInclude(failed.error, { undone: [two, one], residue: [two, one] })
    assert.notStrictEqual(key, bench.transitions.findLast(({ stamp }) => stamp.key !== undefined)?.stamp.key)
    assert.strictEqual(bench.state.world["spent"], 0)
    assert.isUndefined(UndoPlan.open(bench.state))
    for (const action of [one, two]) {
      assert.deepInclude(historyOf(bench, action), { state: "reconciled_success", undo: "undone", refused: [] })
    }
  })

  it("undoes nothing behind the pivot: the remaining steps are completed (L9)", () => {
    const bench = benchOf()
    bench.books("LX1")
    const told = call(bench.proposes({ tool: "tell", params: { to: "ada@x.org" } })).action
    ends(bench.answers(told, ok({})), "Done")
    ends(bench.answers(pays(bench), declined), "Failed")
    assert.strictEqual(bench.last.body.data?.["decision"], "recover_forward")
    assert.isUndefined(UndoPlan.open(bench.state))
    assert.deepStrictEqual(undone(bench), [])
  })

  it("waits for actions in flight, and freezes the agent meanwhile: no outcome is assumed (L5)", () => {
    const bench = benchOf()
    bench.books("LX1")
    const flying = call(bench.proposes(bookOf("LX2"))).action
    bench.answers(pays(bench), declined)
    assert.include(told(ends(compensates(bench), "Held")), flying)
    assert.deepStrictEqual(failing(bench.proposes(bookOf("LX3"))), ["policy undoing"])
    bench.answers(flying, ok({ id: "LX2" }))
    bench.readsBack(flying, ok({ id: "LX2", price: 80 }))
    compensates(bench)
    assert.strictEqual(UndoPlan.open(bench.state)?.steps.length, 2)
  })

  it("waits for nothing outside its plan: neither for another act nor for its pivot", () => {
    const bench = benchOf()
    bench.books("LX1")
    const flying = call(bench.proposes(bookOf("LX2"))).action
    const faxed = call(bench.proposes({ tool: "fax", params: { to: "ada" } })).action
    bench.answers(faxed, ok({}))
    bench.answers(pays(bench), declined)
    ends(compensates(bench), "Held")
    bench.answers(flying, ok({ id: "LX2" }))
    bench.readsBack(flying, ok({ id: "LX2", price: 80 }))
    compensates(bench)
    assert.strictEqual(UndoPlan.open(bench.state)?.steps.length, 2)
  })

  it("asks a person if a reversal is not declared, or could not be verified (L9)", () => {
    for (const tools of [
      { ...changes.tools!, book: { ...definition.tools.book, undo: "X" } },
      { ...changes.tools!, unbook }
    ] as const) {
      const bench = benchOf({ tools: tools as NonNullable<Definition["tools"]> })
      bench.books("LX1")
      bench.answers(pays(bench), declined)
      assert.deepStrictEqual(undone(bench), [])
      assert.isUndefined(UndoPlan.open(bench.state))
    }
  })

  it("changes nothing if no other step stands", () => {
    const bench = benchOf()
    ends(bench.answers(pays(bench), declined), "Failed")
    assert.strictEqual(bench.last.body.type, "action.reconciled")
  })
})

/** A booking that the airline shows at another price, at the end of its time. */
const mismatched = () => {
  const bench = benchOf()
  const { action } = call(bench.proposes(bookOf("LX1")))
  bench.answers(action, ok({ id: "LX1" }))
  bench.now += 4_000
  const decision = bench.readsBack(action, ok({ id: "LX1", price: 90 }))
  return { action, bench, decision }
}

describe("a record that does not meet its contract", () => {
  it("is reversed by the table, and the action is told as compensated once that is verified (L8, L9)", () => {
    const { action, bench, decision } = mismatched()
    assert.strictEqual(decision.next._tag, "Compensate")
    reverses(bench, compensates(bench))
    assert.strictEqual(historyOf(bench, action).undo, "undone")
    ends(compensates(bench), "Failed")
    assert.isUndefined(OpenActions.of(bench.state)[action])
    assert.deepInclude(historyOf(bench, action), { state: "compensated", undo: "undone", refused: [] })
    const settlement = bench.transitions.findLast(({ body }) => body.type === "action.reconciled")
    // Its target is free again, by name: nothing else of it is open any more (L7).
    assert.deepInclude(settlement?.body, { action: { id: action, target: "seat/LX1" }, author: "kernel" })
    // It was never believed, so its reversal takes nothing back.
    assert.strictEqual(bench.state.world["spent"], 0)
  })

  it("may be tried again under a new key once it was undone, and not before (decision 0035)", () => {
    const { bench } = mismatched()
    const first = bench.transitions.find(({ stamp }) => stamp.key !== undefined)?.stamp.key
    assert.deepStrictEqual(failing(bench.proposes(bookOf("LX1"))), ["policy undoing"])
    reverses(bench, compensates(bench))
    compensates(bench)
    assert.notStrictEqual(call(bench.proposes(bookOf("LX1"))).key, first)
  })

  it("passes the target that its original still holds (decision 0003)", () => {
    const bench = benchOf({
      tools: { ...changes.tools!, unbook: { ...changes.tools!["unbook"]!, target: "'seat/LX1'" } }
    })
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, ok({ id: "LX1" }))
    bench.now += 4_000
    bench.readsBack(action, ok({ id: "LX1", price: 90 }))
    asks(compensates(bench), "ReadBefore")
    assert.isUndefined(bench.last.body.action?.target)
  })
})

describe("a reversal", () => {
  it("is not sent if its own record shows it already, and counts as verified (L5)", () => {
    const { action, bench } = mismatched()
    const reversal = asks(compensates(bench), "ReadBefore").action
    const before = bench.does({ _tag: "ReadBefore", action: reversal, evidence: ok(cancelled) })
    assert.strictEqual(before.next._tag, "Compensate")
    ends(compensates(bench), "Failed")
    assert.strictEqual(historyOf(bench, action).state, "compensated")
    assert.isFalse(bench.transitions.some(({ body }) => body.type === "action.result" && body.action?.id === reversal))
  })

  it("is sent if its own record does not show it: that says nothing about the act that it undoes (L5)", () => {
    const { action, bench } = mismatched()
    const reversal = asks(compensates(bench), "ReadBefore").action
    call(bench.does({ _tag: "ReadBefore", action: reversal, evidence: { _tag: "NotFound" } }))
    bench.answers(reversal, ok({}))
    bench.now += 10_000
    // Once sent, that nothing shows is no success of it either.
    bench.readsBack(reversal, { _tag: "NotFound" })
    assert.notStrictEqual(historyOf(bench, action).undo, "undone")
    assert.notStrictEqual(historyOf(bench, reversal).state, "reconciled_success")
  })

  it("is deferred if no source can answer, and is not sent before its act was asked about again (row 18)", () => {
    const { bench } = mismatched()
    const { action } = asks(compensates(bench), "ReadBefore")
    const cut = { _tag: "Unknown", reason: "cut" } as const
    assert.strictEqual(bench.does({ _tag: "ReadBefore", action, evidence: cut }).next._tag, "Wait")
    assert.strictEqual(bench.last.body.data?.["decision"], "defer")
    bench.now += 5_000
    asks(bench.looks(bench.does({ _tag: "Recover", action })), "ReadBefore")
    ends(bench.does({ _tag: "ReadBefore", action, evidence: cut }), "Held")
    asks(bench.looks(bench.does({ _tag: "Recover", action })), "ReadBefore")
    call(bench.does({ _tag: "ReadBefore", action, evidence: ok(standing) }))
    assert.strictEqual(OpenActions.of(bench.state)[action]?.attempts, 1)
  })

  it("is sent once it can be read, whatever its tool says of keys: a deferred attempt was never sent", () => {
    const { idempotency: _, times: __, status: ___, ...keyless } = changes.tools!["unbook"]!
    const bench = benchOf({ tools: { ...changes.tools!, unbook: keyless as typeof unbook } })
    bench.books("LX1")
    bench.answers(pays(bench), declined)
    const { action } = asks(compensates(bench), "ReadBefore")
    const cut = { _tag: "Unknown", reason: "cut" } as const
    bench.does({ _tag: "ReadBefore", action, evidence: cut })
    // Its time is over: it is held for its true cause, and each resume reads again.
    bench.now += 60_000
    asks(bench.looks(bench.does({ _tag: "Recover", action })), "ReadBefore")
    assert.include(told(ends(bench.does({ _tag: "ReadBefore", action, evidence: cut }), "Held")), "before.unread")
    asks(bench.looks(bench.does({ _tag: "Recover", action })), "ReadBefore")
    call(bench.does({ _tag: "ReadBefore", action, evidence: ok(standing) }))
    assert.strictEqual(OpenActions.of(bench.state)[action]?.attempts, 1)
  })

  it("stops the plan if it is refused for good: a person is asked, and nothing is tried again (L9)", () => {
    const { action, bench } = mismatched()
    const reversal = asks(compensates(bench), "ReadBefore").action
    bench.does({ _tag: "ReadBefore", action: reversal, evidence: ok(standing) })
    assert.strictEqual(bench.answers(reversal, { _tag: "Error", error: "too late" }).next._tag, "Compensate")
    const held = ends(compensates(bench), "Held")
    assert.deepInclude(held.why, { code: "plan.stopped" })
    assert.deepStrictEqual(bench.types(bench.at.head.tick - 2), ["recovery.decided", "review.requested"])
    assert.deepInclude(historyOf(bench, action), {
      decision: "open_incident",
      state: "review_required",
      undo: "undo_failed",
      refused: []
    })
    assert.isDefined(historyOf(bench, action).incident)
    for (const command of [{ _tag: "Compensate" }, { _tag: "Recover", action }] as const) {
      assert.deepStrictEqual(bench.does(command).drafts, [])
      assert.strictEqual(outcome(bench.decides(command))._tag, "Held")
    }
  })

  it("stops the plan if it does not show, too, and its own action stays open", () => {
    const { action, bench } = mismatched()
    const reversal = asks(compensates(bench), "ReadBefore").action
    bench.does({ _tag: "ReadBefore", action: reversal, evidence: ok(standing) })
    bench.answers(reversal, ok({}))
    bench.now += 4_000
    ends(bench.readsBack(reversal, ok(standing)), "Held")
    assert.strictEqual(UndoPlan.open(bench.state)?.status, "stopped")
    assert.isDefined(OpenActions.of(bench.state)[reversal])
    assert.strictEqual(historyOf(bench, action).undo, "undo_failed")
  })

  it("needs the approval that its tool needs, and goes on with it", () => {
    const bench = benchOf({ approvals: { unbook: { by: ["manager"] } } })
    bench.books("LX1")
    bench.answers(pays(bench), declined)
    const { review } = ends(compensates(bench), "Parked")
    bench.proposes({
      author: "user",
      data: { by: "Ada", review, role: "manager", verdict: "approved" },
      type: "review.decided"
    })
    asks(compensates(bench), "ReadBefore")
  })
})

describe("a wish to undo", () => {
  it("is admitted for acts that stand, done in reverse order, and answered with the undone ones", () => {
    const bench = benchOf()
    bench.books("LX1")
    bench.books("LX2")
    const actions = [...SettledActions.of(bench.state).keys()].sort()
    const wanted = { actions, because: wish("the user changed their mind"), cause: "revision" } as const
    assert.strictEqual(bench.does({ _tag: "Undo", wanted }).next._tag, "Compensate")
    assert.include(told(ends(bench.does({ _tag: "Undo", wanted }), "Refused")), "undo.plan_open")
    reverses(bench, compensates(bench))
    reverses(bench, compensates(bench))
    const done = ends(compensates(bench), "Done")
    assert.deepInclude(done.output, { undone: [...actions].reverse() })
    assert.deepInclude(ends(bench.does({ _tag: "Undo", wanted }), "Done").output, { undone: [] })
  })
})

describe("late answers to other processes about an action that is being undone", () => {
  const wrong = ok({ ...standing, price: 90 })

  /** A booking at another price, whose reversal has begun. */
  const reversing = () => {
    const bench = benchOf()
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, ok({ id: "LX1" }))
    bench.now += 5000
    assert.strictEqual(bench.readsBack(action, wrong).next._tag, "Compensate")
    return { action, bench, reversal: compensates(bench) }
  }

  it("settles nothing: no success and no freeze by a read from before, and nothing is sent again (L7, L8)", () => {
    for (const late of [
      (bench: Bench, action: string) => bench.readsBack(action, ok(standing)),
      (bench: Bench, action: string) => bench.readsBack(action, ok({ ...standing, id: "another" })),
      (bench: Bench, action: string) => bench.readsBack(action, { _tag: "Unknown", reason: "silence" }),
      (bench: Bench, action: string) => bench.answers(action, { _tag: "NotFound" }, "status"),
      (bench: Bench, action: string) => bench.answers(action, ok({ id: "LX1" }))
    ]) {
      const { action, bench, reversal } = reversing()
      const before = bench.transitions.length
      assert.strictEqual(late(bench, action).next._tag, "Compensate")
      assert.strictEqual(bench.transitions.length, before)
      reverses(bench, reversal)
      ends(compensates(bench), "Failed")
      assert.deepInclude(historyOf(bench, action), { state: "compensated", refused: [] })
      assert.strictEqual(bench.state.world["spent"], 0)
    }
  })

  it("is shown on the page of the reversal, too, if it stops: its entry names the decision", () => {
    const { bench, reversal } = reversing()
    const { action: undoing } = asks(reversal, "ReadBefore")
    bench.answers(call(bench.does({ _tag: "ReadBefore", action: undoing, evidence: ok(standing) })).action, ok({}))
    bench.now += 5000
    ends(bench.readsBack(undoing, ok(standing)), "Held")
    const stopped = historyOf(bench, undoing)
    assert.deepInclude(stopped, { decision: "open_incident", discrepancy: "no_op_failure" })
    assert.strictEqual(Reporting.report(stopped).standing, "review_required")
  })

  it("sends no reversal if the record belongs to another author, and asks a person (HS-12)", () => {
    const { bench, reversal } = reversing()
    const { action: undoing } = asks(reversal, "ReadBefore")
    const other = ok({ ...cancelled, id: "LX9" })
    ends(bench.does({ _tag: "ReadBefore", action: undoing, evidence: other }), "Held")
    assert.strictEqual(UndoPlan.open(bench.state)?.status, "stopped")
  })

  it("stops a plan once: later news that the reversal acted waits for a person", () => {
    const { action, bench, reversal } = reversing()
    const { action: undoing } = asks(reversal, "ReadBefore")
    bench.answers(call(bench.does({ _tag: "ReadBefore", action: undoing, evidence: ok(standing) })).action, ok({}))
    bench.now += 5000
    ends(bench.readsBack(undoing, ok(standing)), "Held")
    const before = bench.transitions.length
    assert.strictEqual(ends(bench.readsBack(undoing, ok(standing)), "Held").action, action)
    assert.strictEqual(bench.transitions.length, before)
  })
})

describe("a reversal that times out, however often it is sent", () => {
  /** A booking at another price, whose reversal nobody answers and nobody has heard of. */
  const stuck = () => {
    const bench = benchOf({ tools: { ...changes.tools!, unbook: { ...changes.tools!["unbook"]!, status: "by_key" } } })
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, ok({ id: "LX1" }))
    bench.now += 5000
    bench.readsBack(action, ok({ ...standing, price: 90 }))
    let decision = compensates(bench)
    const { action: undoing } = asks(decision, "ReadBefore")
    for (let sent = 0; decision.next._tag === "ReadBefore"; sent++) {
      assert.isTrue(sent < 20)
      call(bench.does({ _tag: "ReadBefore", action: undoing, evidence: ok(standing) }))
      bench.answers(undoing, { _tag: "Unknown", reason: "silence" })
      bench.now += 60_000
      decision = bench.looks(bench.answers(undoing, { _tag: "NotFound" }, "status"))
    }
    ends(decision, "Held")
    return { action, bench, undoing }
  }
  const decides = (bench: Bench, action: string, as: string) =>
    bench.proposes({ author: "user", data: { action, as, by: "Ada", evidence: "phoned" }, type: "review.decided" })

  it("is decided by a person, and no run is stuck behind it (L9)", () => {
    for (const named of ["action", "undoing"] as const) {
      const { bench, ...ids } = stuck()
      ends(decides(bench, ids[named], "success"), "Done")
      assert.strictEqual(compensates(bench).next._tag, "Compensate")
      ends(compensates(bench), "Failed")
      assert.isUndefined(UndoPlan.open(bench.state))
      assert.deepStrictEqual(undone(bench), [ids.action])
      assert.deepInclude(historyOf(bench, ids.action), { state: "compensated", undo: "attested", refused: [] })
      assert.deepInclude(historyOf(bench, ids.undoing), { state: "reconciled_success", trust: 1, refused: [] })
    }
  })

  it("is given up, or its act stands: neither is a success", () => {
    for (const as of ["failure", "abandoned"]) {
      const { action, bench, undoing } = stuck()
      ends(decides(bench, undoing, as), "Done")
      assert.deepStrictEqual(Object.keys(OpenActions.of(bench.state)), [])
      assert.isUndefined(UndoPlan.open(bench.state))
      assert.deepInclude(historyOf(bench, action), { refused: [] })
      assert.notStrictEqual(Reporting.report(historyOf(bench, action)).standing, "success")
    }
  })

  it("is asked about again if a person reopens it, under the key that it had", () => {
    const { action, bench, undoing } = stuck()
    ends(decides(bench, undoing, "reopened"), "Done")
    asks(bench.does({ _tag: "Recover", action: undoing }), "Ask")
    bench.answers(undoing, ok(cancelled), "status")
    bench.readsBack(undoing, ok(cancelled))
    ends(compensates(bench), "Failed")
    assert.deepInclude(historyOf(bench, action), { state: "compensated", refused: [] })
  })
})
