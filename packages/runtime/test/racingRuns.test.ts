import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Agent from "../src/agent/Agent.ts"
import * as PendingApprovals from "../src/pending/PendingApprovals.ts"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import type * as Planner from "../src/ports/Planner.ts"
import * as Explanation from "../src/reporting/Explanation.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"
import { first, looks, open, packOf, proposing, second } from "./twins.ts"

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

  it.effect("is done by an unrelated run of the goal as well, whose report names the run with the same request", () =>
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
      const same = { action: "a6", run: "first", startedAt: 0, tick: 7 }
      const why = { args: same, code: "act.repeated" }
      assert.deepInclude(policy?.body.data, { met: { goal: same, lineage: same }, why })
      assert.deepInclude(asked?.body.data, { why })
      const explained = yield* within(Explanation.explain(child, tick))
      assert.include(explained.why, "a6 of run first made the same request at tick 7")
      const [waiting] = yield* within(PendingApprovals.ofTenant(first.tenant))
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
  const steps: ReadonlyArray<Planner.ScriptStep> = [
    { id: "one", propose: lab.book("LX1") },
    { id: "told", propose: lab.tell("ada") },
    { id: "faxed", propose: { tool: "fax", params: { to: "ada" } } },
    // The second run stands on the beliefs of the first.
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
        // A process that pauses for longer than its contract allows holds the other, which goes on when it is resumed.
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
