import * as TopologyEvent from "@backstitch/topology/TopologyEvent"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Agent from "../src/agent/Agent.ts"
import * as RunDiagnosis from "../src/reporting/RunDiagnosis.ts"
import * as Roles from "../src/topology/Roles.ts"
import * as TopologyLab from "./topologyLab.ts"

const { idle, resultOf, works } = TopologyLab

describe("roles that fail, hang or wait", () => {
  it.effect("have their run stop for a call that waits for a person, although they were given up before", () =>
    TopologyLab.within({ kind: "orchestrator", silence: "1s" }, ({ handle }) =>
      Effect.gen(function* () {
        let isCalled = false
        // The call takes longer than its role may be silent, and then needs an approval.
        const slow: typeof handle = {
          ...handle,
          propose: (proposal) => {
            isCalled ||= "tool" in proposal
            return "tool" in proposal ? Effect.delay(handle.propose(proposal), "5 seconds") : handle.propose(proposal)
          }
        }
        const boss = () => [{ task: "one", brief: "Wipe the blackboard" }]
        const worker = (_: unknown, { call }: Roles.Desk) => call("wipe")
        const running = yield* Effect.forkChild(
          Effect.provide(Agent.run(slow), Layer.merge(idle, Roles.layerFrom({ boss, worker })))
        )
        yield* TopologyLab.until(() => isCalled)
        for (let second = 0; second < 8; second++) {
          yield* TestClock.adjust("1 second")
          yield* Effect.promise(() => new Promise((later) => setImmediate(later)))
        }
        assert.strictEqual((yield* Fiber.join(running))?._tag, "Parked")
        const bodies = (yield* handle.transitions(1)).map(({ body }) => body)
        assert.isFalse(bodies.some(TopologyEvent.isQuestion))
      })
    )
  )

  it.effect("wait for a person however often and late their run is resumed, and are lost by none of it", () =>
    TopologyLab.within({ kind: "orchestrator", silence: "5s" }, ({ handle, reopen, run }) =>
      Effect.gen(function* () {
        const boss = () => ["one", "two"].map((task) => ({ task, brief: `Wipe the blackboard ${task}` }))
        const worker = (_: unknown, { call }: Roles.Desk) => call("wipe")
        const acts = (opened: typeof handle) =>
          Effect.provide(Agent.run(opened), Layer.merge(idle, Roles.layerFrom({ boss, worker })))
        assert.strictEqual((yield* acts(handle))?._tag, "Parked")
        for (let times = 0; times < 4; times++) {
          yield* TestClock.adjust("2 minutes")
          assert.strictEqual((yield* acts(yield* reopen))?._tag, "Parked")
        }
        const { cracks, held } = yield* RunDiagnosis.of(run)
        assert.deepStrictEqual([cracks, held.map(({ action }) => action)], [[], [null]])
      })
    )
  )

  it.effect("put their errors on record with an alarm, at which a run that is to be held orders nothing more", () =>
    Effect.gen(function* () {
      const boss = () => [{ task: "one", brief: "Count the pages" }]
      let tries = 0
      const worker = () => (++tries === 1 ? Promise.reject(new Error("no ink")) : 7)
      const declared = { kind: "orchestrator", silence: "30s" } as const
      const treated = yield* works(declared, { boss, worker })
      assert.deepStrictEqual(resultOf(treated.outcome), { one: 7 })
      const [crack] = treated.diagnosis.cracks
      assert.deepInclude(crack, { crack: "lost_handoff", signal: "worker_failed", subject: "one" })
      assert.strictEqual(crack?.treated?.way, "collected")
      assert.strictEqual(crack?.cured, "its result was taken over")
      assert.isTrue(treated.diagnosis.suspect?.treated)
      tries = 0
      const { memos, outcome } = yield* works({ ...declared, on_alarm: "hold" }, { boss, worker })
      assert.deepInclude(outcome, { _tag: "Held", action: "topology.lost_handoff" })
      assert.deepStrictEqual(
        memos.filter((memo) => memo.split(" ").includes("one")),
        ["dispatch one worker", "failure no ink one"]
      )
    })
  )

  it.effect("are told of where no silence is declared and one gives no sign, and are neither ended nor blamed", () =>
    TopologyLab.within({ kind: "orchestrator" }, ({ handle, memos, run }) =>
      Effect.gen(function* () {
        const { promise, resolve } = Promise.withResolvers<string>()
        let isAtWork = false
        const worker = () => {
          isAtWork = true
          return promise
        }
        const boss = () => [{ task: "one", brief: "Count the pages" }]
        const running = yield* Effect.forkChild(
          Effect.provide(Agent.run(handle), Layer.merge(idle, Roles.layerFrom({ boss, worker })))
        )
        yield* TopologyLab.until(() => isAtWork)
        const waits = Effect.map(memos, (all) => all.filter((memo) => memo.startsWith("wait")))
        const lasts = Effect.fnUntraced(function* (minutes: number, notes: number) {
          yield* TestClock.adjust(`${minutes} minutes`)
          for (let turn = 0; turn < 1000 && (yield* waits).length < notes; turn++) {
            yield* Effect.promise(() => new Promise((later) => setImmediate(later)))
          }
          assert.lengthOf(yield* waits, notes)
        })
        yield* lasts(9, 0)
        yield* lasts(1, 1)
        yield* lasts(9, 1)
        yield* lasts(1, 2)
        yield* lasts(20, 3)
        assert.deepStrictEqual(yield* waits, [
          "wait 600000 one worker",
          "wait 1200000 one worker",
          "wait 2400000 one worker"
        ])
        const { isHealthy, suspect, waits: shown } = yield* RunDiagnosis.of(run)
        assert.deepStrictEqual([isHealthy, suspect?.name], [false, "an agent without a sign"])
        assert.deepStrictEqual(
          shown.map(({ say }) => say),
          ["worker gave no sign for 40m of task one, and has given none since"]
        )
        resolve("300 pages")
        assert.deepStrictEqual(resultOf(yield* Fiber.join(running)), { one: "300 pages" })
        assert.deepInclude(yield* RunDiagnosis.of(run), { cracks: [], isHealthy: true, waits: [] })
      })
    )
  )
})
