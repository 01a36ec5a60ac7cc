import * as Kernel from "@backstitch/kernel/Kernel"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ExpectedTick from "../src/access/ExpectedTick.ts"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"

const run = Run.make("trip")

/** A process of its own over a store. */
const processOn = (store: TraceStore.TraceStore["Service"]) =>
  Coordinator.layer({ secret: "" }).pipe(
    Layer.provideMerge(ToolExecutor.layerFrom({})),
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(Layer.provide(ExpectedTick.layer, Layer.succeed(TraceStore.TraceStore, store)))
  )

const noting = (text: string, times = 1) =>
  Effect.gen(function* () {
    const handle = yield* (yield* Coordinator.Coordinator).reopen(run)
    for (let note = 0; note < times; note++) {
      yield* handle.propose({
        author: "user",
        type: "message.received",
        data: { by: "Ada", content: `${text} ${note}` }
      })
      yield* handle.flush
    }
  }).pipe(Effect.scoped)

/** A run of one tick, and a way to write to it in processes of their own. */
const begun = Effect.gen(function* () {
  const store = yield* TraceStore.makeMemory
  const within = <A, E>(
    effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof processOn>>>
  ): Effect.Effect<A, E> => Effect.provide(effect, processOn(store), { local: true })
  yield* within(
    Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.begin(run, { goal: "trip" })).pipe(
      Effect.scoped,
      Effect.orDie
    )
  )
  const head = Effect.map(store.info(run), (info) => info?.head.tick ?? 0)
  return { within, head }
})

describe("ExpectedTick", () => {
  it.effect("lets a write through at its tick, with all that it commits", () =>
    Effect.gen(function* () {
      const { head, within } = yield* begun
      const tick = yield* head
      yield* within(ExpectedTick.at(run, tick, noting("seen", 3)))
      assert.strictEqual(yield* head, tick + 3)
      const late = yield* Effect.flip(within(ExpectedTick.at(run, tick, noting("late"))))
      assert.deepInclude(late, { _tag: "TickUnmatched", expected: tick, actual: tick + 3 })
      assert.strictEqual(yield* head, tick + 3)
    })
  )

  it.effect("refuses a write before whose commit another process commits, and commits nothing of it", () =>
    Effect.gen(function* () {
      const { head, within } = yield* begun
      const tick = yield* head
      let isFaster = true
      const overtaking = (place: FaultPoint.PointName) =>
        Effect.suspend(() => {
          if (place !== "append/before" || !isFaster) return Effect.void
          isFaster = false
          // Another process knows nothing of what this one expects.
          return Effect.promise(() => Effect.runPromise(within(noting("faster"))))
        })
      const slower = ExpectedTick.at(run, tick, noting("slower")).pipe(
        Effect.provideService(FaultPoint.FaultPoint, overtaking)
      )
      const refused = yield* Effect.flip(within(slower))
      assert.deepInclude(refused, { _tag: "TickUnmatched", expected: tick, actual: tick + 1 })
      assert.strictEqual(yield* head, tick + 1)
    })
  )

  it.effect("binds writes to the one run, and those of other requests not at all", () =>
    Effect.gen(function* () {
      const { head, within } = yield* begun
      const tick = yield* head
      const another = Run.make("another")
      const begins = Effect.flatMap(Coordinator.Coordinator, (each) => each.begin(another, { goal: "another" }))
      yield* within(ExpectedTick.at(run, tick, Effect.scoped(begins)))
      yield* within(noting("free"))
      assert.strictEqual(yield* head, tick + 1)
    })
  )
})
