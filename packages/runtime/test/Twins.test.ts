import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as BudgetUse from "@backstitch/kernel/BudgetUse"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as State from "@backstitch/reducer/State"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Agent from "../src/Agent.ts"
import * as Coordinator from "../src/Coordinator.ts"
import * as Explaining from "../src/Explaining.ts"
import * as FaultPoint from "../src/FaultPoint.ts"
import * as Forking from "../src/Forking.ts"
import * as History from "../src/History.ts"
import * as Inbox from "../src/Inbox.ts"
import type * as Planner from "../src/Planner.ts"
import * as Redeciding from "../src/Redeciding.ts"
import * as Report from "../src/Report.ts"
import type * as RunHandle from "../src/RunHandle.ts"
import * as ToolExecutor from "../src/ToolExecutor.ts"
import * as Verifying from "../src/Verifying.ts"
import * as lab from "./lab.ts"

const [first, second] = [Run.make("first"), Run.make("second")]

const packOf = (changes: object = {}) => Result.getOrThrow(TaskPack.make({ ...lab.definition, ...changes }))

/** The booking without a way to ask about keys, or without a readback as well. */
const bookings = {
  status: lab.definition.tools.book,
  readback: (({ status: _, ...book }) => book)(lab.definition.tools.book),
  neither: (({ readback: _, status: __, ...book }) => ({
    ...book,
    accepts_word: { by: "the desk", why: "it keeps no record" },
    on_reconciled: [{ add: { field: "world.spent", value: "args.price" } }]
  }))(lab.definition.tools.book)
}

const open = (run: Run.Run, pack = lab.pack) =>
  Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.open(run, { pack, goal: "goal" }))

const proposing = (run: Run.Run, pack: TaskPack.TaskPack, ...proposals: ReadonlyArray<Proposal>) =>
  Effect.flatMap(open(run, pack), (handle) => Effect.forEach(proposals, handle.propose))

const worldOf = (run: Run.Run) =>
  Effect.flatMap(History.History, (history) =>
    Effect.flatMap(history.info(run), ({ head }) =>
      Effect.map(history.at(run, head.tick), ({ state }) => State.sectionToJson(state.world))
    )
  )

/** What anybody can find out about a run. */
const looks = (run: Run.Run) =>
  Effect.all({
    all: lab.transitions(run),
    redecided: Redeciding.redecide(run, { secret: "secret" }),
    report: Report.of(run),
    verified: Verifying.verify(run),
    world: worldOf(run)
  })

describe("an act that another run of the goal has done", () => {
  for (const [way, book] of Object.entries(bookings)) {
    it.effect(`is taken over with its facts where the contract has ${way}, and nothing is sent (L6)`, () =>
      Effect.gen(function* () {
        const pack = packOf({ tools: { ...lab.definition.tools, book } })
        const world = new lab.World()
        const within = lab.as(lab.process(yield* lab.shared, { world }))
        const [done] = yield* within(proposing(first, pack, lab.book("LX1")))
        const [adopted, again] = yield* within(proposing(second, pack, lab.book("LX1"), lab.book("LX1")))
        assert.deepStrictEqual([...world.effects], [["book LX1", 1]])
        const basis = way === "neither" ? "recorded" : "readback"
        const output = done?._tag === "Done" ? done.output : null
        assert.isNotNull(output)
        assert.deepInclude(adopted, { _tag: "Done", basis, output })
        const one = yield* within(looks(first))
        const two = yield* within(looks(second))
        assert.deepStrictEqual(two.world, one.world)
        assert.strictEqual(two.world["spent"], 80)
        assert.deepStrictEqual(lab.types(two.all).slice(1), [
          "action.request",
          "action.result",
          ...(way === "neither" ? [] : ["action.verified"]),
          "action.reconciled",
          "policy.decision"
        ])
        assert.deepInclude(two.all[1]?.body.data, {
          adopted: { action: "a2", run: "first", tick: one.all.at(-1)?.tick }
        })
        assert.deepInclude(two.all.find(({ body }) => body.type === "action.reconciled")?.body.result, {
          basis,
          trust: way === "neither" ? 1 : 3
        })
        // It is this run's own from then on.
        assert.deepInclude(again, { _tag: "Done", basis: "recorded", output })
        assert.deepInclude(two.all.at(-1)?.body.data, { adopted: { action: "a2", tick: two.all.length - 1 } })
        assert.deepStrictEqual([two.redecided.differs, two.verified.consistent], [[], true])
        const told = { readback: "success", status: "success", neither: one.report.actions[0]?.standing }
        assert.strictEqual(two.report.actions[0]?.standing, told[way as keyof typeof told])
        if (way === "neither") assert.notStrictEqual(two.report.actions[0]?.standing, "success")
        const { next, why } = yield* within(Explaining.explain(second, 2))
        assert.include(why, "a2 of run first had done it, so nothing was sent")
        assert.deepStrictEqual(next, ["backstitch action a2 --run first"])
        const answered = yield* within(Explaining.explain(second, two.all.length))
        assert.deepInclude(answered, { verdict: "answered", next: ["backstitch action a2 --run second"] })
      })
    )
  }

  it.effect("is seen by guards: two runs of a goal do not get past a limit together", () =>
    Effect.gen(function* () {
      const pack = packOf({ guards: [{ id: "enough", on: "book", refuse_if: "world.spent >= 160" }] })
      const world = new lab.World()
      const within = lab.as(lab.process(yield* lab.shared, { world }))
      const flights = ["LX1", "LX2", "LX3"].map((flight) => lab.book(flight))
      for (const run of [first, second]) {
        const outcomes = yield* within(proposing(run, pack, ...flights))
        assert.deepStrictEqual(
          outcomes.map(({ _tag }) => _tag),
          ["Done", "Done", "Refused"]
        )
      }
      assert.deepStrictEqual([...world.effects.keys()], ["book LX1", "book LX2"])
    })
  )

  it.effect("counts once in a fork that meets what its parent did since, and in a fork of that fork", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const within = lab.as(lab.process(yield* lab.shared, { world }))
      yield* within(proposing(first, lab.pack, lab.note("begin"), lab.book("LX1")))
      const child = yield* within(Forking.fork({ parent: first, at: 2 }))
      const propose = (run: Run.Run) =>
        within(
          Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
            Effect.flatMap(coordinator.reopen(run), (handle) => handle.propose(lab.book("LX1")))
          )
        )
      assert.deepInclude(yield* propose(child.run), { _tag: "Done", basis: "readback" })
      const { all } = yield* within(looks(child.run))
      const grandchild = yield* within(Forking.fork({ parent: child.run, at: all.length }))
      assert.deepInclude(yield* propose(grandchild.run), { _tag: "Done", basis: "recorded" })
      for (const run of [first, child.run, grandchild.run]) {
        const { redecided, world: believed } = yield* within(looks(run))
        assert.deepStrictEqual([believed["spent"], redecided.differs], [80, []])
      }
      assert.deepStrictEqual([...world.effects], [["book LX1", 1]])
    })
  )

  it.effect("is held where the record no longer shows it: nothing is sent or reversed for another run", () =>
    Effect.gen(function* () {
      const undo = { class: "K", by: "tell", with: { to: "'desk'" } }
      const { readback } = lab.definition.tools.book
      const book = { ...lab.definition.tools.book, undo, readback: { ...readback, expect: ["actual.price == 80"] } }
      const pack = packOf({ tools: { ...lab.definition.tools, book } })
      const world = new lab.World()
      const within = lab.as(lab.process(yield* lab.shared, { world }))
      yield* within(proposing(first, pack, lab.book("LX1")))
      const key = [...world.answers.keys()][0]!
      const answer = world.answers.get(key)!
      world.answers.set(key, { ...answer, price: 90 })
      const sent = world.log.length
      const [changed] = yield* lab.elapsing(within(proposing(second, pack, lab.book("LX1"))))
      assert.strictEqual(changed?._tag, "Held")
      world.answers.delete(key)
      const third = Run.make("third")
      const [gone] = yield* lab.elapsing(within(proposing(third, pack, lab.book("LX1"))))
      assert.strictEqual(gone?._tag, "Held")
      assert.deepStrictEqual(
        world.log.slice(sent).filter((line) => line.startsWith("send")),
        []
      )
      assert.strictEqual((yield* within(worldOf(second)))["spent"], 0)
      assert.deepInclude((yield* within(Report.of(third))).held[0], { tool: "book" })
    })
  )

  it.effect("is not asked about by a key that its provider may have forgotten", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const within = lab.as(lab.process(yield* lab.shared, { world }))
      yield* within(proposing(first, lab.pack, lab.book("LX1")))
      yield* lab.elapsing(Effect.sleep("61 minutes"))
      const [adopted] = yield* within(proposing(second, lab.pack, lab.book("LX1")))
      assert.deepInclude(adopted, { _tag: "Done", basis: "readback" })
      assert.notInclude(world.log, "ask")
    })
  )
})

describe("an act that another run of the goal has under way", () => {
  /** Proposes in the second run while the call of the first one is out, and lets that end after a while. */
  const meeting = (proposal: Proposal, after: number, pack = lab.pack) =>
    Effect.gen(function* () {
      const world = new lab.World()
      const slow = ToolExecutor.fromTools(world.tools)
      let calls = 0
      const executor: typeof slow = {
        ...slow,
        call: (request) => (calls++ === 0 ? Effect.delay(slow.call(request), after) : slow.call(request))
      }
      const within = lab.as(lab.process(yield* lab.shared, { executor }))
      const outcomes = yield* lab.elapsing(
        within(
          Effect.gen(function* () {
            const [one, two] = [yield* open(first, pack), yield* open(second, pack)]
            const later = Effect.delay(two.propose(proposal), 100)
            return yield* Effect.all([one.propose(proposal), later], { concurrency: 2 })
          })
        )
      )
      return { outcomes, two: yield* within(looks(second)), within, world }
    })

  it.effect("is waited for, and taken over as soon as it is settled", () =>
    Effect.gen(function* () {
      const { outcomes, two, world } = yield* meeting(lab.book("LX1"), 2000)
      assert.deepStrictEqual(
        outcomes.map(({ _tag }) => _tag),
        ["Done", "Done"]
      )
      assert.deepStrictEqual([...world.effects], [["book LX1", 1]])
      assert.strictEqual(two.world["spent"], 80)
      assert.notInclude(lab.types(two.all), "intent.refused")
    })
  )

  it.effect("holds the run where it takes longer than its contract says, and the step that is named works", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      world.faults.push("lost")
      const status = () => Promise.reject(new Error("out of order"))
      const tools = { ...world.tools, book: { ...world.tools["book"]!, status } }
      const mute = lab.as(lab.process(store, { executor: ToolExecutor.fromTools(tools) }))
      const [unknown] = yield* lab.elapsing(mute(proposing(first, lab.pack, lab.book("LX1"))))
      assert.strictEqual(unknown?._tag, "Held")
      const within = lab.as(lab.process(store, { world }))
      const [held] = yield* lab.elapsing(within(proposing(second, lab.pack, lab.book("LX1"))))
      assert.deepInclude(held, { _tag: "Held", action: "a2", run: "first" })
      const { all } = yield* within(looks(second))
      const explained = yield* within(Explaining.explain(second, all.length))
      assert.deepStrictEqual(explained.next, [
        "backstitch resume first --agent FILE",
        "backstitch resume second --agent FILE"
      ])
      // So it is done: the first run finds out, and the second goes on.
      yield* lab.elapsing(within(Effect.flatMap(open(first), (handle) => handle.recover)))
      const [done] = yield* lab.elapsing(within(proposing(second, lab.pack, lab.book("LX1"))))
      assert.deepInclude(done, { _tag: "Done", basis: "readback" })
      assert.deepStrictEqual([...world.effects], [["book LX1", 1]])
      assert.deepStrictEqual((yield* within(looks(second))).redecided.differs, [])
    })
  )

  it.effect("is waited for by another act on its target, too: that one is done after it (L7)", () =>
    Effect.gen(function* () {
      const pack = packOf({
        tools: { ...lab.definition.tools, fax: { ...lab.definition.tools.fax, identity: "none" } }
      })
      const { outcomes, world } = yield* meeting({ tool: "fax", params: { to: "ada" } }, 1000, pack)
      assert.deepStrictEqual(
        outcomes.map(({ _tag }) => _tag),
        ["Done", "Done"]
      )
      assert.deepStrictEqual([...world.effects], [["fax ada", 2]])
    })
  )
})

describe("a planner that goes in circles", () => {
  const steps = (tokens: number, total = 3000): ReadonlyArray<Planner.Step> =>
    Array.from({ length: total }, (_, index) => ({ id: `step-${index}`, propose: { ...lab.book("LX1"), tokens } }))

  const circling = (budgets: object, tokens: number) =>
    Effect.gen(function* () {
      const world = new lab.World()
      const within = lab.as(lab.process(yield* lab.shared, { world, steps: steps(tokens) }))
      const outcome = yield* within(Effect.flatMap(open(first, packOf({ budgets })), (handle) => Agent.run(handle)))
      const history = yield* within(Effect.flatMap(History.History, (history) => history.verify(first)))
      return { outcome, use: BudgetUse.of(history.state), ...(yield* within(looks(first))) }
    })

  it.effect("comes to the end of its steps at the very step that would exceed them (L13)", () =>
    Effect.gen(function* () {
      const { all, outcome, redecided, use } = yield* circling({ steps: 100 }, 10)
      assert.strictEqual(outcome?._tag, "Refused")
      // A hundred steps were taken, and the refusal of one more is on record with what it cost.
      assert.deepStrictEqual([use.steps, use.spent], [101, { tokens: 1010 }])
      assert.isBelow(all.length, 25)
      assert.deepStrictEqual(redecided.differs, [])
    })
  )

  it.effect("leaves a bounded trace with every token in it where nothing limits it (L13)", () =>
    Effect.gen(function* () {
      const { all, outcome, use, verified } = yield* circling({}, 100)
      assert.deepInclude(outcome, { _tag: "Done", basis: "recorded" })
      assert.deepStrictEqual([use.steps, use.spent], [3000, { tokens: 300_000 }])
      assert.isBelow(all.length, 25)
      const told = all.filter(({ body }) => body.type === "policy.decision")
      assert.strictEqual(
        told.reduce((sum, { body }) => sum + Number(body.data?.["count"] ?? 1), 0),
        2999
      )
      assert.isTrue(verified.consistent)
    })
  )
})

describe("an act without a key", () => {
  const { fax } = lab.definition.tools
  const pack = packOf({ tools: { ...lab.definition.tools, fax: { ...fax, identity: "none" } } })
  const send: Proposal = { tool: "fax", params: { to: "ada" } }

  const begun = Effect.gen(function* () {
    const world = new lab.World()
    const within = lab.as(lab.process(yield* lab.shared, { world }))
    const reopened = <A, E, R>(run: Run.Run, use: (handle: RunHandle.RunHandle) => Effect.Effect<A, E, R>) =>
      within(Effect.flatMap(Coordinator.Coordinator, (coordinator) => Effect.flatMap(coordinator.reopen(run), use)))
    return { reopened, within, world }
  })

  it.effect("is done by an unrelated run of the goal as well, whose report says who made the same request", () =>
    Effect.gen(function* () {
      const { within, world } = yield* begun
      yield* within(proposing(first, pack, send, send))
      assert.deepStrictEqual((yield* within(Report.of(first))).repeated, [])
      yield* lab.elapsing(Effect.sleep("1 minute"))
      const outcomes = yield* within(proposing(second, pack, send, send, send))
      assert.deepStrictEqual(
        outcomes.map(({ _tag }) => _tag),
        ["Done", "Done", "Done"]
      )
      assert.deepStrictEqual([...world.effects], [["fax ada", 5]])
      const { redecided, report, verified } = yield* within(looks(second))
      // The first of the one is met by the first of the other, the second by the second, and the third by none.
      assert.deepStrictEqual(
        report.repeated.map(({ action, before }) => [action, before]),
        [
          ["a2", { action: "a2", at: "1970-01-01T00:00:00.000Z", run: "first", tick: 3 }],
          ["a6", { action: "a6", at: "1970-01-01T00:00:00.000Z", run: "first", tick: 7 }]
        ]
      )
      assert.include(report.repeated[0]?.say, "nothing tells whether that is one act or two")
      assert.deepStrictEqual([redecided.differs, verified.consistent], [[], true])
      // Another goal is another matter.
      const [other] = yield* within(
        Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
          Effect.flatMap(coordinator.open(Run.make("other"), { pack, goal: "another" }), (handle) =>
            Effect.all([handle.propose(send)])
          )
        )
      )
      assert.strictEqual(other._tag, "Done")
      assert.deepStrictEqual((yield* within(Report.of(Run.make("other")))).repeated, [])
    })
  )

  it.effect("is held for a person in a fork whose parent made the same request since, with the facts", () =>
    Effect.gen(function* () {
      const { reopened, within, world } = yield* begun
      yield* within(proposing(first, pack, send, send))
      const all = yield* within(lab.transitions(first))
      const settled = all.find(({ body }) => body.type === "action.reconciled")!
      // The fork has the first of them in its history, and the second is its parent's.
      const child = (yield* within(Forking.fork({ parent: first, at: settled.tick }))).run
      const parked = yield* reopened(child, (handle) => handle.propose(send))
      assert.deepInclude(parked, { _tag: "Parked", needs: ["operator"] })
      assert.deepStrictEqual([...world.effects], [["fax ada", 2]])
      const tick = parked._tag === "Parked" ? parked.tick : 0
      const [policy, asked] = (yield* within(lab.transitions(child))).slice(-2)
      const same = { action: "a6", at: 0, run: "first", tick: 7 }
      const finding = { args: same, code: "act.repeated", id: "fax", ok: false, step: "approval" }
      assert.deepInclude(policy?.body.data, { checks: [finding], met: { goal: same, lineage: same } })
      assert.deepInclude(asked?.body.data, { finding })
      const explained = yield* within(Explaining.explain(child, tick))
      assert.include(explained.why, "a6 of run first made the same request at tick 7")
      const [waiting] = yield* within(Inbox.approvals(first.tenant))
      assert.include(waiting?.why, "a6 of run first made the same request")
      const done = yield* reopened(child, (handle) =>
        Effect.gen(function* () {
          const review = parked._tag === "Parked" ? parked.review : ""
          const data = { by: "ada", review, role: "operator", verdict: "approved" }
          yield* handle.propose({ type: "review.decided", author: "user", data })
          return yield* Effect.all([handle.propose(send), handle.propose(send)])
        })
      )
      // A yes is for one call, and the one after it is of nobody else.
      assert.deepStrictEqual(
        done.map(({ _tag }) => _tag),
        ["Done", "Done"]
      )
      const report = yield* within(Report.of(child))
      assert.deepStrictEqual(
        report.repeated.map(({ before }) => [before.run, before.tick]),
        [["first", 7]]
      )
      assert.deepStrictEqual((yield* within(looks(child))).redecided.differs, [])
      // And the parent meets what its fork did since.
      const parents = yield* reopened(first, (handle) => handle.propose(send))
      assert.strictEqual(parents._tag, "Parked")
    })
  )

  it.effect("is met by no act that the tool refused: nothing happened then", () =>
    Effect.gen(function* () {
      const { reopened, within, world } = yield* begun
      yield* within(proposing(first, pack, lab.note("begin")))
      const child = (yield* within(Forking.fork({ parent: first, at: 2 }))).run
      world.faults.push("refused")
      assert.strictEqual((yield* reopened(first, (handle) => handle.propose(send)))._tag, "Failed")
      assert.strictEqual((yield* reopened(child, (handle) => handle.propose(send)))._tag, "Done")
      assert.deepStrictEqual((yield* within(Report.of(child))).repeated, [])
      // It counts as the second one, so whoever comes next meets it.
      assert.strictEqual((yield* reopened(first, (handle) => handle.propose(send)))._tag, "Parked")
      const [twin] = yield* within(proposing(second, pack, send))
      assert.strictEqual(twin?._tag, "Done")
      assert.strictEqual((yield* within(Report.of(second))).repeated[0]?.before.run, child.id)
      for (const run of [first, second, child]) {
        assert.deepStrictEqual((yield* within(looks(run))).redecided.differs, [])
      }
    })
  )
})

describe("two runs of a goal at the same moment", () => {
  const { fax } = lab.definition.tools
  const pack = packOf({ tools: { ...lab.definition.tools, fax: { ...fax, identity: "none" } } })
  const steps: ReadonlyArray<Planner.Step> = [
    { id: "one", propose: lab.book("LX1") },
    { id: "told", propose: lab.tell("ada") },
    { id: "faxed", propose: { tool: "fax", params: { to: "ada" } } },
    // What is believed of the first is what the second stands on.
    {
      id: "two",
      propose: ({ state }) => {
        if (state.world["spent"] !== 80) throw new Error(`spent is ${String(state.world["spent"])}`)
        return lab.book("LX2")
      }
    },
    { id: "done", propose: { type: "goal.complete" } }
  ]

  /** Numbers from a seed, each between 0 and 1. */
  const numbers = (seed: number) => {
    let state = seed * 2_654_435_761
    return () => {
      state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
      return state / 2 ** 32
    }
  }

  /** A process that stands still at the places of its commit path for moments that the seed says. */
  const dawdling = (random: () => number) =>
    Effect.provideService(FaultPoint.FaultPoint, () => Effect.sleep(Math.floor(random() ** 3 * 900)))

  for (const seed of Array.from({ length: 32 }, (_, index) => index + 1)) {
    it.effect(`both come to their end, with every act done once and believed by both (seed ${seed})`, () =>
      Effect.gen(function* () {
        const store = yield* lab.shared
        const world = new lab.World()
        const random = numbers(seed)
        const work = (run: Run.Run) =>
          Effect.flatMap(open(run, pack), (handle) => Agent.run(handle)).pipe(
            lab.as(lab.process(store, { world, steps })),
            dawdling(random)
          )
        // Who stands still for longer than a contract allows holds the other one, which goes on when it is resumed.
        const resumed = (run: Run.Run) =>
          Effect.flatMap(work(run), (outcome) => (outcome?._tag === "Held" ? work(run) : Effect.succeed(outcome)))
        const outcomes = yield* lab.elapsing(Effect.all([resumed(first), resumed(second)], { concurrency: 2 }))
        assert.deepStrictEqual(
          outcomes.map((outcome) => outcome?._tag),
          ["Done", "Done"]
        )
        assert.deepStrictEqual(new Set(world.doubled), new Set(["fax ada"]))
        assert.deepStrictEqual([...world.effects.keys()].sort(), ["book LX1", "book LX2", "fax ada", "tell ada"])
        const ends = yield* lab.as(lab.process(store))(Effect.all([looks(first), looks(second)]))
        for (const { all, redecided, report, verified, world: believed } of ends) {
          assert.strictEqual(believed["spent"], 160)
          assert.deepStrictEqual(believed["told"], ["ada"])
          assert.isNull(report.unfinished)
          assert.deepStrictEqual([report.held, redecided.differs, verified.consistent], [[], [], true])
          assert.notInclude(lab.types(all), "intent.refused")
        }
        // One of them made the same request after the other, and its report says so.
        assert.lengthOf(
          ends.flatMap(({ report }) => report.repeated),
          1
        )
      })
    )
  }
})
