import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Finding from "@backstitch/kernel/Finding"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import * as State from "@backstitch/reducer/State"
import * as Run from "@backstitch/trace/Run"
import * as Wording from "@backstitch/wording/Wording"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as History from "../src/history/History.ts"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as Ledger from "../src/projections/Ledger.ts"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Explanation from "../src/reporting/Explanation.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as CherryPicking from "../src/versioning/CherryPicking.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"

const pack = Result.getOrThrow(
  TaskPack.make({
    ...(lab.definition as Definition),
    state: {
      world: lab.definition.state.world,
      working: { notes: { list: "string" }, mood: { type: "string", nullable: true } }
    },
    transitions: { book: { required_state: { "working.mood": { type: "string" } }, hash_seeds: ["working.mood"] } },
    reducers: {
      on: {
        "observation.add": [
          { append: { list: "working.notes", item: "args.text" } },
          { set: { field: "working.mood", value: "args.text" } }
        ]
      }
    }
  })
)

const left = Run.make("left")
const right = Run.make("right")
const book: Proposal = { ...lab.book("LX1"), dependsOn: ["world.spent"], confidence: 0.7 }

const open = (run: Run.Run, options: { readonly goal?: string; readonly pack?: TaskPack.TaskPack } = {}) =>
  Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
    coordinator.open(run, { pack: options.pack ?? pack, goal: options.goal ?? "goal" })
  )

/** `left` books in a good mood at tick 3; `right` is in the mood that is given. */
const both = (options: { readonly mood?: string; readonly goal?: string; readonly pack?: TaskPack.TaskPack } = {}) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    const world = new lab.World()
    const process = lab.process(store, { world })
    const within = lab.as(process)
    yield* within(
      Effect.gen(function* () {
        const first = yield* open(left)
        yield* first.propose(lab.note("glad"))
        yield* first.propose(book)
        const second = yield* open(right, options)
        if (options.mood !== undefined) yield* second.propose(lab.note(options.mood))
      })
    )
    return { within, world, head: within(headOf(right)), pick: within(picked), store }
  })

const headOf = (run: Run.Run) =>
  Effect.flatMap(History.History, (history) => Effect.map(history.info(run), ({ head }) => head))

const picked = Effect.suspend(() => CherryPicking.pick({ from: left, tick: 3, onto: right }))

const worldOf = (run: Run.Run) =>
  Effect.flatMap(History.History, (history) =>
    Effect.flatMap(history.info(run), ({ head }) =>
      Effect.map(history.at(run, head.tick), ({ state }) => State.sectionToJson(state.world))
    )
  )

describe("CherryPicking", () => {
  it.effect("carries out an intent whose context exists in the target, through the commit path of actions", () =>
    Effect.gen(function* () {
      const { pick, within, world } = yield* both({ mood: "glad", goal: "another goal" })
      const { adopted, outcome, tick, verdict } = yield* pick
      assert.isTrue(verdict.accepted)
      assert.strictEqual(outcome?._tag, "Done")
      assert.isUndefined(adopted)
      // Another goal, so another act: it happened once more, under a key of its own.
      assert.deepStrictEqual([...world.effects], [["book LX1", 2]])
      yield* within(
        Effect.gen(function* () {
          const transitions = yield* lab.transitions(right)
          assert.deepStrictEqual(lab.types(transitions).slice(2), [
            "run.cherrypick",
            "action.request",
            "action.started",
            "action.result",
            "action.verified",
            "action.reconciled"
          ])
          assert.strictEqual(tick, 3)
          const { data = {} } = transitions[2]!.body
          const [source] = yield* lab.transitions(left).pipe(Effect.map((all) => all.slice(2)))
          assert.deepInclude(data["source"] as object, { run: "left", tick: 3 })
          assert.deepInclude(data["context"] as object, { source: source?.body.intent?.contextHash ?? "" })
          assert.strictEqual(transitions[3]!.body.confidence, 0.7)
          assert.isTrue((yield* RunVerification.verify(right)).consistent)
          const again = yield* DecisionReplay.redecide(right, { secret: "secret" })
          assert.deepStrictEqual(again.differs, [])
        })
      )
    })
  )

  it.effect("finds an act that was done already by its key: the world answers, and nothing is sent (L6)", () =>
    Effect.gen(function* () {
      const { pick, within, world } = yield* both({ mood: "glad" })
      const sent = world.log.filter((line) => line.startsWith("send")).length
      const { adopted, outcome } = yield* pick
      assert.deepStrictEqual(adopted, { action: "a3", run: "left", startedAt: 0, tick: 7 })
      assert.deepInclude(outcome, { _tag: "Done", basis: "readback" })
      assert.deepStrictEqual([...world.effects], [["book LX1", 1]])
      assert.lengthOf(
        world.log.filter((line) => line.startsWith("send")),
        sent
      )
      assert.strictEqual(world.log.at(-1), "ask")
      yield* within(
        Effect.gen(function* () {
          assert.deepStrictEqual(lab.types(yield* lab.transitions(right)).slice(2), [
            "run.cherrypick",
            "action.request",
            "action.result",
            "action.verified",
            "action.reconciled"
          ])
          assert.deepStrictEqual(yield* worldOf(right), yield* worldOf(left))
          assert.isTrue((yield* RunVerification.verify(right)).consistent)
          for (const secret of ["secret", undefined]) {
            assert.deepStrictEqual((yield* DecisionReplay.redecide(right, { secret })).differs, [])
          }
          const { checks, why } = yield* Explanation.explain(right, 3)
          assert.include(why, "the intent of left@3 was imported; a3 of left had done it")
          assert.deepInclude(checks, {
            ok: true,
            step: "context",
            id: "working.mood",
            values: { here: "glad", there: "glad" }
          })
          const [entry] = yield* Ledger.of(right)
          assert.deepStrictEqual(entry === undefined ? [] : ActionLedgerEntry.missing(entry), [])
          const report = yield* Report.of(right)
          assert.strictEqual(report.actions[0]?.standing, (yield* Report.of(left)).actions[0]?.standing)
        })
      )
    })
  )

  it.effect("counts an act once, however often it is carried over: here, and in a fork of this run (L6)", () =>
    Effect.gen(function* () {
      const { head, pick, within, world } = yield* both({ mood: "glad" })
      const first = yield* pick
      assert.strictEqual(first.tick, 3)
      const [before, asked] = [yield* head, world.log.length]
      const again = yield* pick
      assert.deepInclude(again.outcome, { _tag: "Done", basis: "recorded" })
      assert.isUndefined(again.tick)
      assert.deepStrictEqual(again.adopted, { action: "a4", run: "right", tick: 7 })
      // Nothing was committed, asked or sent: the state is that of the one observation.
      assert.deepStrictEqual(yield* head, before)
      assert.lengthOf(world.log, asked)
      assert.deepStrictEqual(yield* within(worldOf(right)), yield* within(worldOf(left)))
      yield* within(
        Effect.gen(function* () {
          const { run } = yield* Forking.fork({ parent: right, at: before.tick })
          const forked = yield* headOf(run)
          const { adopted, tick } = yield* CherryPicking.pick({ from: left, tick: 3, onto: run })
          assert.isUndefined(tick)
          assert.deepStrictEqual(adopted, { action: "a4", run: run.id, tick: 7 })
          assert.deepStrictEqual(yield* headOf(run), forked)
          // A fork from before it has no part in it, so there it counts, once.
          const { run: earlier } = yield* Forking.fork({ parent: right, at: 2 })
          for (const tick of [4, undefined]) {
            assert.strictEqual((yield* CherryPicking.pick({ from: left, tick: 3, onto: earlier })).tick, tick)
          }
          assert.deepStrictEqual(yield* worldOf(earlier), yield* worldOf(left))
        })
      )
    })
  )

  it.effect("settles a held act that was carried over before it carries the same act over again", () =>
    Effect.gen(function* () {
      const { head, pick, within, world } = yield* both({ mood: "glad" })
      const answers = new Map(world.answers)
      world.answers.clear()
      assert.strictEqual((yield* lab.elapsing(pick)).outcome?._tag, "Held")
      for (const [name, answer] of answers) world.answers.set(name, answer)
      const before = yield* head
      const { outcome } = yield* pick
      assert.include(outcome?._tag === "Held" ? Wording.remedyOf(Wording.next(outcome)) : "", "settle a4")
      assert.deepStrictEqual(yield* head, before)
      assert.deepStrictEqual(yield* within(worldOf(right)), { bookings: {}, spent: 0, told: [] })
    })
  )

  it.effect("reports the record of an act that was done and is gone, and does not send it again", () =>
    Effect.gen(function* () {
      const { pick, within, world } = yield* both({ mood: "glad" })
      world.answers.clear()
      const { outcome } = yield* lab.elapsing(pick)
      assert.strictEqual(outcome?._tag, "Held")
      assert.include(outcome === undefined ? "" : Wording.why(outcome), "nothing is sent from here")
      assert.deepStrictEqual([...world.effects], [["book LX1", 1]])
      assert.deepStrictEqual(yield* within(worldOf(right)), { bookings: {}, spent: 0, told: [] })
    })
  )

  it.effect("asks again after a crash in between, and never sends (L14)", () =>
    Effect.gen(function* () {
      for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
        const { within, world } = yield* both({ mood: "glad" })
        const die = () => Effect.die("crash")
        yield* Effect.exit(within(lab.atPlace(n, die)(picked)))
        yield* within(
          Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
            Effect.flatMap(coordinator.reopen(right), (handle) => lab.elapsing(handle.resume))
          )
        )
        assert.deepStrictEqual([...world.effects], [["book LX1", 1]], `crash ${n}`)
        assert.isTrue((yield* within(RunVerification.verify(right))).consistent)
      }
    })
  )

  it.effect("changes nothing if the target was decided otherwise, and names the field and the remedy", () =>
    Effect.gen(function* () {
      const { head, pick, world } = yield* both({ mood: "sad", goal: "another goal" })
      const before = yield* head
      const { outcome, tick, verdict } = yield* pick
      assert.isUndefined(outcome)
      assert.isUndefined(tick)
      assert.deepStrictEqual(
        verdict.reasons.map(({ code, path }) => [code, path]),
        [["context_violation", "working.mood"]]
      )
      assert.deepStrictEqual(yield* head, before)
      assert.deepStrictEqual([...world.effects], [["book LX1", 1]])
    })
  )

  it.effect("changes nothing when a guard of the target refuses it", () =>
    Effect.gen(function* () {
      const { head, within } = yield* both({ mood: "glad", goal: "another goal" })
      const before = yield* head
      const forked = yield* within(
        Effect.gen(function* () {
          const { run } = yield* Forking.fork({ parent: right, at: before.tick, policy: ["tool == 'book'"] })
          const at = yield* headOf(run)
          const { outcome, tick } = yield* CherryPicking.pick({ from: left, tick: 3, onto: run })
          assert.strictEqual(outcome?._tag, "Refused")
          assert.isUndefined(tick)
          assert.deepStrictEqual(yield* headOf(run), at)
          const dry = yield* CherryPicking.rehearse({ from: left, tick: 3, onto: run })
          assert.strictEqual(dry.outcome?._tag, "Refused")
          return run
        })
      )
      assert.strictEqual(forked.id, "right-fork-2")
    })
  )

  it.effect("refuses another contract before it looks at any field", () =>
    Effect.gen(function* () {
      const other = Result.getOrThrow(TaskPack.make({ ...(pack.definition as object), version: "2.0.0" }))
      const { pick } = yield* both({ mood: "sad", pack: other, goal: "another goal" })
      const { verdict } = yield* pick
      assert.deepStrictEqual(
        verdict.reasons.map(({ code }) => code),
        ["contract_mismatch"]
      )
      assert.deepStrictEqual(verdict.fields, [])
    })
  )

  it.effect("rehearses without committing or calling anything", () =>
    Effect.gen(function* () {
      const { head, within, world } = yield* both({ mood: "glad", goal: "another goal" })
      const before = yield* head
      const { outcome, verdict } = yield* within(CherryPicking.rehearse({ from: left, tick: 3, onto: right }))
      assert.isTrue(verdict.accepted)
      assert.isUndefined(outcome)
      assert.deepStrictEqual(yield* head, before)
      assert.deepStrictEqual([...world.effects], [["book LX1", 1]])
    })
  )

  it.effect("carries an observation over as the agent's word, without its evidence", () =>
    Effect.gen(function* () {
      const { within } = yield* both()
      yield* within(
        Effect.gen(function* () {
          const handle = yield* open(left)
          yield* handle.propose({ type: "observation.add", data: { text: "LX1 is booked", cites: "a3" } })
          const { head } = yield* handle.position
          yield* CherryPicking.pick({ from: left, tick: head.tick, onto: right })
          const own = yield* lab.transitions(left)
          assert.strictEqual(own.at(-1)?.body.data?.["trust"], 1)
          const there = (yield* lab.transitions(right)).at(-1)?.body
          assert.deepStrictEqual(there?.data, { text: "LX1 is booked", trust: 0 })
        })
      )
    })
  )

  it.effect("refuses a tick that is no intent, one that both share, and one that is not there", () =>
    Effect.gen(function* () {
      const { within } = yield* both()
      yield* within(
        Effect.gen(function* () {
          const pick = (from: Run.Run, tick: number, onto: Run.Run) =>
            Effect.flip(CherryPicking.pick({ from, tick, onto }))
          assert.include((yield* pick(left, 5, right)).message, "name left@3")
          assert.strictEqual((yield* pick(left, 99, right))._tag, "TickOutOfRange")
          const { run } = yield* Forking.fork({ parent: left, at: 4 })
          assert.strictEqual((yield* pick(left, 3, run))._tag, "AlreadyThere")
          assert.strictEqual((yield* pick(left, 3, left))._tag, "AlreadyThere")
        })
      )
    })
  )

  it.effect("is refused if the state that it was compared with changes before it is committed (L1)", () =>
    Effect.gen(function* () {
      const { within } = yield* both({ mood: "glad", goal: "another goal" })
      const interfere = within(
        Effect.flatMap(open(right, { goal: "another goal" }), (handle) => handle.propose(lab.note("sad")))
      )
      let once = false
      const at = (place: FaultPoint.PointName) =>
        place === "propose/decided" && !once
          ? Effect.suspend(() => {
              once = true
              return Effect.orDie(Effect.asVoid(interfere))
            })
          : Effect.void
      const { outcome, tick } = yield* within(Effect.provideService(picked, FaultPoint.FaultPoint, at))
      assert.isTrue(once)
      assert.strictEqual(outcome?._tag, "Refused")
      assert.isUndefined(tick)
    })
  )

  it.effect("concludes each outcome as one thing, and never a held or failed one of a dry run as admissible", () =>
    Effect.gen(function* () {
      const { within } = yield* both({ mood: "glad", goal: "another goal" })
      const { verdict } = yield* within(CherryPicking.rehearse({ from: left, tick: 3, onto: right }))
      const why = Finding.make("answer.no_question", {})
      const adopted = { run: "left", action: "a1", tick: 4 }
      const done = { _tag: "Done", tick: 5, output: null, basis: "readback" } as const
      const held = { _tag: "Held", tick: 5, action: "a2", why } as const
      const cases: ReadonlyArray<readonly [Partial<CherryPicking.Picked>, CherryPicking.Conclusion["_tag"], boolean]> =
        [
          [{ verdict: { ...verdict, accepted: false } }, "Unfit", false],
          [{}, "Admissible", true],
          [{ outcome: { _tag: "Refused", tick: undefined, checks: [] } }, "Refused", false],
          [{ outcome: { _tag: "Parked", tick: 5, needs: ["lead"], why, review: "a2" } }, "Waits", false],
          [{ outcome: held }, "Held", false],
          [{ outcome: held, tick: 4 }, "Held", false],
          [{ outcome: { _tag: "Failed", tick: 5, error: "full" }, tick: 4 }, "Failed", false],
          [{ outcome: done, adopted }, "Known", true],
          [{ outcome: done, adopted, tick: 4 }, "Adopted", true],
          [{ outcome: done, tick: 4 }, "Imported", true]
        ]
      for (const [more, tag, isAdmitted] of cases) {
        const picked = { verdict, outcome: undefined, tick: undefined, adopted: undefined, ...more }
        assert.deepStrictEqual(
          [CherryPicking.conclusion(picked)._tag, CherryPicking.isAdmitted(picked)],
          [tag, isAdmitted]
        )
        assert.strictEqual(CherryPicking.why(picked) === undefined, isAdmitted, tag)
      }
    })
  )
})
