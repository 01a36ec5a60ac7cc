import type * as AgentFile from "@backstitch/runtime/AgentFile"
import * as History from "@backstitch/runtime/History"
import * as Planner from "@backstitch/runtime/Planner"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as journey from "../../runtime/test/journey.ts"
import * as lab from "../../runtime/test/lab.ts"
import * as RecordedReplay from "../src/RecordedReplay.ts"

const agent = (steps: ReadonlyArray<Planner.ScriptStep>): AgentFile.AgentFile => ({
  agent: { pack: "", goal: "journey", steps, tools: {} },
  pack: journey.pack,
  planner: Planner.layerScript(steps),
  executor: ToolExecutor.layerFrom({})
})

describe("RecordedReplay", () => {
  it.effect("runs an agent again on recorded outputs, and it does the same without touching the world", () =>
    Effect.gen(function* () {
      const { process, world } = yield* journey.travelled()
      const sent = world.log.length
      const replayed = yield* lab.as(process)(
        RecordedReplay.replay(lab.trip, agent(journey.steps), { secret: "other" })
      )
      assert.deepStrictEqual([replayed.same, replayed.partedAt], [true, null])
      assert.strictEqual(replayed.replayed.transitions, replayed.recorded.ticks)
      assert.strictEqual(world.log.length, sent)
    })
  )

  it.effect("keeps the new course of the agent as a run of its own if it is given a name", () =>
    Effect.gen(function* () {
      const { store } = yield* journey.travelled()
      // It has keys under another secret than that of the lab.
      yield* lab.as(lab.process(store, { lawless: true }))(
        Effect.gen(function* () {
          const options = { as: journey.other, secret: "other" }
          yield* RecordedReplay.replay(lab.trip, agent(journey.steps), options)
          const history = yield* History.History
          assert.strictEqual(
            (yield* history.info(journey.other)).head.story,
            (yield* history.info(lab.trip)).head.story
          )
        })
      )
    })
  )

  it.effect("commits a kernel.anomaly for an output that was never recorded, and never calls the tool", () =>
    Effect.gen(function* () {
      const { process, world } = yield* journey.travelled()
      const sent = world.log.length
      const steps = [...journey.steps.slice(0, 1), { id: "new", propose: lab.look("trains") }]
      const replayed = yield* lab.as(process)(RecordedReplay.replay(lab.trip, agent(steps), { secret: "other" }))
      assert.isFalse(replayed.same)
      assert.strictEqual(replayed.partedAt, 3)
      assert.strictEqual(replayed.replayed.anomalies, 1)
      assert.strictEqual(world.log.length, sent)
    })
  )

  it.effect("answers each recorded action once, by tool and arguments", () =>
    Effect.gen(function* () {
      const one = {
        tool: "look",
        params: { q: "a" },
        answers: [{ via: "call", answer: { _tag: "Ok", output: 1 } }],
        readback: undefined,
        others: {}
      } as const
      const executor = RecordedReplay.executor([
        one,
        { ...one, answers: [{ via: "call", answer: { _tag: "Ok", output: 2 } }] }
      ])
      const ask = (action: string) =>
        executor.call({ tool: "look", params: { q: "a" }, action, key: undefined, deadlineMillis: 1 })
      assert.deepStrictEqual(yield* ask("a1"), { _tag: "Ok", output: 1 })
      assert.deepStrictEqual(yield* ask("a1"), { _tag: "Ok", output: 1 })
      assert.deepStrictEqual(yield* ask("a2"), { _tag: "Ok", output: 2 })
      assert.deepStrictEqual(yield* ask("a3"), ToolExecutor.notRecorded)
    })
  )
})

describe("recorded mode", () => {
  it.effect("answers from the record, and calls nothing", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const executor = RecordedReplay.executor([
        {
          tool: "look",
          params: { q: "x" },
          answers: [{ via: "call", answer: { _tag: "Ok", output: { found: "LX1" } } }],
          readback: undefined,
          others: {}
        }
      ])
      const outcome = yield* lab.as(lab.process(store, { executor }))(
        Effect.flatMap(lab.open(), (handle) => handle.propose(lab.look("x")))
      )
      assert.deepInclude(outcome, { _tag: "Done", output: { found: "LX1" } })
    })
  )

  it.effect("commits a missing output as a kernel.anomaly, and never makes a live call", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const executor = RecordedReplay.executor([])
      const all = yield* lab.as(lab.process(store, { executor }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          assert.strictEqual((yield* handle.propose(lab.look("x")))._tag, "Failed")
          assert.strictEqual((yield* handle.propose(lab.book("LX1")))._tag, "Held")
          yield* StrictReplay.of(lab.trip)
          return yield* lab.transitions()
        })
      )
      const anomalies = all.filter(({ body }) => body.type === "kernel.anomaly")
      assert.deepInclude(anomalies[0]?.body, {
        action: { id: "a2" },
        data: { kind: "replay.missing_output", tool: "look" }
      })
      assert.strictEqual(anomalies.at(-1)?.body.data?.["kind"], "replay.missing_output")
    })
  )
})
