import * as State from "@backstitch/reducer/State"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import type * as RunFeed from "@backstitch/trace/RunFeed"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as History from "../src/history/History.ts"
import * as StepFeed from "../src/history/StepFeed.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

/** A run of some ticks. */
const recorded = Effect.gen(function* () {
  const store = yield* lab.shared
  yield* lab.as(lab.process(store, { world: new lab.World() }))(
    Effect.gen(function* () {
      const handle = yield* lab.open()
      for (let index = 0; index < 4; index++) yield* handle.propose(lab.book(`LX${index}`, 20))
    })
  )
  return store
})

describe("StepFeed", () => {
  it.effect("selects a run from a tick or from its next commit on, and a tenant from now on", () =>
    Effect.gen(function* () {
      const within = lab.as(lab.process(yield* recorded, { world: new lab.World() }))
      const { head } = yield* within(Effect.flatMap(History.History, (history) => history.info(lab.trip)))
      const run = lab.trip
      assert.deepStrictEqual(yield* within(StepFeed.select({ run, from: 3 })), { run, from: 3 })
      assert.deepStrictEqual(yield* within(StepFeed.select({ run })), { run, from: head.tick + 1 })
      const { tenant } = run
      const from = new Map([[run.id, head.tick + 1]])
      assert.deepStrictEqual(yield* within(StepFeed.select({ tenant })), { tenant, from })
      const early = yield* Effect.flip(within(StepFeed.select({ run, from: 0 })))
      assert.strictEqual(early._tag, "TickOutOfRange")
    })
  )

  it.effect(
    "follows a run with the states on both sides of each transition, from any tick on, while it is written",
    () =>
      Effect.gen(function* () {
        const store = yield* recorded
        yield* lab.as(lab.process(store, { world: new lab.World() }))(
          Effect.gen(function* () {
            const history = yield* History.History
            const { head } = yield* history.info(lab.trip)
            const more = 4
            const following = yield* Effect.forEach([0, 7, head.tick], (tick) =>
              Effect.gen(function* () {
                const steps = StepFeed.steps({ run: lab.trip, from: tick + 1 })
                const some = Stream.runCollect(Stream.take(steps, head.tick + more - tick))
                return { fiber: yield* Effect.forkChild(some), tick }
              })
            )
            const handle = yield* lab.open()
            for (let index = 0; index < more; index++) yield* handle.propose(lab.note(`later ${index}`))
            const walked: Array<string> = []
            const name = (tick: number, link: string, before: State.State, after: State.State) =>
              `${tick} ${link} ${State.digest(before)} ${State.digest(after)}`
            yield* history.walk(lab.trip, {
              from: yield* history.at(lab.trip, 0),
              to: head.tick + more,
              visit: (after, { tick }, before, at) => {
                walked.push(name(tick, at.link, before, after))
                return undefined
              }
            })
            for (const { fiber, tick } of following) {
              const steps = yield* Fiber.join(fiber)
              assert.deepStrictEqual(
                steps.map(({ head, step }) => name(step.transition.tick, head.link, step.before, step.after)),
                walked.slice(tick)
              )
            }
          })
        )
      })
  )

  it.effect("names the tick at which a followed run differs from the committed one (L3)", () =>
    Effect.gen(function* () {
      const store = yield* recorded
      const altered = Layer.effect(
        TraceStore.TraceStore,
        Effect.map(TraceStore.TraceStore, (each) => ({
          ...each,
          changes: (selection: RunFeed.Selection) =>
            Stream.map(each.changes(selection), ({ run, sealed }) => ({
              run,
              sealed: sealed.tick === 9 ? { ...sealed, link: HashChain.genesis(run).link } : sealed
            }))
        }))
      ).pipe(Layer.provide(store))
      const error = yield* lab.as(lab.process(altered))(
        Effect.flip(Stream.runDrain(StepFeed.steps({ run: lab.trip, from: 4 })))
      )
      assert.include(error, { _tag: "ChainBroken", tick: 9 })
    })
  )

  it.effect("follows more runs of a tenant than it keeps states of, each as it is folded from its beginning", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const runs = Array.from({ length: 70 }, (_, index) => Run.make(`run-${index}`))
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handles = yield* Effect.forEach(runs, (run) => coordinator.begin(run, { pack: lab.pack, goal: "goal" }))
          const following = yield* Effect.forkChild(
            Stream.runCollect(Stream.take(StepFeed.steps({ tenant: runs[0]!.tenant }), runs.length * 3))
          )
          for (const note of ["one", "two"]) {
            for (const handle of handles) yield* handle.propose(lab.note(note))
          }
          const history = yield* History.History
          for (const { head, run, step } of yield* Fiber.join(following)) {
            const { state } = yield* history.at(run, head.tick)
            assert.strictEqual(State.digest(step.after), State.digest(state))
          }
        })
      )
    })
  )
})
