import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import * as Canonical from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import type { Drafted } from "../src/decision/Decision.ts"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as Limits from "../src/Limits.ts"
import * as ResumePlan from "../src/ResumePlan.ts"
import * as Resolution from "../src/resolution/Resolution.ts"
import * as UndoStep from "../src/undo/UndoStep.ts"
import { asks, Bench, call, type Definition, definition, ends, failing, ok, told, wish } from "./lab.ts"

const external = {
  class: "high_risk_external",
  idempotency: "idempotent_write",
  input: { order: "string", amount: "int" },
  target: "'order/' + args.order",
  identity: { scope: "goal", fields: [{ order: "exact" }] },
  times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" },
  status: "by_key"
} as const

/** A charge, and its refund, which has a record of its own. */
const changes: Partial<Definition> = {
  tools: {
    ...definition.tools,
    charge: {
      ...external,
      readback: { source: "bank", expect: ["actual.status == 'captured'"], within: "2s" },
      undo: { class: "R", by: "giveBack", with: { order: "args.order", amount: "actual.amount" } },
      on_reconciled: [{ add: { field: "world.spent", value: "args.amount" } }]
    },
    giveBack: {
      ...external,
      readback: { source: "bank", expect: ["actual.status == 'succeeded'"], within: "2s" },
      undo: "X",
      on_reconciled: [{ add: { field: "world.spent", value: "0 - args.amount" } }]
    }
  }
}

const captured = { order: "o1", status: "captured", amount: 80 }
const succeeded = { order: "o1", status: "succeeded", amount: 80 }
const notFound: Evidence = { _tag: "NotFound" }
const cut: Evidence = { _tag: "Unknown", reason: "cut" }

/** A charge that was made, and that somebody wants back. */
const wanted = (more: Partial<Definition> = {}) => {
  const bench = new Bench({ changes: { ...changes, ...more } })
  const { action } = call(bench.proposes({ tool: "charge", params: { order: "o1", amount: 80 } }))
  bench.answers(action, ok({ ok: true }))
  ends(bench.readsBack(action, ok(captured)), "Done")
  bench.does({ _tag: "Undo", wanted: { actions: [action], because: wish("returned"), cause: "revision" } })
  return { action, bench }
}

/** Its refund, begun and about to be sent. */
const begun = (more: Partial<Definition> = {}) => {
  const { action, bench } = wanted(more)
  const { action: reversal, key } = asks(bench.compensates(), "ReadBefore")
  return { action, bench, key, reversal }
}

const before = (bench: Bench, action: string, evidence: Evidence = notFound): Drafted =>
  bench.does({ _tag: "ReadBefore", action, evidence })

/** Nobody answers, and the key is on no record once its times are over. */
const lost = (bench: Bench, reversal: string): Drafted => {
  bench.answers(reversal, cut)
  bench.now += 10_000
  return bench.answers(reversal, notFound, "status")
}

const resolves = (bench: Bench, action: string, as: string, more: object = {}): Drafted =>
  bench.proposes({
    author: "user",
    data: { action, as, by: "Ada", evidence: "the statement of the bank", ...more },
    type: "review.decided"
  })

const historyOf = (bench: Bench, action: string) => ActionHistories.of(bench.transitions, action)!
const standingOf = (bench: Bench, action: string) => Reporting.report(historyOf(bench, action)).standing
const undoOf = (bench: Bench, action: string) => SettledActions.of(bench.state).get(action)?.undo
const openOf = (bench: Bench, action: string) => OpenActions.of(bench.state)[action]
const reversals = (bench: Bench) => bench.transitions.filter(({ body }) => body.action?.undoes !== undefined)
const starts = (bench: Bench, action: string) =>
  bench.transitions.filter(({ body }) => body.type === "action.started" && body.action?.id === action).length

describe("an original that is not as it was when it was reconciled", () => {
  const altered: ReadonlyArray<readonly [string, object]> = [
    ["it does not meet its contract any more", { ...captured, status: "refunded" }],
    ["what would undo it is another call", { ...captured, amount: 30 }]
  ]
  for (const [what, record] of altered) {
    it(`is not undone by a call: the plan waits for a person (L5): ${what}`, () => {
      const { action, bench } = wanted()
      const { action: reversal } = asks(bench.compensates(ok(record as typeof captured)), "ReadBefore")
      assert.include(told(ends(before(bench, reversal), "Held")), "reversal.altered")
      assert.deepInclude(UndoPlan.open(bench.state), { failed: action, status: "stopped", stop: "altered" })
      assert.isFalse(ActionHistory.isExecuted(historyOf(bench, reversal)))
      assert.deepStrictEqual(bench.does({ _tag: "Compensate" }).drafts, [])
      assert.deepStrictEqual(bench.does({ _tag: "Recover", action: reversal }).drafts, [])
      assert.strictEqual(standingOf(bench, action), "review_required")
    })
  }

  it("is undone if the reversal's own record shows that (L5, L8)", () => {
    const { action, bench } = wanted()
    const { action: reversal } = asks(bench.compensates(ok({ ...captured, status: "refunded" })), "ReadBefore")
    assert.strictEqual(before(bench, reversal, ok(succeeded)).next._tag, "Compensate")
    ends(bench.compensates(), "Done")
    assert.strictEqual(undoOf(bench, action), "undone")
    assert.strictEqual(bench.state.world["spent"], 0)
  })

  it("is asked about again after an outage of the reversal's own record, and not sent meanwhile", () => {
    const { bench } = wanted()
    const { action: reversal } = asks(bench.compensates(ok({ ...captured, status: "refunded" })), "ReadBefore")
    before(bench, reversal, cut)
    bench.now += 10_000
    asks(bench.looks(bench.does({ _tag: "Recover", action: reversal })), "ReadBefore")
    call(before(bench, reversal))
  })

  describe("that was approved and begun, and never sent", () => {
    /** A refund that a manager has approved for ten minutes, and whose own record could not be read since. */
    const waiting = () => {
      const { action, bench } = wanted({ approvals: { giveBack: { by: ["manager"], expires: "10m" } } })
      const { review } = ends(bench.compensates(), "Parked")
      const decides = (verdict: "approved" | "denied") =>
        bench.proposes({
          author: "user",
          data: { by: "Mia", review, role: "manager", verdict },
          type: "review.decided"
        })
      decides("approved")
      const { action: reversal } = asks(bench.compensates(), "ReadBefore")
      before(bench, reversal, cut)
      return { action, bench, decides, reversal, review }
    }
    const resumed = (bench: Bench, reversal: string): Drafted =>
      bench.looks(bench.does({ _tag: "Recover", action: reversal }))

    it("is sent as long as its approval has not expired", () => {
      const { bench, reversal } = waiting()
      bench.now += 599_000
      asks(resumed(bench, reversal), "ReadBefore")
      call(before(bench, reversal))
    })

    it("is asked for again once it has, and sent once that is granted, under the key that it had", () => {
      const { bench, decides, reversal, review } = waiting()
      const key = openOf(bench, reversal)?.key
      bench.now += 601_000
      const tick = bench.at.head.tick
      assert.strictEqual(ends(resumed(bench, reversal), "Parked").review, review)
      assert.include(bench.types(tick), "review.requested")
      assert.notInclude(bench.types(tick), "action.started")
      ends(resumed(bench, reversal), "Parked")
      decides("approved")
      asks(resumed(bench, reversal), "ReadBefore")
      assert.strictEqual(call(before(bench, reversal)).key, key)
      assert.deepStrictEqual(historyOf(bench, reversal).refused, [])
    })

    it("stops the plan if that is denied, and a person decides about it", () => {
      const { action, bench, decides, reversal } = waiting()
      bench.now += 601_000
      ends(resumed(bench, reversal), "Parked")
      decides("denied")
      ends(resumed(bench, reversal), "Held")
      assert.deepStrictEqual(Resolution.pending(bench.state), [action])
      assert.strictEqual(starts(bench, reversal), 1)
    })
  })

  it("is unchanged if its record differs only in fields that no contract reads, or in the run's present belief", () => {
    const expect = ["actual.status == 'captured'", "world.spent == 0"]
    const { charge, ...tools } = changes.tools!
    const reads = { ...charge!, readback: { source: "bank", expect, within: "2s" } } as typeof charge
    const { bench } = wanted({ tools: { ...tools, charge: reads! } })
    const { action } = asks(bench.compensates(ok({ ...captured, seen: 9 })), "ReadBefore")
    call(before(bench, action))
  })

  it("is compared by the record of its key if that settled it, and by no other record", () => {
    const { charge, ...tools } = changes.tools!
    const { readback: _, ...silent } = charge!
    const undo = { class: "R", by: "giveBack", with: { order: "args.order", amount: "args.amount" } } as const
    for (const [record, tag] of [
      [captured, "Call"],
      [{ ...captured, status: "refunded" }, "End"]
    ] as const) {
      const bench = new Bench({
        changes: { tools: { ...tools, charge: { ...silent, undo } as NonNullable<typeof charge> } }
      })
      const { action } = call(bench.proposes({ tool: "charge", params: { order: "o1", amount: 80 } }))
      bench.answers(action, ok({ ok: true }))
      ends(bench.answers(action, ok(captured), "status"), "Done")
      bench.does({ _tag: "Undo", wanted: { actions: [action], because: wish("returned"), cause: "revision" } })
      const reversal = asks(bench.compensates(ok(record)), "ReadBefore").action
      assert.strictEqual(before(bench, reversal).next._tag, tag)
    }
  })

  it("is undone all the same if a person says so, once, and by no other verdict (L9)", () => {
    const shown = ok({ ...captured, status: "settled" })
    for (const as of ["resent", "reopened"]) {
      const { action, bench } = wanted()
      const { action: reversal, key } = asks(bench.compensates(shown), "ReadBefore")
      before(bench, reversal)
      bench.now += 4_000
      ends(resolves(bench, action, as), "Done")
      const again = asks(bench.looks(bench.does({ _tag: "Recover", action: reversal }), shown), "ReadBefore")
      assert.strictEqual(again.key, key)
      const { next } = before(bench, reversal)
      assert.strictEqual(next._tag, as === "resent" ? "Call" : "End")
      if (as === "reopened") continue
      bench.answers(reversal, ok({}))
      bench.readsBack(reversal, ok(succeeded))
      ends(bench.compensates(), "Done")
      assert.deepStrictEqual([reversals(bench).length, undoOf(bench, action)], [1, "undone"])
      assert.deepStrictEqual(historyOf(bench, action).refused, [])
    }
  })
})

describe("a person's word that it is sent regardless", () => {
  it("holds for the facts that they have seen of the original, and for none that it shows since (L5)", () => {
    const { bench } = wanted()
    const { action: reversal } = asks(bench.compensates(ok({ ...captured, status: "settled" })), "ReadBefore")
    before(bench, reversal)
    bench.now += 4_000
    ends(resolves(bench, reversal, "resent"), "Done")
    const refunded = ok({ ...captured, status: "refunded" })
    asks(bench.looks(bench.does({ _tag: "Recover", action: reversal }), refunded), "ReadBefore")
    ends(before(bench, reversal), "Held")
    assert.strictEqual(UndoPlan.open(bench.state)?.stop, "altered")
  })
})

describe("a reversal that is sent again", () => {
  it("is preceded by the question about its original, each time (L5)", () => {
    const { bench, key, reversal } = begun()
    call(before(bench, reversal))
    for (let sends = 2; sends < 5; sends++) {
      const decision = lost(bench, reversal)
      assert.strictEqual(decision.next._tag, "ReadOriginal")
      assert.isTrue(UndoStep.isDue(openOf(bench, reversal)!))
      assert.strictEqual(starts(bench, reversal), sends - 1)
      assert.strictEqual(asks(bench.looks(decision), "ReadBefore").key, key)
      assert.isFalse(UndoStep.isDue(openOf(bench, reversal)!))
      call(before(bench, reversal))
    }
  })

  it("is preceded by it after a crash, and if its key cannot be asked about, too", () => {
    const { giveBack, ...tools } = changes.tools!
    const { status: _, ...deaf } = giveBack!
    const { bench, reversal } = begun({ tools: { ...tools, giveBack: deaf as NonNullable<typeof giveBack> } })
    call(before(bench, reversal))
    assert.strictEqual(bench.does({ _tag: "Recover", action: reversal }).next._tag, "ReadOriginal")
    const planned = ResumePlan.plan(bench.terms, bench.state).find(({ action }) => action === reversal)
    assert.deepInclude(planned, { recovery: "ask_then_resume", because: "due" })
  })

  it("is not sent if another author has undone it meanwhile, or if it is gone (L5)", () => {
    for (const shown of [ok({ ...captured, status: "refunded" }), notFound]) {
      const { action, bench, reversal } = begun()
      call(before(bench, reversal))
      asks(bench.looks(lost(bench, reversal), shown), "ReadBefore")
      ends(before(bench, reversal), "Held")
      assert.strictEqual(starts(bench, reversal), 1)
      assert.deepInclude(UndoPlan.open(bench.state), { at: reversal, failed: action, stop: "altered" })
    }
  })

  it("is settled if its own record shows it by then, without another sending (L14)", () => {
    const { action, bench, reversal } = begun()
    call(before(bench, reversal))
    asks(bench.looks(lost(bench, reversal), ok({ ...captured, status: "refunded" })), "ReadBefore")
    assert.strictEqual(before(bench, reversal, ok(succeeded)).next._tag, "Compensate")
    ends(bench.compensates(), "Done")
    assert.deepStrictEqual([undoOf(bench, action), starts(bench, reversal)], ["undone", 1])
  })

  it("is begun by one process alone: an earlier caller is answered by the reversal that was begun since (L14)", () => {
    const { bench, reversal } = begun()
    call(before(bench, reversal))
    const { next } = lost(bench, reversal)
    const late = structuredClone(next)
    asks(bench.looks({ drafts: [], content: {}, flush: "later", next }), "ReadBefore")
    ends(bench.looks({ drafts: [], content: {}, flush: "later", next: late }), "Held")
    assert.strictEqual(starts(bench, reversal), 2)
  })
})

describe("an outage", () => {
  it("uses up no attempt for a reversal that could not be sent, however long that lasts (rows 18 and 19)", () => {
    const { bench, reversal } = begun()
    call(before(bench, reversal))
    let decision = lost(bench, reversal)
    for (let tries = 0; tries < 3 * Limits.deciding.sendsMax; tries++) {
      const down = tries % 2 === 0
      const looked = bench.looks(decision, down ? cut : undefined)
      if (down) ends(looked, "Held")
      else ends(before(bench, asks(looked, "ReadBefore").action, cut), "Held")
      bench.now += 2_000
      decision = bench.does({ _tag: "Recover", action: reversal })
    }
    assert.strictEqual(openOf(bench, reversal)?.attempts, 1)
    asks(bench.looks(decision), "ReadBefore")
    call(before(bench, reversal))
  })

  /** Every send of a reversal is used up. */
  const usedUp = () => {
    const { action, bench, key, reversal } = begun()
    call(before(bench, reversal))
    let decision = lost(bench, reversal)
    let sends = 1
    for (; decision.next._tag === "ReadOriginal"; sends++) {
      asks(bench.looks(decision), "ReadBefore")
      call(before(bench, reversal))
      decision = lost(bench, reversal)
    }
    ends(decision, "Held")
    return { action, bench, key, reversal, sends }
  }

  it("is decided by a person; the decision to try again gives new attempts under the same key (L9)", () => {
    for (const as of ["reopened", "resent"]) {
      const { action, bench, key, reversal, sends } = usedUp()
      assert.strictEqual(sends, Limits.deciding.sendsMax)
      ends(resolves(bench, reversal, as), "Done")
      let decision: Drafted = bench.does({ _tag: "Recover", action: reversal })
      if (as === "reopened") decision = bench.answers(reversal, notFound, "status")
      for (let left = Limits.deciding.sendsMax; left > 0; left--) {
        assert.strictEqual(asks(bench.looks(decision), "ReadBefore").key, key)
        call(before(bench, reversal))
        decision = lost(bench, reversal)
      }
      ends(decision, "Held")
      assert.deepStrictEqual(historyOf(bench, action).refused, [])
      assert.deepStrictEqual(historyOf(bench, reversal).refused, [])
    }
  })

  it("gives an action that is no reversal new attempts in the same way", () => {
    const bench = new Bench({ changes })
    const { action } = call(bench.proposes({ tool: "charge", params: { order: "o1", amount: 80 } }))
    for (let sends = 1; sends < Limits.deciding.sendsMax; sends++) call(lost(bench, action))
    ends(lost(bench, action), "Held")
    ends(resolves(bench, action, "resent"), "Done")
    call(bench.does({ _tag: "Recover", action }))
    call(lost(bench, action))
  })

  it("is no leave to send under another key before the one that it had is forgotten", () => {
    const { bench, key, reversal } = usedUp()
    bench.now += 3_600_000
    ends(resolves(bench, reversal, "resent"), "Done")
    const again = asks(bench.looks(bench.does({ _tag: "Recover", action: reversal })), "ReadBefore")
    assert.notStrictEqual(again.key, key)
    assert.strictEqual(reversals(bench).length, 1)
  })
})

describe("a person who settles a reversal as a success", () => {
  /** A refund that nobody hears of, or that its record does not show. */
  const silent = (read: boolean) => {
    const { action, bench, reversal } = begun()
    call(before(bench, reversal))
    if (read) {
      bench.answers(reversal, ok({}))
      bench.now += 10_000
      ends(bench.readsBack(reversal, ok({ ...succeeded, status: "failed" })), "Held")
    } else ends(bench.answers(reversal, cut) && bench.answers(reversal, cut, "status"), "Held")
    return { action, bench, reversal }
  }

  for (const read of [false, true]) {
    it(`says that it is undone: nothing is sent any more, and it is told as their word (read: ${read}) (L8)`, () => {
      for (const named of ["action", "reversal"] as const) {
        const { bench, ...ids } = silent(read)
        ends(resolves(bench, ids[named], "success", read ? {} : { record: succeeded }), "Done")
        assert.isUndefined(openOf(bench, ids.reversal))
        assert.strictEqual(bench.compensates().next._tag, "Compensate")
        const { output } = ends(bench.compensates(), "Done")
        assert.deepInclude(output as object, { attested: [ids.action], undone: [ids.action] })
        assert.strictEqual(reversals(bench).length, 1)
        assert.strictEqual(starts(bench, ids.reversal), 1)
        assert.deepStrictEqual([undoOf(bench, ids.action), bench.state.world["spent"]], ["attested", 0])
        assert.strictEqual(standingOf(bench, ids.action), "compensation_attested")
        assert.strictEqual(standingOf(bench, ids.reversal), "attested")
        assert.deepStrictEqual([historyOf(bench, ids.action).refused, historyOf(bench, ids.reversal).refused], [[], []])
      }
    })
  }

  it("is asked for the record if a belief follows from it", () => {
    const { giveBack, ...tools } = changes.tools!
    const on_reconciled = [{ add: { field: "world.spent", value: "0 - actual.amount" } }]
    const { bench, reversal } = begun({ tools: { ...tools, giveBack: { ...giveBack!, on_reconciled } } })
    call(before(bench, reversal))
    bench.answers(reversal, cut)
    ends(bench.answers(reversal, cut, "status"), "Held")
    const { checks } = ends(resolves(bench, reversal, "success"), "Refused")
    assert.deepInclude(checks[0]?.why?.args, { way: "resume" })
    assert.include(failing(resolves(bench, reversal, "success", { record: captured })).join(), "approval")
    ends(resolves(bench, reversal, "success", { record: succeeded }), "Done")
    assert.strictEqual(bench.state.world["spent"], 0)
  })

  it("is believed although the original cannot be read, and is on record with its evidence", () => {
    for (const [shown, found] of [
      [cut, undefined],
      [ok({ ...captured, status: "refunded" }), true]
    ] as const) {
      const { action, bench, reversal } = silent(true)
      ends(resolves(bench, reversal, "success"), "Done")
      bench.compensates(shown)
      assert.deepInclude(bench.last.body.data, { attested: true })
      assert.strictEqual(Canonical.objectOf(bench.last.body.data?.["before"] ?? null)["found"], found)
      ends(bench.compensates(), "Done")
      assert.strictEqual(undoOf(bench, action), "attested")
    }
  })

  it("cannot name the undoing that it belongs to: the kernel derives the meaning of a decision", () => {
    const { action, bench, reversal } = silent(true)
    const forged = { plan: "u1", reopens: reversal, undo: "undoing", unwanted: true }
    ends(resolves(bench, reversal, "success", forged), "Done")
    const decided = bench.transitions.findLast(({ body }) => body.type === "review.decided")
    assert.deepInclude(decided?.body.data, { action, undo: "attested" })
    assert.notProperty(decided?.body.data, "reopens")
  })
})

describe("a reversal whose approval is denied", () => {
  const approvals = { giveBack: { by: ["manager"] } } as const
  const decides = (bench: Bench, review: string, verdict: string) =>
    bench.proposes({ author: "user", data: { by: "Mia", review, role: "manager", verdict }, type: "review.decided" })
  const denied = () => {
    const { action, bench } = wanted({ approvals })
    const { review } = ends(bench.compensates(), "Parked")
    decides(bench, review, "denied")
    const held = ends(bench.compensates(), "Held")
    return { action, bench, held, review }
  }

  it("is held and told so, once: nothing is proposed again by resuming (L9)", () => {
    const { action, bench, held } = denied()
    assert.include(told(held), "approval.denied")
    assert.deepStrictEqual(bench.types(bench.at.head.tick - 2), ["recovery.decided", "review.requested"])
    assert.deepStrictEqual(Resolution.pending(bench.state), [action])
    const { drafts } = bench.does({ _tag: "Compensate" })
    assert.deepStrictEqual(drafts, [])
    assert.isUndefined(historyOf(bench, action).incident)
    assert.deepStrictEqual(historyOf(bench, action).refused, [])
  })

  it("is ended by a person: the effect stands, the undoing is given up, or it is undone on their word", () => {
    for (const [as, undo] of [
      ["failure", "standing"],
      ["abandoned", "undo_abandoned"],
      ["success", "attested"]
    ] as const) {
      const { action, bench } = denied()
      ends(resolves(bench, action, as), "Done")
      if (as === "success") bench.compensates()
      // Of what was given up nobody is told that there is nothing to undo.
      if (as === "abandoned") assert.include(told(ends(bench.compensates(), "Refused")), "undo.given_up")
      else ends(bench.compensates(), "Done")
      assert.strictEqual(undoOf(bench, action), undo)
      assert.strictEqual(reversals(bench).length, 0)
      assert.deepStrictEqual(historyOf(bench, action).refused, [])
    }
  })

  it("is requested again once a person reopens it, and sent only after a permitted person approves it", () => {
    const { action, bench, review } = denied()
    assert.include(told(ends(decides(bench, review, "approved"), "Refused")), "decision.made")
    ends(resolves(bench, action, "reopened"), "Done")
    assert.strictEqual(ends(bench.compensates(), "Parked").review, review)
    assert.strictEqual(bench.last.body.type, "review.requested")
    assert.strictEqual(reversals(bench).length, 0)
    ends(decides(bench, review, "approved"), "Done")
    const { action: reversal } = asks(bench.compensates(), "ReadBefore")
    call(before(bench, reversal))
  })
})
