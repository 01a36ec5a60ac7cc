import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as Goal from "@backstitch/kernel/Goal"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Agent from "../src/agent/Agent.ts"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Revising from "../src/revisions/Revising.ts"
import * as RevisionDocuments from "../src/revisions/RevisionDocuments.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"
import { book, Desk, definition, hire, invite, look, opened, processOf, using } from "./party.ts"
import { looks, proposes } from "./slots.ts"

type Changes = ReadonlyArray<RevisedSpecification.RevisionChange>

const toBasel: Changes = [{ change: "set", clause: "city", value: "Basel" }]
const withoutMusic: Changes = [{ change: "withdraw", clause: "music" }]
const party = [look("Bern"), hire("Casino"), book("Trio")]

/** The band is not taken back, a person calls the undoing off, and the user revises the goal once more. */
const calledOff = Effect.fnUntraced(function* (kernel: Kernel.Kernel) {
  const desk = new Desk()
  const { unbook } = desk.tools
  const execute = () => {
    throw new ToolExecutor.ToolRefused("the band insists")
  }
  const executor = ToolExecutor.fromTools({ ...desk.tools, unbook: { ...unbook, execute } })
  const process = processOf(yield* lab.shared, desk, { executor, kernel })
  const reported = yield* using(
    process,
    Effect.fnUntraced(function* (handle) {
      yield* proposes(handle, ...party)
      yield* Revising.inject(handle, { changes: [...toBasel, ...withoutMusic] })
      yield* Effect.exit(Revising.absorb(handle))
      const band = UndoPlan.open((yield* handle.position).state)?.failed ?? ""
      const data = { action: band, as: "failure", by: "Ada", evidence: "the band insists" }
      yield* handle.propose({ author: "user", data, type: "review.decided" })
      const before = yield* Report.of(lab.trip)
      yield* Revising.inject(handle, { changes: [{ change: "set", clause: "city", value: "Chur" }] })
      yield* Revising.absorb(handle)
      return { after: yield* Report.of(lab.trip), before }
    })
  )
  const lostOf = ({ actions }: Report.Report) =>
    actions.flatMap(({ lost, tool }) => (lost === null ? [] : [[tool, lost]]))
  const { differs } = yield* lab.as(process)(looks)
  return { after: lostOf(reported.after), before: lostOf(reported.before), differs, effects: desk.effects }
})

describe("a run whose undoing a person has called off", () => {
  it.effect("is told as not fitting, and undoes at the next revision what is still in conflict", () =>
    Effect.gen(function* () {
      const { after, before, differs, effects } = yield* calledOff(Kernel.standard)
      assert.deepStrictEqual(before, [
        ["hire", ["city"]],
        ["book", ["music"]]
      ])
      assert.deepStrictEqual(effects, ["hire Casino", "book Trio", "cancel Casino"])
      assert.deepStrictEqual([after, differs], [[["book", ["music"]]], []])
    })
  )

  it.effect("left that alone by rules of the first version, and is told so", () =>
    Effect.gen(function* () {
      const { after, differs, effects } = yield* calledOff({ ...Kernel.standard, rules: { version: 1, changes: [] } })
      assert.deepStrictEqual(effects, ["hire Casino", "book Trio"])
      assert.deepStrictEqual(differs, [])
      assert.deepStrictEqual(after, [
        ["hire", ["city"]],
        ["book", ["music"]]
      ])
    })
  )
})

const child = Run.make("branch")

/** Forks a revised run from the tick at which the hall is being cancelled, after that is done. */
const forkedBehind = Effect.fnUntraced(function* (kernel: Kernel.Kernel, behindUndone?: true) {
  const process = processOf(yield* lab.shared, new Desk(), { kernel })
  return yield* using(
    process,
    Effect.fnUntraced(function* (handle) {
      yield* proposes(handle, ...party)
      yield* Revising.inject(handle, { changes: toBasel })
      yield* Revising.absorb(handle)
      const trace = yield* lab.transitions()
      const at = trace.findLast(({ body }) => body.type === "action.started")?.tick ?? 0
      yield* Forking.fork({ parent: lab.trip, at, child, ...(behindUndone === undefined ? {} : { behindUndone }) })
      const { differs } = yield* DecisionReplay.redecide(child, { secret: "secret" })
      return { differs, report: yield* Report.of(child) }
    })
  )
})

describe("a fork from the middle of an undoing", () => {
  it.effect("is told that the act was undone since, and begins behind it only if asked to", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(forkedBehind(Kernel.standard))
      assert.deepInclude(refused, { _tag: "ForkBehindUndone", acts: [{ action: "a4", isGone: true, tool: "hire" }] })
      const { differs, report } = yield* forkedBehind(Kernel.standard, true)
      const [hall] = report.actions
      assert.deepStrictEqual([hall?.tool, hall?.standing, differs], ["hire", "compensated", []])
    })
  )

  it.effect("began there by rules of the first version, which are kept for it", () =>
    Effect.gen(function* () {
      const { differs } = yield* forkedBehind({ ...Kernel.standard, rules: { version: 1, changes: [] } })
      assert.deepStrictEqual(differs, [])
    })
  )

  it.effect("leaves to its parent the act that is being undone, or whose undoing waits for a person", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const execute = () => Effect.runPromise(Effect.fail(new ToolExecutor.ToolRefused("the hall insists")))
      const executor = ToolExecutor.fromTools({ ...desk.tools, cancel: { ...desk.tools.cancel, execute } })
      yield* using(
        processOf(yield* lab.shared, desk, { executor }),
        Effect.fnUntraced(function* (handle) {
          yield* proposes(handle, ...party)
          yield* Revising.inject(handle, { changes: toBasel })
          yield* Effect.exit(Revising.absorb(handle))
          const trace = yield* lab.transitions()
          const begun = trace.findLast(({ body }) => body.type === "action.started")?.tick ?? 0
          for (const at of [begun, trace.length]) {
            const branch = Run.make(`branch-${at}`)
            yield* Forking.fork({ parent: lab.trip, at, child: branch, behindUndone: true })
            const { actions, held, residue, standing } = yield* Report.of(branch)
            assert.deepStrictEqual([standing, held], ["partial", []])
            assert.notInclude(
              actions.map(({ tool }) => tool),
              "hire"
            )
            assert.include(
              residue.join(),
              "hire (a4) was being undone when this run was forked: the report of run trip says what came of it."
            )
          }
        })
      )
    })
  )
})

describe("a run that is revised", () => {
  it.effect("takes in a second revision while the acts of the first are being undone", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = processOf(yield* lab.shared, desk)
      yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* proposes(handle, ...party)
          yield* Revising.inject(handle, { changes: toBasel })
          let isInjected = false
          const meanwhile = Effect.provideService(FaultPoint.FaultPoint, (place) => {
            if (place !== "effect/answered" || isInjected) return Effect.void
            isInjected = true
            return Effect.gen(function* () {
              yield* Effect.orDie(Revising.inject(handle, { changes: withoutMusic }))
              const blocked = yield* Effect.orDie(Revising.absorb(handle))
              assert.strictEqual(blocked?.outcome._tag, "Refused")
            })
          })
          assert.strictEqual((yield* meanwhile(Revising.absorb(handle)))?.outcome._tag, "Done")
          assert.strictEqual((yield* Revising.absorb(handle))?.outcome._tag, "Done")
        })
      )
      assert.deepStrictEqual(desk.effects.slice(2), ["cancel Casino", "unbook Trio"])
      const { differs, plan } = yield* lab.as(process)(looks)
      assert.deepStrictEqual([differs, plan], [[], undefined])
    })
  )

  it.effect("is absorbed once by two processes at a time, and undoes each act once", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const store = yield* lab.shared
      const process = processOf(store, desk)
      yield* lab.elapsing(lab.as(process)(Effect.flatMap(opened(), (handle) => proposes(handle, ...party))))
      const revises = (changes: Changes) =>
        lab.as(processOf(store, desk))(
          Effect.gen(function* () {
            const handle = yield* opened()
            yield* Revising.inject(handle, { changes })
            yield* handle.flush
            yield* Revising.absorb(handle)
          })
        )
      yield* lab.elapsing(Effect.all([revises(toBasel), revises(withoutMusic)], { concurrency: 2 }))
      yield* lab.elapsing(
        lab.as(processOf(store, desk))(
          Effect.gen(function* () {
            const handle = yield* opened()
            yield* handle.resume
            yield* Revising.absorb(handle)
            const { state } = yield* handle.position
            assert.deepStrictEqual([Goal.of(state).pending, UndoPlan.open(state)], [undefined, undefined])
          })
        )
      )
      assert.deepStrictEqual([...desk.effects.slice(2)].sort(), ["cancel Casino", "unbook Trio"])
      assert.deepStrictEqual((yield* lab.as(process)(looks)).differs, [])
    })
  )

  it.effect("leaves the acts of its parent alone if it is a fork, and names them as lost", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = processOf(yield* lab.shared, desk)
      const child = Run.make("trip-other")
      const absorbed = yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const parent = yield* opened()
            yield* proposes(parent, ...party)
            yield* parent.flush
            const { head } = yield* parent.position
            yield* Forking.fork({ parent: lab.trip, at: head.tick, child })
            const fork = yield* Effect.flatMap(Coordinator.Coordinator, (each) => each.reopen(child))
            yield* Revising.inject(fork, { changes: toBasel })
            return yield* Revising.absorb(fork)
          })
        )
      )
      assert.strictEqual(absorbed?.outcome._tag, "Done")
      const { lost, undo } = absorbed!.planned.absorption
      assert.deepStrictEqual([undo, lost.map(({ tool }) => tool)], [[], ["hire"]])
      assert.deepStrictEqual(
        RevisionDocuments.plan(absorbed!.planned).lost.map(({ because }) => because),
        ["owner"]
      )
      assert.strictEqual(desk.effects.length, 2)
    })
  )

  it.effect("gives up as lost what could have been undone only until some time ago", () =>
    Effect.gen(function* () {
      const { tools } = definition
      const undo = { ...tools.hire.undo, within: "1m" }
      const more = { tools: { ...tools, hire: { ...tools.hire, undo } } }
      const desk = new Desk()
      const process = processOf(yield* lab.shared, desk)
      const absorbed = yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* proposes(handle, hire("Casino"))
          yield* TestClock.adjust("2 minutes")
          yield* Revising.inject(handle, { changes: toBasel })
          return yield* Revising.absorb(handle)
        }),
        more
      )
      const { lost, undo: undone } = absorbed!.planned.absorption
      assert.deepStrictEqual([absorbed?.outcome._tag, undone, lost.map(({ tool }) => tool)], ["Done", [], ["hire"]])
      assert.deepStrictEqual(desk.effects, ["hire Casino"])
    })
  )

  it.effect("waits for the approval that an undoing needs, and sends nothing before", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = processOf(yield* lab.shared, desk)
      const absorbed = yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* proposes(handle, ...party)
          yield* Revising.inject(handle, { changes: toBasel })
          return yield* Revising.absorb(handle)
        }),
        { approvals: { cancel: { by: ["manager"] } } }
      )
      assert.strictEqual(absorbed?.outcome._tag, "Parked")
      assert.strictEqual(desk.effects.length, 2)
    })
  )

  it.effect("does not ask its planner while an undoing waits for an approval", () =>
    Effect.gen(function* () {
      let asked = 0
      const desk = new Desk()
      const planner = Planner.layerFrom(async () => {
        asked += 1
        return undefined
      })
      const process = Layer.provideMerge(planner, processOf(yield* lab.shared, desk))
      const outcome = yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* proposes(handle, ...party)
          yield* Revising.inject(handle, { changes: toBasel })
          return yield* Agent.run(handle)
        }),
        { approvals: { cancel: { by: ["manager"] } } }
      )
      assert.deepStrictEqual([outcome?._tag, asked], ["Parked", 0])
    })
  )

  it.effect("shows its planner what is lost and stands, and nothing that was discarded", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = processOf(yield* lab.shared, desk)
      yield* using(
        process,
        Effect.fnUntraced(function* (handle) {
          yield* proposes(handle, ...party, invite("ada", "Casino"))
          yield* Revising.inject(handle, { changes: toBasel })
          const absorbed = yield* Revising.absorb(handle, { widen: true })
          const { state } = yield* handle.position
          const view = yield* lab.context(handle, { state, outcome: absorbed?.outcome })
          assert.deepStrictEqual(
            view.actions.map(({ success, tool }) => [tool, success]),
            [
              ["look", true],
              ["book", true],
              ["invite", true]
            ]
          )
        })
      )
    })
  )
})
