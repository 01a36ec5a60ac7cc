import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as RecordedReplay from "../../release/src/RecordedReplay.ts"
import * as Agent from "../src/agent/Agent.ts"
import type * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Ledger from "../src/projections/Ledger.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Explanation from "../src/reporting/Explanation.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

const times = { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" } as const
const keyed = { class: "high_risk_external", idempotency: "idempotent_write", status: "by_key", times } as const

const definition = {
  pack: "acme.seats",
  version: "1.0.0",
  state: { world: { seats: "int" }, working: {} },
  tools: {
    book: {
      ...keyed,
      input: { seat: "string" },
      target: "'seat/' + args.seat",
      identity: { scope: "goal", fields: [{ seat: "code" }] },
      readback: { source: "desk", expect: ["actual.status == 'booked'"], within: "2s" },
      undo: { class: "K", by: "cancel", with: { seat: "args.seat" } },
      on_reconciled: [{ add: { field: "world.seats", value: "1" } }]
    },
    cancel: {
      ...keyed,
      input: { seat: "string" },
      target: "'seat/' + args.seat",
      identity: { scope: "goal", fields: [{ seat: "code" }] },
      readback: { source: "desk", expect: ["actual.status == 'cancelled'"], within: "2s" },
      undo: "X",
      keeps: { amount: "actual.fee", currency: "CHF", decimal: 2 },
      on_reconciled: [{ add: { field: "world.seats", value: "0 - 1" } }]
    },
    pay: {
      ...keyed,
      input: { amount: "int" },
      target: "'card'",
      identity: { scope: "goal", fields: [{ amount: "integer" }] },
      undo: "X"
    }
  },
  skeletons: { trip: { tools: ["book", "pay"], aborts: ["pay"] } }
} as const

const pack = Result.getOrThrow(TaskPack.make(definition))

/** A desk with its own book: what is done under a key is done once, and every effect is counted in order. */
class Desk {
  readonly seats = new Map<string, string>()
  readonly done = new Map<string, JsonObject>()
  readonly effects: Array<string> = []
  /** The fee of a cancellation, where the desk shows it, and the seat that it does not take back. */
  fee: number | undefined
  final: string | undefined
  /** A cancellation has a record of its own, which is not there before. */
  isApart = false
  /** A seat that somebody else has taken out of the book, or that cannot be read, once the card was declined. */
  gone: string | undefined
  unread: string | undefined
  isDeclined = false

  get tools(): ToolExecutor.Tools {
    const does = (verb: string, status: string): ToolExecutor.Tool => ({
      execute: ({ seat }: { readonly seat: string }, { key = "" }) => {
        const known = this.done.get(key)
        if (known !== undefined) return known
        if (verb === "cancel" && seat === this.final) throw new ToolExecutor.ToolRefused("too late")
        this.seats.set(seat, status)
        this.effects.push(`${verb} ${seat}`)
        this.done.set(key, { seat, status })
        return { seat, status }
      },
      status: async ({ key = "" }) => this.done.get(key),
      readback: async (_, { seat }: { readonly seat: string }) => {
        if (this.isDeclined && seat === this.unread) throw new Error("the book is closed")
        if (this.isDeclined && seat === this.gone) return undefined
        const status = this.seats.get(seat)
        if (verb === "cancel" && this.isApart && status !== "cancelled") return undefined
        const fee = status === "cancelled" && this.fee !== undefined ? { fee: this.fee } : {}
        return status === undefined ? undefined : { seat, status, ...fee }
      }
    })
    return {
      book: does("book", "booked"),
      cancel: does("cancel", "cancelled"),
      pay: {
        execute: () => {
          this.isDeclined = true
          throw new ToolExecutor.ToolRefused("declined")
        },
        status: async () => {
          throw new ToolExecutor.ToolRefused("declined")
        }
      }
    }
  }
}

const steps: ReadonlyArray<Planner.ScriptStep> = [
  { id: "one", propose: { tool: "book", params: { seat: "1A" } } },
  { id: "two", propose: { tool: "book", params: { seat: "2B" } } },
  { id: "pay", propose: { tool: "pay", params: { amount: 10 } } }
]

const work = Effect.gen(function* () {
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
  return yield* Agent.run(handle)
})

const processOf = (store: Parameters<typeof lab.process>[0], desk: Desk) =>
  lab.process(store, { executor: ToolExecutor.fromTools(desk.tools), steps })

const looks = Effect.gen(function* () {
  const { divergences, state } = yield* StrictReplay.of(lab.trip)
  const report = yield* Report.of(lab.trip)
  const { differs } = yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })
  const open = Object.keys(OpenActions.of(state))
  const plan = UndoPlan.open(state)
  const undone = [...SettledActions.of(state).values()].map(({ undo }) => undo)
  const trace = yield* lab.transitions()
  return { divergences, differs, open, plan, report, seats: state.world["seats"], undone, trace }
})

const whole = ["book 1A", "book 2B", "cancel 2B", "cancel 1A"]

describe("a run that is undone", () => {
  it.effect("gives everything back in reverse order, and every decision is decided again as it was (L12)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const desk = new Desk()
      const process = processOf(store, desk)
      assert.strictEqual((yield* lab.elapsing(lab.as(process)(work)))?._tag, "Failed")
      const { trace: _, ...found } = yield* lab.as(process)(looks)
      assert.deepStrictEqual(desk.effects, whole)
      assert.deepStrictEqual([found.divergences, found.differs, found.open, found.plan], [[], [], [], undefined])
      assert.deepStrictEqual([found.seats, found.undone], [0, ["undone", "undone"]])
      assert.notStrictEqual(found.report.standing, "success")
      assert.lengthOf(found.report.residue, 2)
      for (const each of found.report.residue) {
        assert.match(each, /^book \(a\d+\) was undone by cancel \(a\d+\), .*not all of its consequences\.$/)
      }
      const declined = JSON.stringify({ code: "card_declined", message: "Use another card" })
      const error = { because: `pay (a12) failed: ${declined}`, residue: ["a2"], undone: ["a7", "a2"] }
      const receipt = yield* lab.as(process)(Receipt.make(lab.trip, { _tag: "Failed", tick: 1, error }))
      assert.strictEqual(
        receipt.why,
        "pay (a12) failed: code card_declined; message Use another card; a7, a2 undone; something of a2 remains"
      )
      const entries = yield* lab.as(process)(Ledger.of(lab.trip))
      assert.deepStrictEqual(
        entries.map(({ reconciliation, recovery }) => [reconciliation.status, recovery.compensation_action_id]),
        [
          ["COMPENSATED", entries[4]?.action_id],
          ["COMPENSATED", entries[3]?.action_id],
          ["RECONCILED_FAILURE", null],
          ["RECONCILED_SUCCESS", null],
          ["RECONCILED_SUCCESS", null]
        ]
      )
      assert.deepStrictEqual(entries.flatMap(ActionLedgerEntry.missing), [])
    })
  )

  it.effect("is reported with the money that the reversal kept, if its contract says so", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      desk.fee = 9800
      const process = processOf(yield* lab.shared, desk)
      yield* lab.elapsing(lab.as(process)(work))
      const { differs, report } = yield* lab.as(process)(looks)
      assert.lengthOf(report.residue, 2)
      for (const each of report.residue) {
        assert.match(each, /^book \(a\d+\) was undone by cancel \(a\d+\), which kept CHF 98\.00\.$/)
      }
      assert.deepStrictEqual(differs, [])
    })
  )

  it.effect("ends if a person gives it up, and is reported as undone in part, with the remaining acts", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      desk.final = "1A"
      const process = processOf(yield* lab.shared, desk)
      assert.strictEqual((yield* lab.elapsing(lab.as(process)(work)))?._tag, "Held")
      const stopped = yield* lab.as(process)(looks)
      assert.strictEqual(stopped.report.standing, "review_required")
      const action = stopped.plan?.failed ?? ""
      const resolve = Effect.gen(function* () {
        const handle = yield* (yield* Coordinator.Coordinator).reopen(lab.trip)
        const data = { action, as: "abandoned", by: "Ada", evidence: "the seat is lost" }
        return yield* handle.propose({ type: "review.decided", author: "user", data })
      })
      assert.strictEqual((yield* lab.elapsing(lab.as(process)(resolve)))._tag, "Done")
      const { differs, plan, report } = yield* lab.as(process)(looks)
      assert.deepStrictEqual([plan, report.held, differs], [undefined, [], []])
      assert.strictEqual(report.standing, "partial")
      assert.deepInclude(
        report.actions.find((each) => each.action === action),
        { standing: "partial" }
      )
      const told = report.residue.join("\n")
      assert.match(
        told,
        /was to be undone by cancel \(a\d+\) and was not, so what it did may remain\. Ada gave that up/
      )
      const entries = yield* lab.as(process)(Ledger.of(lab.trip))
      const entry = entries.find((each) => each.action_id === action)
      assert.strictEqual(entry?.reconciliation.status, "RECONCILED_PARTIAL")
      // Whoever asks for the act again is told neither that it stands nor that there is nothing to undo (L8).
      const effects = [...desk.effects]
      const [again, undone] = yield* lab.as(process)(
        Effect.gen(function* () {
          const handle = yield* (yield* Coordinator.Coordinator).reopen(lab.trip)
          return [
            yield* handle.propose({ tool: "book", params: { seat: "1A" } }),
            yield* handle.undo({ actions: [action], because: "once more", cause: "revision" })
          ] as const
        })
      )
      assert.match(
        again._tag === "Failed" ? String(again.error) : again._tag,
        /^to be undone by a\d+, which was given up/
      )
      assert.strictEqual(undone._tag, "Refused")
      assert.deepStrictEqual(desk.effects, effects)
    })
  )

  it.effect("reports a missing record as absent, undoes the rest, and says so again from the record (L5, L8)", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      desk.gone = "2B"
      const process = processOf(yield* lab.shared, desk)
      assert.strictEqual((yield* lab.elapsing(lab.as(process)(work)))?._tag, "Failed")
      assert.deepStrictEqual(desk.effects, ["book 1A", "book 2B", "cancel 1A"])
      const { differs, report, trace, undone } = yield* lab.as(process)(looks)
      assert.deepStrictEqual([differs, undone.sort()], [[], ["absent", "undone"]])
      const standings = report.actions.map(({ standing, tool }) => `${tool} ${standing}`)
      assert.includeMembers(standings, ["book absent", "book compensated"])
      const executor = RecordedReplay.executor(RecordedReplay.of(trace))
      const { action } = trace.find(({ body }) => body.data?.["absent"] === true)!.body
      const request = { action: action!.id, tool: "book", params: { seat: "2B" }, key: undefined, deadlineMillis: 1 }
      assert.deepInclude(yield* executor.readback(request), { _tag: "Ok" })
      assert.deepStrictEqual(yield* executor.readback({ ...request, again: true }), { _tag: "NotFound" })
    })
  )

  it.effect("is held, and reported as held, as long as it is unknown whether there is anything to undo (L5)", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      desk.unread = "2B"
      const process = processOf(yield* lab.shared, desk)
      assert.strictEqual((yield* lab.elapsing(lab.as(process)(work)))?._tag, "Held")
      const { differs, plan, report } = yield* lab.as(process)(looks)
      assert.deepStrictEqual([differs, desk.effects], [[], ["book 1A", "book 2B"]])
      const [held] = report.held
      assert.deepStrictEqual([held?.action, held?.tool], [plan?.steps[0]?.undoes, "book"])
      assert.deepInclude(held?.next, { verb: "resume" })
      desk.unread = undefined
      assert.strictEqual((yield* lab.elapsing(lab.as(process)(work)))?._tag, "Failed")
      assert.deepStrictEqual(desk.effects, whole)
    })
  )

  it.effect.each([false, true])(
    "undoes each step once, wherever it dies, with records apart: %s (L5, L14)",
    (isApart) =>
      Effect.gen(function* () {
        let places = 0
        for (let n = 1; ; n++) {
          const store = yield* lab.shared
          const desk = new Desk()
          desk.isApart = isApart
          const process = processOf(store, desk)
          const dying = lab.atPlace(n, () => Effect.die("killed"))(lab.as(process)(work))
          const first = yield* Effect.exit(lab.elapsing(dying))
          if (Exit.isSuccess(first)) break
          places = n
          const last = yield* lab.elapsing(lab.as(process)(work))
          const found = yield* lab.as(process)(looks)
          assert.strictEqual(last?._tag, "Failed", `place ${n}`)
          assert.deepStrictEqual(desk.effects, whole, `place ${n}`)
          assert.deepStrictEqual(
            [found.divergences, found.differs, found.open, found.seats],
            [[], [], [], 0],
            `place ${n}`
          )
          assert.deepStrictEqual(found.undone, ["undone", "undone"], `place ${n}`)
        }
        assert.isAbove(places, 40)
      })
  )

  it.effect("is not booked again by another run of the goal before a user or a plan asks for it (decision 0035)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const desk = new Desk()
      const process = processOf(store, desk)
      yield* lab.elapsing(lab.as(process)(work))
      const other = Effect.gen(function* () {
        const coordinator = yield* Coordinator.Coordinator
        const handle = yield* coordinator.open(Run.make("other"), { pack, goal: "goal" })
        const booking = { tool: "book", params: { seat: "1A" } }
        const refused = yield* handle.propose(booking)
        assert.deepStrictEqual(desk.effects, whole)
        const transitions = yield* lab.transitions(handle.run)
        const last = transitions.at(-1)!
        const explained = yield* Explanation.explain(handle.run, last.tick)
        assert.deepStrictEqual(explained.next, [{ again: last.tick, run: "other", verb: "resume" }])
        const asked = yield* handle.propose({ ...booking, occurrence: 2, occurrenceBy: "user" })
        return { refused, last, asked }
      })
      const { asked, last, refused } = yield* lab.elapsing(lab.as(process)(other))
      assert.strictEqual(refused._tag, "Refused")
      const { trace } = yield* lab.as(process)(looks)
      const did = trace.find(({ body }) => body.type === "action.started")
      const [check] = (last.body.data?.["checks"] ?? []) as ReadonlyArray<JsonObject>
      const { code, args } = (check?.["why"] ?? {}) as JsonObject
      assert.deepStrictEqual([check?.["step"], code], ["key", "act.reversed"])
      assert.deepInclude(args, { action: did?.body.action?.id, run: "trip" })
      assert.isUndefined(last.body.data?.["reason"])
      assert.deepInclude(asked, { _tag: "Done", basis: "readback" })
      assert.deepStrictEqual(desk.effects, [...whole, "book 1A"])
    })
  )

  it.effect("is undone again from its record alone, without a call (mode recorded)", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = processOf(yield* lab.shared, desk)
      yield* lab.elapsing(lab.as(process)(work))
      const { trace } = yield* lab.as(process)(looks)
      const again = lab.process(yield* lab.shared, {
        executor: RecordedReplay.executor(RecordedReplay.of(trace)),
        steps
      })
      yield* lab.elapsing(lab.as(again)(work))
      const replayed = yield* lab.as(again)(looks)
      assert.deepStrictEqual(
        replayed.trace.map(({ body }) => body),
        trace.map(({ body }) => body)
      )
    })
  )

  it.effect("is undone on request, as a revision asks for it, and only as far as it stands", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools(desk.tools) })
      const revised = Effect.gen(function* () {
        const coordinator = yield* Coordinator.Coordinator
        const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
        for (const seat of ["1A", "2B", "3C"]) yield* handle.propose({ tool: "book", params: { seat } })
        const { state } = yield* handle.position
        const [one = "", , three = ""] = SettledActions.inOrder(state).map(([id]) => id)
        // Somebody was faster at the desk: there is nothing left to undo of it.
        desk.seats.set("3C", "cancelled")
        const wanted = { actions: [one, three], because: "the user changed their mind", cause: "revision" } as const
        const done = yield* handle.undo(wanted)
        const again = yield* handle.propose({ tool: "book", params: { seat: "1A" } })
        return { done, again, order: [three, one] }
      })
      const { again, done, order } = yield* lab.elapsing(lab.as(process)(revised))
      assert.strictEqual(done._tag, "Done")
      if (done._tag === "Done") assert.deepInclude(done.output, { undone: order })
      assert.deepStrictEqual(desk.effects, ["book 1A", "book 2B", "book 3C", "cancel 1A", "book 1A"])
      assert.strictEqual(again._tag, "Done")
      const { differs, divergences } = yield* lab.as(process)(looks)
      assert.deepStrictEqual([differs, divergences], [[], []])
    })
  )

  it.effect("is not undone once the time for its undo is over (decision 0056)", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const { book } = definition.tools
      const tools = { ...definition.tools, book: { ...book, undo: { ...book.undo, within: "1h" } } }
      const timed = Result.getOrThrow(TaskPack.make({ ...definition, tools }))
      const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools(desk.tools) })
      const revised = Effect.gen(function* () {
        const coordinator = yield* Coordinator.Coordinator
        const handle = yield* coordinator.open(lab.trip, { pack: timed, goal: "goal" })
        const wanted = { because: "the user changed their mind", cause: "revision" } as const
        const after = Effect.fnUntraced(function* (seat: string, minutes: number) {
          const booked = yield* Clock.currentTimeMillis
          yield* handle.propose({ tool: "book", params: { seat } })
          const [last] = SettledActions.inOrder((yield* handle.position).state).findLast(
            ([, each]) => each.tool === "book"
          )!
          const { endsAt = 0 } = SettledActions.of((yield* handle.position).state).get(last)!
          yield* TestClock.adjust(`${minutes} minutes`)
          return [endsAt - booked, (yield* handle.undo({ ...wanted, actions: [last] }))._tag]
        })
        return [yield* after("1A", 59), yield* after("2B", 61)]
      })
      const hour = 3_600_000
      assert.deepStrictEqual(yield* lab.as(process)(revised), [
        [hour, "Done"],
        [hour, "Refused"]
      ])
      assert.deepStrictEqual(desk.effects, ["book 1A", "cancel 1A", "book 2B"])
      const { differs, divergences } = yield* lab.as(process)(looks)
      assert.deepStrictEqual([differs, divergences], [[], []])
    })
  )

  it.effect("leaves what is too late to undo to a person, once every other step of its plan is undone", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const { book } = definition.tools
      const tools = { ...definition.tools, book: { ...book, undo: { ...book.undo, within: "1h" } } }
      const timed = Result.getOrThrow(TaskPack.make({ ...definition, tools }))
      const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools(desk.tools) })
      const revised = Effect.gen(function* () {
        const coordinator = yield* Coordinator.Coordinator
        const handle = yield* coordinator.open(lab.trip, { pack: timed, goal: "goal" })
        yield* handle.propose({ tool: "book", params: { seat: "1A" } })
        yield* TestClock.adjust("40 minutes")
        yield* handle.propose({ tool: "book", params: { seat: "2B" } })
        yield* handle.propose({ tool: "book", params: { seat: "3C" } })
        yield* TestClock.adjust("30 minutes")
        const actions = SettledActions.inOrder((yield* handle.position).state).map(([action]) => action)
        const wanted = { actions, because: "the user changed their mind" } as const
        const rebased = yield* handle.undo({ ...wanted, cause: "rebase" })
        const stopped = yield* handle.undo({ ...wanted, cause: "revision" })
        const plan = UndoPlan.open((yield* handle.position).state)
        const data = { action: actions[0]!, as: "success", by: "Ada", evidence: "the airline cancelled it by phone" }
        yield* handle.propose({ author: "user", type: "review.decided", data })
        const [done] = yield* handle.resume
        return { rebased, stopped, plan, done, actions }
      })
      const { actions, done, plan, rebased, stopped } = yield* lab.elapsing(lab.as(process)(revised))
      const [first = "", ...later] = actions
      assert.deepStrictEqual(rebased._tag === "Refused" && rebased.checks.map(({ why }) => why?.code), [
        "undo.too_late"
      ])
      assert.strictEqual(stopped._tag, "Held")
      assert.deepInclude(plan, { done: later.reverse(), failed: first, stop: "too_late" })
      assert.strictEqual(done?._tag, "Done")
      assert.deepInclude(done?._tag === "Done" && done.output, { attested: [first], undone: actions.toReversed() })
      assert.deepStrictEqual(desk.effects, ["book 1A", "book 2B", "book 3C", "cancel 3C", "cancel 2B"])
      const { differs, divergences } = yield* lab.as(process)(looks)
      assert.deepStrictEqual([differs, divergences], [[], []])
    })
  )

  it.effect("loses nothing when two processes go on with it at once (L1, L14)", () =>
    Effect.gen(function* () {
      for (let n = 20; n < 50; n += 4) {
        const store = yield* lab.shared
        const desk = new Desk()
        const process = processOf(store, desk)
        yield* Effect.exit(lab.elapsing(lab.atPlace(n, () => Effect.die("killed"))(lab.as(process)(work))))
        const both = Effect.all([lab.as(process)(work), lab.as(process)(work)], { concurrency: "unbounded" })
        yield* lab.elapsing(both)
        yield* lab.elapsing(lab.as(process)(work))
        const found = yield* lab.as(process)(looks)
        assert.deepStrictEqual(desk.effects, whole, `place ${n}`)
        assert.deepStrictEqual([found.divergences, found.open, found.undone], [[], [], ["undone", "undone"]])
        const claims = yield* lab.as(process)(
          Effect.flatMap(TraceStore.TraceStore, (each) => each.claims(lab.trip.tenant, { namespace: "target" }))
        )
        assert.deepStrictEqual(claims, [])
      }
    })
  )
})
