import * as BudgetUse from "@backstitch/kernel/BudgetUse"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Agent from "../src/agent/Agent.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as Explanation from "../src/reporting/Explanation.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"
import { first, looks, open, packOf, proposing, second, worldOf } from "./twins.ts"

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
          "intent.adopted"
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
        const { next, why } = yield* within(Explanation.explain(second, 2))
        assert.include(why, "a2 of run first had done it, so nothing was sent")
        assert.deepStrictEqual(next, [{ action: "a2", run: "first", verb: "action" }])
        const answered = yield* within(Explanation.explain(second, two.all.length))
        assert.deepInclude(answered, { verdict: "answered", next: [{ action: "a2", run: "second", verb: "action" }] })
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

  it.effect("counts once in a fork that repeats a later act of its parent, and in a fork of that fork", () =>
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

  it.effect("is held if the record no longer shows it: nothing is sent or reversed for another run", () =>
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
      for (const run of [second, third]) {
        const [held] = (yield* within(Report.of(run))).held
        assert.deepInclude(held, { action: "a2", tool: "book" })
        assert.deepInclude(held?.next, { action: "a2", run: run.id as string, verb: "resolve" })
        const as = held?.next.verb === "resolve" ? (held.next.as ?? []) : []
        assert.includeMembers([...as], ["failure", "abandoned"])
        assert.notInclude(held?.why ?? "", "run the action that reverses it")
        assert.deepStrictEqual((yield* within(Receipt.make(run, undefined))).next, [held!.next])
      }
      const told = (yield* within(Report.of(second))).held[0]?.why ?? ""
      assert.include(told, "another run did it, and it is not reversed from here: let a person decide")
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

  it.effect("holds the run if it takes longer than its contract says, and the step that is named works", () =>
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
      const explained = yield* within(Explanation.explain(second, all.length))
      assert.deepStrictEqual(explained.next, [
        { run: "first", verb: "resume" },
        { run: "second", verb: "resume" }
      ])
      const report = yield* within(Report.of(second))
      assert.include(report.unfinished, "The last proposal waits since tick 2: a2 of run first")
      const receipt = yield* within(Receipt.make(second, held))
      assert.deepStrictEqual(receipt.next, explained.next)
      // So it is done: the first run finds out, and the second goes on.
      yield* lab.elapsing(within(Effect.flatMap(open(first), (handle) => handle.resume)))
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
  const steps = (tokens: number, total = 3000): ReadonlyArray<Planner.ScriptStep> =>
    Array.from({ length: total }, (_, index) => ({ id: `step-${index}`, propose: { ...lab.book("LX1"), tokens } }))

  const circling = (budgets: object, tokens: number) =>
    Effect.gen(function* () {
      const world = new lab.World()
      const within = lab.as(lab.process(yield* lab.shared, { world, steps: steps(tokens) }))
      const outcome = yield* within(Effect.flatMap(open(first, packOf({ budgets })), (handle) => Agent.run(handle)))
      const history = yield* within(StrictReplay.of(first))
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

  it.effect("leaves a bounded trace with every token in it if nothing limits it (L13)", () =>
    Effect.gen(function* () {
      const { all, outcome, use, verified } = yield* circling({}, 100)
      assert.deepInclude(outcome, { _tag: "Done", basis: "recorded" })
      assert.deepStrictEqual([use.steps, use.spent], [3000, { tokens: 300_000 }])
      assert.isBelow(all.length, 25)
      const told = all.filter(({ body }) => body.type === "intent.adopted")
      assert.strictEqual(
        told.reduce((sum, { body }) => sum + Number(body.data?.["count"] ?? 1), 0),
        2999
      )
      assert.isTrue(verified.consistent)
    })
  )
})

describe("one more of the same", () => {
  const twice = { ...lab.book("LX1"), occurrence: 2 }

  /** Has a planner of a kind propose, with the repetition that the user wants. */
  const proposed = (planner: Layer.Layer<Planner.Planner>, again?: Agent.Again) =>
    Effect.gen(function* () {
      const world = new lab.World()
      const within = lab.as(Layer.provideMerge(planner, lab.process(yield* lab.shared, { world })))
      const outcome = yield* within(Effect.flatMap(open(first), (handle) => Agent.run(handle, undefined, { again })))
      const { all, redecided } = yield* within(looks(first))
      assert.deepStrictEqual(redecided.differs, [])
      return { outcome, asked: all.find(({ body }) => body.type === "action.request")?.body.intent }
    })

  const once = (proposal: Proposal) => {
    let isAsked = false
    return Planner.layerFrom(() => {
      const next = isAsked ? undefined : proposal
      isAsked = true
      return Promise.resolve(next)
    })
  }

  it.effect("cannot be requested by a planner function, whatever author it names (decision 0035)", () =>
    Effect.gen(function* () {
      for (const occurrenceBy of [undefined, "plan", "user"] as const) {
        const { asked, outcome } = yield* proposed(once({ ...twice, occurrenceBy }))
        assert.strictEqual(outcome?._tag, "Refused")
        assert.isUndefined(asked)
      }
    })
  )

  it.effect("is asked for by a step of a plan, and by a user of a planner function", () =>
    Effect.gen(function* () {
      const planned = yield* proposed(Planner.layerScript([{ id: "again", propose: twice }]))
      assert.strictEqual(planned.outcome?._tag, "Done")
      assert.deepInclude(planned.asked, { occurrence: 2, occurrenceBy: "plan" })
      const again = { tool: "book", params: { flight: "LX1", price: 80 }, occurrence: 3 }
      const wanted = yield* proposed(once(lab.book("LX1")), again)
      assert.strictEqual(wanted.outcome?._tag, "Done")
      assert.deepInclude(wanted.asked, { occurrence: 3, occurrenceBy: "user" })
      // The user wants this very call.
      const other = yield* proposed(once(lab.book("LX2")), again)
      assert.isUndefined(other.asked?.occurrence)
    })
  )
})
