/** Questions to a store: each may be a round trip to a database, so their number is promised. */
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Agent from "../src/agent/Agent.ts"
import * as History from "../src/history/History.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as MetricsExport from "../src/telemetry/MetricsExport.ts"
import * as lab from "./lab.ts"

const questions = ["info", "read", "runs", "claims", "nearestSnapshot", "getBlobs"] as const

/** A store in memory that notes the questions that it is asked. */
const asked = Effect.gen(function* () {
  const store = yield* TraceStore.makeMemory
  const names: Array<string> = []
  const noting = Object.fromEntries(
    questions.map((name) => [
      name,
      (...args: ReadonlyArray<never>) => {
        names.push(name)
        return (store[name] as (...args: ReadonlyArray<never>) => unknown)(...args)
      }
    ])
  )
  const layer = Layer.succeed(TraceStore.TraceStore, { ...store, ...noting })
  return { layer, taken: () => names.splice(0) }
})

/** A script of steps that write, each under an identity of its own. */
const stepsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `tell ${at}`, propose: lab.tell(`guest ${at}`) }))

/** The questions that an agent asks while it takes steps that write, in a run that was begun before. */
const askedInLoop = (steps: number) =>
  Effect.gen(function* () {
    const { layer, taken } = yield* asked
    yield* lab.as(lab.process(layer))(lab.open())
    const process = Layer.merge(lab.process(layer, { steps: stepsOf(steps), lawless: true }), MetricsExport.layer())
    return yield* lab.as(process)(
      Effect.gen(function* () {
        const handle = yield* lab.open()
        taken()
        const outcome = yield* lab.elapsing(Agent.run(handle))
        assert.strictEqual(outcome?._tag, "Done")
        return taken()
      })
    )
  })

describe("questions to a store", () => {
  it.effect("asks no more questions for more steps: a writer reads nothing back of what it has committed", () =>
    Effect.gen(function* () {
      const few = yield* askedInLoop(2)
      assert.deepStrictEqual(yield* askedInLoop(12), few)
      assert.isAtMost(few.length, 3)
    })
  )

  it.effect("asks once about a run to begin it, however many others there are", () =>
    Effect.gen(function* () {
      const { layer, taken } = yield* asked
      yield* lab.as(lab.process(layer, { lawless: true }))(
        Effect.gen(function* () {
          // With its first run a coordinator looks at the names and the secret of the store.
          yield* lab.open()
          taken()
          const coordinator = yield* Coordinator.Coordinator
          yield* coordinator.begin(Run.make("another"), { pack: lab.pack, goal: "goal" })
          assert.deepStrictEqual(taken(), ["info"])
        })
      )
    })
  )

  it.effect("asks about a run, its snapshot and its transitions once to fold its head, or to read a range", () =>
    Effect.gen(function* () {
      const { layer, taken } = yield* asked
      const process = lab.process(layer, { lawless: true, snapshotEvery: 8, steps: stepsOf(6) })
      yield* lab.as(process)(lab.elapsing(lab.work))
      yield* lab.as(process)(
        Effect.gen(function* () {
          const history = yield* History.History
          taken()
          const { head, whole = 0 } = yield* history.at(lab.trip)
          assert.isAbove(whole, 0)
          assert.deepStrictEqual(
            taken().filter((name) => name !== "getBlobs"),
            ["info", "nearestSnapshot", "read"]
          )
          yield* history.at(lab.trip, 0)
          assert.deepStrictEqual(taken(), ["info"])
          const some = yield* history.transitions(lab.trip, { from: head.tick - 2 })
          assert.deepStrictEqual(
            some.map(({ tick }) => tick),
            [head.tick - 2, head.tick - 1, head.tick]
          )
          assert.deepStrictEqual(taken(), ["info", "read"])
        })
      )
    })
  )
})
