import * as Fold from "@backstitch/reducer/Fold"
import * as Snapshot from "@backstitch/reducer/Snapshot"
import * as State from "@backstitch/reducer/State"
import * as Run from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

/** The same traces without their snapshots. */
const withoutSnapshots = (store: Layer.Layer<TraceStore.TraceStore>) =>
  Layer.effect(
    TraceStore.TraceStore,
    Effect.map(TraceStore.TraceStore, (each) => ({ ...each, nearestSnapshot: () => Effect.succeed(undefined) }))
  ).pipe(Layer.provide(store))

const historyOf = Effect.flatMap(History.History, Effect.succeed)

describe("History", () => {
  it.effect("folds any state from the nearest snapshot as from the first tick (L2)", () =>
    Effect.gen(function* () {
      const store = yield* lab.recorded
      const states = (from: Layer.Layer<TraceStore.TraceStore>) =>
        lab.as(lab.process(from))(
          Effect.gen(function* () {
            const history = yield* historyOf
            const { head } = yield* history.info(lab.trip)
            return yield* Effect.forEach(
              Array.from({ length: head.tick + 1 }, (_, tick) => tick),
              (tick) => Effect.map(history.at(lab.trip, tick), ({ head, state }) => [head.link, State.digest(state)])
            )
          })
        )
      const travelled = yield* states(store)
      assert.isAbove(travelled.length, 30)
      assert.deepStrictEqual(travelled, yield* states(withoutSnapshots(store)))
      const ticks = yield* lab.as(store)(
        Effect.flatMap(TraceStore.TraceStore, ({ snapshotTicks }) => snapshotTicks(lab.trip))
      )
      assert.isAbove(ticks.length, 3)
    })
  )

  it.effect("does not use a snapshot that does not match the chain", () =>
    Effect.gen(function* () {
      const store = yield* lab.recorded
      const lying = Layer.effect(
        TraceStore.TraceStore,
        Effect.map(TraceStore.TraceStore, (each) => ({
          ...each,
          nearestSnapshot: () =>
            Effect.succeed({ tick: 20, text: Snapshot.write(State.empty, { has: () => false, put: () => {} }) })
        }))
      ).pipe(Layer.provide(store))
      const digest = (from: Layer.Layer<TraceStore.TraceStore>) =>
        lab.as(lab.process(from))(
          Effect.flatMap(historyOf, ({ at }) => Effect.map(at(lab.trip, 22), ({ state }) => State.digest(state)))
        )
      assert.strictEqual(yield* digest(lying), yield* digest(store))
    })
  )

  it.effect("refuses a tick that the run does not have, and says which it has", () =>
    Effect.gen(function* () {
      const store = yield* lab.recorded
      for (const tick of [-1, 32, 1.5]) {
        const error = yield* Effect.flip(
          lab.as(lab.process(store))(Effect.flatMap(historyOf, ({ at }) => at(lab.trip, tick)))
        )
        assert.include(error.message, "ticks 1 to 31")
      }
    })
  )
})

describe("Library", () => {
  it.effect("keeps packs with the traces that name them, so that another process can fold them", () =>
    Effect.gen(function* () {
      const store = yield* lab.recorded
      const pack = yield* lab.as(lab.process(store))(
        Effect.flatMap(PackLibrary.PackLibrary, (library) => library.pack(lab.pack.digest))
      )
      assert.strictEqual(pack.digest, lab.pack.digest)
      assert.notStrictEqual(pack, lab.pack)
    })
  )

  it.effect("names the missing part if a pack did not travel with its trace", () =>
    Effect.gen(function* () {
      const store = yield* lab.recorded
      const bare = Layer.effect(
        TraceStore.TraceStore,
        Effect.map(TraceStore.TraceStore, (each) => ({ ...each, getBlobs: () => Effect.succeed(new Map()) }))
      ).pipe(Layer.provide(withoutSnapshots(store)))
      const error = yield* Effect.flip(
        lab.as(lab.process(bare, { lawless: true }))(Effect.flatMap(historyOf, ({ at }) => at(lab.trip, 5)))
      )
      assert.instanceOf(error, Fold.SourceMissing)
      assert.include(error.message, "the pack")
    })
  )

  it.effect("keeps the sections in which runs begin, once for all of them", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const rows = Table.from(Array.from({ length: 200 }, (_, index) => [`B${index}`, { price: index }] as const))
      const initial = { world: { bookings: rows, told: [], spent: 7 }, working: { notes: [] } }
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          for (const id of ["first", "second"]) {
            const handle = yield* coordinator.begin(Run.make(id), { pack: lab.pack, goal: "goal", initial })
            yield* handle.propose({ type: "message.received", author: "user", data: { text: "hello" } })
          }
        })
      )
      const { state } = yield* lab.as(lab.process(store))(StrictReplay.of(Run.make("second")))
      assert.strictEqual(state.world["spent"], 7)
      assert.strictEqual(State.fieldDigest(state.world["bookings"]!), State.fieldDigest(rows))
    })
  )
})
