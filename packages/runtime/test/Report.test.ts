import * as Run from "@backstitch/trace/Run"
import * as English from "@backstitch/wording/English"
import type { Next } from "@backstitch/wording/Next"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"
import { proposes } from "./slots.ts"

/** An airline whose record shows what `shows` says. */
const airline = (world: lab.World, shows: (answer: unknown) => unknown) => {
  const { book, ...tools } = world.tools
  return ToolExecutor.fromTools({
    ...tools,
    book: { ...book!, readback: async ({ key }) => shows(world.answers.get(key ?? "")) as never }
  })
}

const reported = (shows: (answer: unknown) => unknown, price = 80) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    const world = new lab.World()
    return yield* lab.as(lab.process(store, { executor: airline(world, shows) }))(
      Effect.gen(function* () {
        const handle = yield* lab.open()
        const outcome = yield* lab.elapsing(handle.propose(lab.book("LX1", price)))
        const unended = yield* Report.of(lab.trip)
        if (outcome._tag === "Done") yield* handle.propose({ type: "goal.complete" })
        const again = yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })
        const report = yield* Report.of(lab.trip)
        const receipt = yield* Receipt.make(lab.trip, outcome)
        return { outcome, again, receipt, report, unended, transitions: yield* lab.transitions(), world }
      })
    )
  })

describe("Report", () => {
  it.effect("calls completed only an act that was read back and met the contract (L8)", () =>
    Effect.gen(function* () {
      const { report, unended } = yield* reported((answer) => answer)
      assert.deepStrictEqual([unended.standing, Report.isDone(unended)], ["partial", false])
      assert.strictEqual(unended.unfinished, "The goal was not declared reached.")
      assert.isNull(report.unfinished)
      assert.isTrue(Report.isDone(report))
      assert.strictEqual(report.say, English.words.statuses.success.user)
      assert.strictEqual(report.standing, "success")
      assert.deepStrictEqual(report.held, [])
      assert.strictEqual(report.actions[0]?.tool, "book")
    })
  )

  it.effect("calls no act a success that the record contradicts, and names the reason and the next step (L8, L9)", () =>
    Effect.gen(function* () {
      const { again, outcome, receipt, report, transitions } = yield* reported((answer) => ({
        ...(answer as object),
        price: 90
      }))
      assert.strictEqual(outcome._tag, "Held")
      assert.notInclude(JSON.stringify(report), English.words.statuses.success.user)
      assert.deepStrictEqual([report.standing, report.actions[0]?.standing], ["review_required", "review_required"])
      assert.deepInclude(report.held[0], {
        tool: "book",
        discrepancy: "value_mismatch",
        decision: "review",
        target: "seat/LX1"
      })
      assert.include(report.held[0]?.why, "let a person decide")
      assert.deepInclude(report.held[0]?.next, { run: "trip", verb: "resolve" })
      const frozen = transitions.findLast(({ body }) => body.type === "action.verified")
      assert.deepStrictEqual(
        receipt.open.map(({ since, state }) => [state, since]),
        [["review_required", frozen?.tick]]
      )
      assert.deepInclude(receipt.next[0], { action: receipt.open[0]?.action, run: "trip", verb: "resolve" } as Next)
      assert.deepStrictEqual(again.differs, [])
    })
  )

  it.effect("reports an abandoned act as given up: its effect may stand (L8)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const executor = airline(world, (answer) => ({ ...(answer as object), price: 90 }))
      const report = yield* lab.as(lab.process(store, { executor }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          const held = yield* lab.elapsing(handle.propose(lab.book("LX1")))
          const action = held._tag === "Held" ? held.action : assert.fail(held._tag)
          const data = { action, as: "abandoned", by: "Ada", evidence: "nobody answers" }
          yield* handle.propose({ type: "review.decided", author: "user", data })
          const told = { type: "message.sent", data: { reports: [{ action, standing: "failure" }] } }
          assert.strictEqual((yield* handle.propose(told))._tag, "Refused")
          return yield* Report.of(lab.trip)
        })
      )
      assert.strictEqual(world.effects.get("book LX1"), 1)
      const [{ say, standing } = assert.fail("there is no action")] = report.actions
      assert.deepStrictEqual([standing, say], ["abandoned", English.words.statuses.abandoned.user])
      assert.notInclude(JSON.stringify(report), English.words.statuses.failure.user)
    })
  )

  it.effect("sends again under the same key a request that never arrived, and replays to that decision (L7)", () =>
    Effect.gen(function* () {
      let reads = 0
      const { again, outcome, report, transitions, world } = yield* reported((answer) =>
        ++reads < 30 ? undefined : answer
      )
      assert.strictEqual(outcome._tag, "Done")
      assert.isAbove(lab.types(transitions).filter((type) => type === "action.started").length, 1)
      assert.deepStrictEqual(world.doubled, [])
      assert.strictEqual(report.standing, "success")
      assert.deepStrictEqual(again.differs, [])
    })
  )

  it.effect("claims nothing if nothing was attempted", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const report = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.look("flights"))
          return yield* Report.of(lab.trip)
        })
      )
      assert.deepStrictEqual([report.say, report.actions], [English.words.reports.nothing, []])
    })
  )

  it.effect("calls a success that rests on the tool's own word unverified (L8)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const report = yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.book("LX1"))
          yield* handle.propose(lab.tell("ada"))
          return yield* Report.of(lab.trip)
        })
      )
      assert.deepStrictEqual(
        report.actions.map(({ standing }) => standing),
        ["success", "unverified"]
      )
      assert.strictEqual(report.standing, "unverified")
    })
  )

  it.effect("leaves to the parent of a fork what was under way there, wherever the fork begins in an act", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools(world.tools) })
      const trace = yield* lab.as(process)(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* proposes(handle, lab.book("LX1"))
          return yield* lab.transitions()
        })
      )
      const [asked, settled] = ["action.request", "action.reconciled"].map((type) =>
        trace.findIndex(({ body }) => body.type === type)
      )
      for (const { tick } of trace.slice(asked, settled)) {
        const child = Run.make(`from-${tick}`)
        yield* lab.as(process)(
          Effect.gen(function* () {
            yield* Forking.fork({ parent: lab.trip, at: tick, child })
            const before = yield* Report.of(child)
            assert.deepStrictEqual([before.actions, before.held], [[], []])
            assert.match(
              before.residue.join(),
              /^book \(a2\) was under way when this run was forked: the report of run trip says what came of it\.$/
            )
            const coordinator = yield* Coordinator.Coordinator
            yield* proposes(yield* coordinator.reopen(child), lab.book("LX1"), { type: "goal.complete" })
            const after = yield* Report.of(child)
            assert.deepStrictEqual([after.actions.length, after.standing, Report.isDone(after)], [1, "success", true])
          })
        )
      }
      assert.strictEqual(world.effects.get("book LX1"), 1)
    })
  )
})
