import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RunMetrics from "../src/projections/RunMetrics.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Explanation from "../src/reporting/Explanation.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Bisecting from "../src/versioning/Bisecting.ts"
import * as lab from "./lab.ts"
import { opened, packOf, processOf, recorded, run, searches } from "./searching.ts"

describe("alarms of a run", () => {
  it.effect("are committed once, in whatever processes the run goes on, and are found again by a replay (T10)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const goes = (times: number) =>
        lab.as(processOf(store))(
          Effect.scoped(Effect.flatMap(opened(), (handle) => Effect.andThen(searches(handle, times), handle.flush)))
        )
      yield* goes(9)
      yield* goes(9)
      yield* goes(9)
      yield* lab.as(processOf(store))(
        Effect.gen(function* () {
          const alarms = yield* recorded
          assert.deepStrictEqual(
            alarms.map(({ crack }) => crack),
            ["runaway"]
          )
          const [alarm] = alarms
          const { onset } = yield* Bisecting.bisect(run, { predicate: "topology.runaway" })
          assert.strictEqual(alarm?.at, onset)
          assert.isAbove(alarm!.tick, alarm!.at)
          const { differs } = yield* DecisionReplay.redecide(run)
          assert.deepStrictEqual(differs, [])
          assert.deepStrictEqual((yield* StrictReplay.of(run)).divergences, [])
          const none = yield* Bisecting.bisect(run, { predicate: "kernel.contract_kept" })
          assert.isNull(none.onset)
          const { alarms: counted } = yield* RunMetrics.ofRun(run)
          assert.deepStrictEqual(counted, { "topology.runaway": 1 })
          const { verdict, why } = yield* Explanation.explain(run, alarm!.tick)
          assert.strictEqual(verdict, "violated")
          assert.match(why, /call after call of "search" brings nothing new\. First, check the rule/)
        })
      )
    })
  )

  it.effect("are the same with two writers at once, each of them once", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const one = Effect.scoped(
        Effect.flatMap(opened(), (handle) => Effect.andThen(searches(handle, 15), handle.flush))
      )
      yield* Effect.all([lab.as(processOf(store))(one), lab.as(processOf(store))(one)], { concurrency: 2 })
      yield* lab.as(processOf(store))(
        Effect.gen(function* () {
          assert.strictEqual((yield* recorded).filter(({ crack }) => crack === "runaway").length, 1)
          assert.deepStrictEqual((yield* DecisionReplay.redecide(run)).differs, [])
        })
      )
    })
  )

  it.effect("are committed once, although many fibers propose and commit on one handle at the same time (T10)", () =>
    Effect.gen(function* () {
      const memory = yield* TraceStore.makeMemory
      const slow = Layer.succeed(TraceStore.TraceStore, {
        ...memory,
        append: (commit: TraceStore.Append) => Effect.andThen(Effect.yieldNow, memory.append(commit))
      })
      yield* lab.as(processOf(slow))(
        Effect.scoped(
          Effect.gen(function* () {
            const handle = yield* opened()
            const fiber = Effect.andThen(searches(handle, 5), handle.flush)
            yield* Effect.all(
              Array.from({ length: 6 }, () => fiber),
              { concurrency: "unbounded" }
            )
            assert.deepStrictEqual(
              (yield* recorded).map(({ crack }) => crack),
              ["runaway"]
            )
          })
        )
      )
    })
  )

  it.effect("are raised under no pack without a topology", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(processOf(store))(
        Effect.scoped(
          Effect.gen(function* () {
            const coordinator = yield* Coordinator.Coordinator
            const handle = yield* coordinator.open(run, { pack: packOf(), goal: "find" })
            yield* searches(handle, 20)
            yield* handle.flush
            assert.isUndefined(yield* handle.alarms)
            assert.deepStrictEqual(yield* recorded, [])
          })
        )
      )
    })
  )

  it.effect("count as disobedience where they do not follow from the transitions before them", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(processOf(store))(
        Effect.scoped(
          Effect.gen(function* () {
            const handle = yield* opened()
            yield* searches(handle, 2)
            yield* handle.annotate("predicate.violation", { at: 3, predicate: "topology.runaway" })
            yield* handle.flush
            const { differs } = yield* DecisionReplay.redecide(run)
            assert.strictEqual(differs.length, 1)
          })
        )
      )
    })
  )
})
