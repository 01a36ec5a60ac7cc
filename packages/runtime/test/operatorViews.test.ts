import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ActionMetrics from "@backstitch/reconciliation/ActionMetrics"
import * as Run from "@backstitch/trace/Run"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import * as English from "@backstitch/wording/English"
import type { Next } from "@backstitch/wording/Next"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as PendingApprovals from "../src/pending/PendingApprovals.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as RunMetrics from "../src/projections/RunMetrics.ts"
import * as ActionPage from "../src/reporting/ActionPage.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as MetricsExport from "../src/telemetry/MetricsExport.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"

/** One booking that was read back, and one whose record shows another price. */
const mixed = (store: Layer.Layer<TraceStore.TraceStore>) => {
  const world = new lab.World()
  const { book, ...tools } = world.tools
  const executor = ToolExecutor.fromTools({
    ...tools,
    book: {
      ...book!,
      readback: async ({ key }) => {
        const answer = world.answers.get(key ?? "")
        return answer?.["flight"] === "LX2" ? { ...answer, price: 99 } : answer
      }
    }
  })
  return lab.process(store, { executor })
}

const both = Effect.gen(function* () {
  const handle = yield* lab.open()
  yield* handle.propose(lab.look("flights"))
  yield* handle.propose(lab.book("LX1"))
  yield* lab.elapsing(handle.propose(lab.book("LX2")))
})

describe("RunMetrics", () => {
  it.effect("counts mutations of a run, each in the measures that concern it", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const { actions, measures, runs } = yield* lab.as(mixed(store))(Effect.andThen(both, RunMetrics.ofRun(lab.trip)))
      assert.deepStrictEqual([runs, actions], [1, 2])
      assert.deepStrictEqual(measures.verification_success, { numerator: 1, denominator: 2 })
      assert.deepStrictEqual(measures.verification_failure, { numerator: 1, denominator: 2 })
      assert.deepStrictEqual(measures.discrepancy, { numerator: 1, denominator: 2 })
      assert.deepStrictEqual(measures.false_success_escape, { numerator: 0, denominator: 0 })
      assert.deepStrictEqual(measures.ledger_completeness, { numerator: 2, denominator: 2 })
      assert.deepStrictEqual(Object.keys(measures), Object.keys(ActionMetrics.units))
    })
  )

  it.effect("measures the proposals since a time, with all their outcomes, and counts a fork's own alone", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.book("LX1"))
          yield* TestClock.adjust("1 hour")
          yield* handle.propose(lab.book("LX2"))
          yield* Forking.fork({
            parent: lab.trip,
            child: Run.make("other"),
            at: (yield* handle.position).head.tick
          })
          const recent = yield* RunMetrics.ofTenant(lab.trip.tenant, { since: 3_000_000 })
          assert.deepStrictEqual([recent.runs, recent.actions], [2, 1])
          const all = yield* RunMetrics.ofTenant(lab.trip.tenant)
          assert.deepStrictEqual(all.measures.verification_success, { numerator: 2, denominator: 2 })
          const fork = yield* RunMetrics.ofRun(Run.make("other"))
          assert.strictEqual(fork.actions, 2)
        })
      )
    })
  )

  it.effect("takes a true message for true, where its action was proposed before the period or the fork", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.book("LX1"))
          yield* TestClock.adjust("1 hour")
          const { head } = yield* handle.position
          const fork = Run.make("other")
          yield* Forking.fork({ parent: lab.trip, child: fork, at: head.tick })
          const child = yield* Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.reopen(fork))
          const { actions } = yield* Report.of(lab.trip)
          const reports = actions.map(({ action }) => ({ action, standing: "success" }))
          for (const each of [handle, child]) {
            assert.strictEqual((yield* each.propose({ type: "message.sent", data: { reports } }))._tag, "Done")
          }
          for (const options of [{}, { since: 3_000_000 }]) {
            const { measures } = yield* RunMetrics.ofTenant(lab.trip.tenant, options)
            assert.deepStrictEqual(measures.false_success_escape, { numerator: 0, denominator: 2 })
          }
        })
      )
    })
  )
})

describe("RunMetrics of a verifier", () => {
  it.effect("takes the earlier proposals for the baseline of a regression", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(mixed(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.book("LX1"))
          yield* TestClock.adjust("1 hour")
          yield* lab.elapsing(handle.propose(lab.book("LX2")))
          const regression = (options: { readonly since?: number }) =>
            Effect.map(RunMetrics.ofRun(lab.trip, options), ({ measures }) =>
              ActionMetrics.value(measures.verifier_regression)
            )
          assert.strictEqual(yield* regression({ since: 3_000_000 }), 1)
          assert.isUndefined(yield* regression({}))
        })
      )
    })
  )
})

describe("MetricsExport", () => {
  it.effect("count an action once, when it is settled, for any exporter of effect", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const text = yield* lab
        .as(Layer.mergeAll(mixed(store).pipe(Layer.provideMerge(MetricsExport.layer()))))(
          Effect.andThen(both, PrometheusMetrics.format())
        )
        .pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
      const value = (name: string) =>
        Number(new RegExp(`^${name}\\{.*tenant="default".*\\} (.*)$`, "m").exec(text)?.[1])
      assert.strictEqual(value("backstitch_verification_success_numerator"), 1)
      // What is held is not settled: it is not counted yet.
      assert.strictEqual(value("backstitch_verification_success_denominator"), 1)
      assert.strictEqual(value("backstitch_ledger_completeness_numerator"), 1)
      for (const name of ActionMetrics.names) assert.include(text, `# TYPE backstitch_${name}_denominator counter`)
    })
  )

  it.effect("agree with the measures of the trace, across processes that were killed and resumed", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const registry: Metric.MetricRegistry = new Map()
      const process = () => lab.process(store, { world }).pipe(Layer.provideMerge(MetricsExport.layer()))
      yield* lab
        .as(process())(
          Effect.gen(function* () {
            const coordinator = yield* Coordinator.Coordinator
            const pack = Result.getOrThrow(
              TaskPack.make({ ...lab.definition, messages: { unreconciled: "mark" } } as never)
            )
            const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
            yield* Effect.exit(handle.propose(lab.book("LX1")))
          }).pipe(lab.atPlace(6, () => Effect.die("killed")))
        )
        .pipe(Effect.exit, Effect.provideService(Metric.MetricRegistry, registry))
      const measured = yield* lab
        .as(process())(
          Effect.gen(function* () {
            const coordinator = yield* Coordinator.Coordinator
            const handle = yield* coordinator.reopen(lab.trip)
            yield* lab.elapsing(handle.resume)
            yield* handle.propose(lab.book("LX2"))
            yield* handle.propose({
              type: "message.sent",
              data: { reports: [{ action: "nobody", standing: "success" }], text: "done" }
            })
            return yield* RunMetrics.ofRun(lab.trip)
          })
        )
        .pipe(Effect.provideService(Metric.MetricRegistry, registry))
      const snapshot = yield* Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry)
      const counted = (name: string) => {
        const found = snapshot.find(({ attributes, id }) => id === name && attributes?.["tenant"] === "default")
        assert.strictEqual(found?.type, "Counter")
        return found?.type === "Counter" ? Number(found.state.count) : undefined
      }
      assert.strictEqual(measured.measures.verification_success.denominator, 2)
      for (const name of ActionMetrics.names) {
        const { denominator, numerator } = measured.measures[name]
        assert.deepStrictEqual([name, counted(`backstitch.${name}.numerator`)], [name, numerator])
        assert.deepStrictEqual([name, counted(`backstitch.${name}.denominator`)], [name, denominator])
      }
      assert.deepStrictEqual(measured.measures.false_success_escape, { numerator: 1, denominator: 1 })
    })
  )
})

describe("ActionPage", () => {
  it.effect(
    "shows states, evidence, predicates and decision of an action, and says nothing but its standing (L8)",
    () =>
      Effect.gen(function* () {
        const store = yield* lab.shared
        yield* lab.as(mixed(store))(
          Effect.gen(function* () {
            yield* both
            const { actions } = yield* Report.of(lab.trip)
            const [done, held] = actions
            const good = yield* ActionPage.of(done!.action, { tenant: lab.trip.tenant })
            assert.deepStrictEqual(
              [good.run, good.standing, good.say],
              ["trip", "success", English.words.statuses.success.user]
            )
            assert.deepStrictEqual(good.predicates, [{ source: "actual.price == args.price", held: true }])
            assert.strictEqual(good.states.at(-1)?.state, "reconciled_success")
            const bad = yield* ActionPage.of(held!.action, { tenant: lab.trip.tenant, run: lab.trip })
            assert.deepStrictEqual(bad.predicates, [{ source: "actual.price == args.price", held: false }])
            assert.strictEqual(bad.entry.reconciliation.discrepancy_class, "value_mismatch")
            assert.notStrictEqual(bad.say, English.words.statuses.success.user)
            const types = bad.lines.map(({ type }) => type)
            assert.includeMembers(types, ["action.request", "action.started", "action.verified", "recovery.decided"])
            assert.deepStrictEqual([good.anomalies, good.lacks, bad.lacks], [[], [], []])
          })
        )
      })
  )

  it.effect("says of an expectation without an answer neither that it holds nor that it does not", () =>
    Effect.gen(function* () {
      const { book, ...tools } = new lab.World().tools
      const executor = ToolExecutor.fromTools({
        ...tools,
        book: { ...book!, readback: async () => ({ flight: "LX1" }) }
      })
      yield* lab.as(lab.process(yield* lab.shared, { executor }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* lab.elapsing(handle.propose(lab.book("LX1")))
          const page = yield* ActionPage.of("a2", { tenant: lab.trip.tenant })
          assert.deepStrictEqual(page.predicates, [{ source: "actual.price == args.price", held: null }])
          assert.notStrictEqual(page.standing, "success")
        })
      )
    })
  )

  it.effect("names the runs if several have the action, and says if none has", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          for (const name of ["one", "two"]) {
            const handle = yield* lab.open(Run.make(name))
            yield* handle.propose(lab.book(name))
          }
          const { tenant } = lab.trip
          const [first] = (yield* Report.of(Run.make("one"))).actions
          const several = yield* Effect.flip(ActionPage.of(first!.action, { tenant }))
          assert.include(several.message, "one, two")
          const none = yield* Effect.flip(ActionPage.of("a99", { tenant, run: Run.make("one") }))
          assert.include(none.message, 'Run one has no action "a99"')
        })
      )
    })
  )
})

describe("PendingApprovals", () => {
  it.effect("lists the intents of every run that wait for a person, until a person decides", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose({ tool: "nobody_knows", params: { all: true } })
          const [waiting, ...others] = yield* PendingApprovals.ofTenant(lab.trip.tenant)
          assert.deepStrictEqual(others, [])
          assert.deepInclude(waiting, { run: "trip", tool: "nobody_knows", params: { all: true } })
          const { digest, review } = waiting!
          const decide = { digest, needs: ["operator"], review, run: "trip", verb: "decide" }
          assert.deepStrictEqual(
            [waiting?.approve, waiting?.deny],
            [{ ...decide, as: "approved" } as Next, { ...decide, as: "denied" } as Next]
          )
          assert.isFalse(Report.isDone(yield* Report.of(lab.trip)))
          // A fork does not wait for what its parent asked.
          yield* Forking.fork({
            parent: lab.trip,
            child: Run.make("other"),
            at: (yield* handle.position).head.tick
          })
          assert.lengthOf(yield* PendingApprovals.ofTenant(lab.trip.tenant), 1)
          const data = { by: "Ada", review: waiting!.review, role: waiting!.needs[0]!, verdict: "denied" }
          yield* handle.propose({ type: "review.decided", author: "user", data })
          assert.deepStrictEqual(yield* PendingApprovals.ofTenant(lab.trip.tenant), [])
        })
      )
    })
  )
})
