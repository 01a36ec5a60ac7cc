import * as CheckpointDial from "@backstitch/ledger/CheckpointDial"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as FaultPoint from "../src/FaultPoint.ts"
import * as History from "../src/History.ts"
import * as lab from "./lab.ts"

const dialOf = (text: string) => Result.getOrThrow(CheckpointDial.parse(text))

/** Ticks that have a snapshot, and every tick of a commit, after the script was carried out under a dial. */
const kept = (text: string) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    const process = lab.process(store, { world: new lab.World(), steps: lab.script, checkpoint: dialOf(text) })
    yield* lab.as(process)(lab.elapsing(lab.work))
    return yield* lab.as(process)(
      Effect.gen(function* () {
        const all = yield* lab.transitions()
        const traces = yield* TraceStore.TraceStore
        const history = yield* History.History
        assert.deepStrictEqual((yield* history.verify(lab.trip)).divergences, [])
        return {
          snapshots: yield* traces.snapshotTicks(lab.trip),
          commits: all.filter(({ stamp }) => stamp.state !== undefined).map(({ tick }) => tick),
          started: all.filter(({ body }) => body.type === "action.started").map(({ tick }) => tick),
          last: all.length
        }
      })
    )
  })

describe("Checkpointing", () => {
  it.effect("keeps a snapshot of every commit, of none, or every N ticks", () =>
    Effect.gen(function* () {
      const micro = yield* kept("micro")
      assert.deepStrictEqual(micro.snapshots, micro.commits)
      assert.deepStrictEqual((yield* kept("never")).snapshots, [])
      const five = yield* kept("every:5")
      assert.isAbove(five.snapshots.length, 2)
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

  it.effect("makes durable by itself what a crash during a read would lose, if it was dear", () =>
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
})
