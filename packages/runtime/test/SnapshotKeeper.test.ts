import * as SnapshotDial from "@backstitch/reducer/SnapshotDial"
import * as State from "@backstitch/reducer/State"
import type { Digest } from "@backstitch/trace/Digest"
import * as List from "@backstitch/trace/List"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as History from "../src/history/History.ts"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as lab from "./lab.ts"
import * as searching from "./searching.ts"

const dialOf = (text: string) => Result.getOrThrow(SnapshotDial.parse(text))

/** Ticks that have a snapshot, and every tick of a commit, after the script was carried out under a dial. */
const kept = (text: string) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    const process = lab.process(store, { world: new lab.World(), steps: lab.script, snapshots: dialOf(text) })
    yield* lab.as(process)(lab.elapsing(lab.work))
    return yield* lab.as(process)(
      Effect.gen(function* () {
        const all = yield* lab.transitions()
        const traces = yield* TraceStore.TraceStore
        assert.deepStrictEqual((yield* StrictReplay.of(lab.trip)).divergences, [])
        return {
          snapshots: yield* traces.snapshotTicks(lab.trip),
          commits: all.filter(({ stamp }) => stamp.state !== undefined).map(({ tick }) => tick),
          started: all.filter(({ body }) => body.type === "action.started").map(({ tick }) => tick),
          last: all.length
        }
      })
    )
  })

describe("SnapshotKeeper", () => {
  it.effect("keeps a snapshot of every commit, of none, or every N ticks", () =>
    Effect.gen(function* () {
      const micro = yield* kept("micro")
      assert.deepStrictEqual(micro.snapshots, micro.commits)
      assert.deepStrictEqual((yield* kept("never")).snapshots, [])
      const five = yield* kept("every:5")
      assert.isAtLeast(five.snapshots.length, 2)
      for (const [index, tick] of five.snapshots.entries()) assert.isAtLeast(tick - (five.snapshots[index - 1] ?? 0), 5)
    })
  )

  it.effect("keeps one before every tool is called, of all that precedes the call", () =>
    Effect.gen(function* () {
      const { snapshots, started } = yield* kept("tool")
      assert.strictEqual(snapshots.length, 4)
      for (const tick of started) assert.include(snapshots, tick)
    })
  )

  it.effect("makes durable by itself the work that a crash during a read would lose, if it was expensive", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const durable = (tokens: number) =>
        lab.as(lab.process(store, { world: new lab.World() }))(
          Effect.gen(function* () {
            const handle = yield* lab.open()
            let before = 0
            yield* handle.propose({ ...lab.look("x"), tokens }).pipe(
              Effect.provideService(FaultPoint.FaultPoint, (place) =>
                place === "effect/before"
                  ? Effect.map(handle.position, ({ head }) => {
                      before = head.tick
                    })
                  : Effect.void
              )
            )
            return (yield* handle.position).head.tick - before
          })
        )
      // The request and its answer in one commit, or the request first.
      assert.strictEqual(yield* durable(10), 2)
      assert.strictEqual(yield* durable(5000), 1)
    })
  )

  it.effect("counts from the last snapshot, however little each of many processes did", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      let most = 0
      for (let index = 0; index < 12; index++) {
        const process = lab.process(store, { world: new lab.World(), snapshots: SnapshotDial.every(20) })
        yield* lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* lab.open()
            const { head } = yield* handle.position
            const nearest = yield* (yield* TraceStore.TraceStore).nearestSnapshot(lab.trip, head.tick)
            most = Math.max(most, head.tick - (nearest?.tick ?? 0))
            yield* handle.propose(lab.book(`LX${index}`, 20))
          })
        )
      }
      assert.isAbove(most, 10)
      assert.isBelow(most, 30)
    })
  )

  it.effect("tries again with the next commit if a snapshot could not be kept", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      let refused = 0
      const cause = new Error("full")
      const failure = new TraceStore.TraceStoreError({ operation: "snapshots", reason: "full", store: "lab", cause })
      const failing = Layer.effect(
        TraceStore.TraceStore,
        Effect.map(TraceStore.TraceStore, (each) => ({
          ...each,
          putSnapshot: (...given: Parameters<typeof each.putSnapshot>) =>
            refused++ === 0 ? Effect.fail(failure) : each.putSnapshot(...given)
        }))
      ).pipe(Layer.provide(store))
      const options = { world: new lab.World(), snapshots: SnapshotDial.every(10) }
      const ticks = yield* lab.as(lab.process(failing, options))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          for (let index = 0; index < 14; index++) yield* handle.propose(lab.note(`n${index}`))
          return yield* (yield* TraceStore.TraceStore).snapshotTicks(lab.trip)
        })
      )
      assert.isAbove(refused, 1)
      assert.isBelow(ticks[0] ?? Number.POSITIVE_INFINITY, 15)
    })
  )

  it.effect("counts as the topology of the pack says, unless the program does, also in a process that goes on", () =>
    Effect.gen(function* () {
      const pack = searching.packOf({ kind: "react", steps: 400, checkpoint: 10 })
      const store = yield* lab.shared
      const nearest = (handle: RunHandle.RunHandle) =>
        Effect.gen(function* () {
          const { head } = yield* handle.position
          const found = yield* (yield* TraceStore.TraceStore).nearestSnapshot(searching.run, head.tick)
          return head.tick - (found?.tick ?? 0)
        })
      const searches = (handle: RunHandle.RunHandle) =>
        Effect.andThen(searching.searches(handle, 12), Effect.andThen(handle.flush, nearest(handle)))
      const begin = Effect.flatMap(Coordinator.Coordinator, (each) => each.open(searching.run, { pack, goal: "find" }))
      const resume = Effect.flatMap(Coordinator.Coordinator, (each) => each.reopen(searching.run))
      for (const open of [begin, resume]) {
        const behind = yield* lab.as(searching.processOf(store))(Effect.scoped(Effect.flatMap(open, searches)))
        assert.isBelow(behind, 14)
      }
    })
  )

  it.effect("keeps the changes in a fresh process, and reads no more of a long run than that", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const options = { world: new lab.World(), snapshots: SnapshotDial.every(50) }
      yield* lab.as(lab.process(store, options))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          for (let index = 0; index < 150; index++) yield* handle.propose(lab.note(`n${index}`))
        })
      )
      const counts = { read: 0, put: 0 }
      const counting = Layer.effect(
        TraceStore.TraceStore,
        Effect.map(TraceStore.TraceStore, (each) => ({
          ...each,
          blob: (digest: Digest) => {
            counts.read++
            return each.blob?.(digest)
          },
          putSnapshot: (...[run, snapshot, nodes]: Parameters<typeof each.putSnapshot>) => {
            counts.put += nodes?.size ?? 0
            return each.putSnapshot(run, snapshot, nodes)
          }
        }))
      ).pipe(Layer.provide(store))
      yield* lab.as(lab.process(counting, { ...options, snapshots: SnapshotDial.every(1) }))(
        Effect.flatMap(lab.open(), (handle) => handle.propose(lab.note("one more")))
      )
      assert.isAbove(counts.put, 0)
      assert.isBelow(counts.put, 30)
      assert.isBelow(counts.read, 60)
      const whole = yield* lab.as(lab.process(store))(
        Effect.flatMap(History.History, (history) =>
          Effect.flatMap(history.info(lab.trip), ({ head }) => history.at(lab.trip, head.tick))
        )
      )
      assert.strictEqual(List.is(whole.state.working["notes"]) && [...whole.state.working["notes"]].length, 151)
    })
  )

  it.effect("keeps after a snapshot that was lost the nodes of that one, too", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      let asked = 0
      const failing = Layer.effect(
        TraceStore.TraceStore,
        Effect.map(TraceStore.TraceStore, (each) => ({
          ...each,
          putSnapshot: (...given: Parameters<typeof each.putSnapshot>) =>
            ++asked % 3 === 2
              ? Effect.fail(
                  new TraceStore.TraceStoreError({ operation: "snapshots", store: "", reason: "lost", cause: "" })
                )
              : each.putSnapshot(...given)
        }))
      ).pipe(Layer.provide(store))
      yield* lab.as(lab.process(failing, { world: new lab.World(), snapshots: SnapshotDial.every(1) }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          for (let index = 0; index < 40; index++) yield* handle.propose(lab.note(`n${index}`))
        })
      )
      assert.isAbove(asked, 9)
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const history = yield* History.History
          for (const tick of yield* (yield* TraceStore.TraceStore).snapshotTicks(lab.trip)) {
            const { state, whole } = yield* history.at(lab.trip, tick)
            assert.strictEqual(whole, tick)
            // To write a state down reads each of its nodes.
            assert.doesNotThrow(() => State.toJson(state))
          }
        })
      )
    })
  )
})
