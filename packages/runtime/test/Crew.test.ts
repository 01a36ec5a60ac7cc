import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Topology from "@backstitch/contracts/Topology"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as Limits from "../src/Limits.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as RunDiagnosis from "../src/reporting/RunDiagnosis.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as Crew from "../src/topology/Crew.ts"
import * as Handoffs from "../src/topology/Handoffs.ts"
import * as TopologyLab from "./topologyLab.ts"

const run = Run.make("book-1")
const pack = Result.getOrThrow(
  TaskPack.make({ pack: "acme.press", version: "1.0.0", topology: { kind: "orchestrator", silence: "30s" } })
)
const declared = pack.topology as Topology.Topology

const layers = Coordinator.layer({ secret: "s" }).pipe(
  Layer.provideMerge(ToolExecutor.layerFrom({})),
  Layer.provideMerge(History.layer(Kernel.standard)),
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(TraceStore.layerMemory)
)

/** Orders with the same work for each. */
const withWork = <R>(
  orders: ReadonlyArray<Handoffs.Order>,
  work: (order: Handoffs.Order) => Effect.Effect<unknown, unknown, R>
): ReadonlyArray<Crew.WorkOrder<R>> => orders.map((order) => ({ ...order, work: work(order) }))

const orders: ReadonlyArray<Handoffs.Order> = ["t1", "t2", "t3"].map((task, index) => ({
  task,
  worker: `w${index + 1}`,
  brief: `Sum the numbers of chapter ${index + 1} up`
}))

const { workersMax } = Limits.pacing

const chapters = (count: number): ReadonlyArray<Handoffs.Order> =>
  Array.from({ length: count }, (_, index) => ({
    task: `t${index}`,
    worker: `w${index}`,
    brief: `Sum the numbers of chapter ${index} up`
  }))

const open = Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.open(run, { pack, goal: "the sums" }))

const memos = Effect.gen(function* () {
  const history = yield* History.History
  const found = yield* history.transitions(run)
  return found.flatMap(({ body }) => {
    const memo = (body.data?.["topology"] ?? {}) as { readonly memo?: string; readonly task?: string }
    return memo.memo === undefined ? [] : [`${memo.memo} ${memo.task}`]
  })
})

describe("Crew", () => {
  it.effect("orders each task once, and collects every result", () =>
    Effect.gen(function* () {
      const handle = yield* open
      const work = ({ task }: Handoffs.Order) => Effect.succeed(`sum of ${task}`)
      const crew = yield* Crew.make(handle, { declared, boss: "boss" })
      const ended = yield* crew.fulfil(withWork(orders, work))
      assert.deepStrictEqual(ended, {
        _tag: "Done",
        results: { t1: "sum of t1", t2: "sum of t2", t3: "sum of t3" }
      })
      const all = orders.flatMap(({ task }) => [`collect ${task}`, `dispatch ${task}`, `report ${task}`])
      assert.deepStrictEqual((yield* memos).toSorted(), all.toSorted())
      assert.isTrue((yield* RunDiagnosis.of(run)).isHealthy)
    }).pipe(Effect.scoped, Effect.provide(layers))
  )

  it.effect("has a task worked on once whose worker ends while the boss looks at another one", () =>
    Effect.gen(function* () {
      const handle = yield* open
      const begun: Array<string> = []
      const first = yield* Deferred.make<void>()
      // The boss is slow to collect the first result: the second one is handed in meanwhile.
      const others = Effect.promise(() => new Promise(setImmediate)).pipe(Effect.repeat({ times: 100 }))
      const slow: RunHandle.RunHandle = {
        ...handle,
        propose: Effect.fnUntraced(function* (proposal) {
          if (proposal.command === "collect t1") {
            yield* Deferred.succeed(first, undefined)
            yield* others
          }
          return yield* handle.propose(proposal)
        })
      }
      const work = ({ task }: Handoffs.Order) =>
        Effect.gen(function* () {
          begun.push(task)
          if (task !== "t1") yield* Deferred.await(first)
          return `sum of ${task}`
        })
      const crew = yield* Crew.make(slow, { declared, boss: "boss" })
      assert.strictEqual((yield* crew.fulfil(withWork(orders, work)))._tag, "Done")
      yield* others
      assert.deepStrictEqual(begun, ["t1", "t2", "t3"])
    }).pipe(Effect.scoped, Effect.provide(layers))
  )

  it.effect("orders a task once more when its worker is killed, and asks a person after the second loss", () =>
    Effect.gen(function* () {
      const handle = yield* open
      const begun: Array<string> = []
      const work = ({ task }: Handoffs.Order) =>
        Effect.gen(function* () {
          begun.push(task)
          if (task === "t2") return yield* Effect.fail("the tool is broken")
          return `sum of ${task}`
        })
      const crew = yield* Crew.make(handle, { declared, boss: "boss" })
      assert.deepStrictEqual(yield* crew.fulfil(withWork(orders, work)), {
        _tag: "Asked",
        tasks: ["t2"],
        errors: { t2: "the tool is broken" }
      })
      assert.deepStrictEqual(begun.toSorted(), ["t1", "t2", "t2", "t3"])
      assert.isFalse(yield* crew.kill("t2"))
    }).pipe(Effect.scoped, Effect.provide(layers))
  )

  it.effect("kills one worker and no other; the second one of its task hands in", () =>
    Effect.gen(function* () {
      const handle = yield* open
      let tries = 0
      const crew: Crew.Crew = yield* Crew.make(handle, { declared, boss: "boss" })
      const work = ({ task }: Handoffs.Order): Effect.Effect<number> =>
        Effect.suspend(() => {
          if (task !== "t3") return Effect.succeed(1)
          return ++tries === 1 ? Effect.andThen(crew.kill("t3"), Effect.never) : Effect.succeed(3)
        })
      assert.deepStrictEqual(yield* crew.fulfil(withWork(orders, work)), {
        _tag: "Done",
        results: { t1: 1, t2: 1, t3: 3 }
      })
      assert.strictEqual(tries, 2)
    }).pipe(Effect.scoped, Effect.provide(layers))
  )

  it.effect("counts a worker that is silent past its time as lost, and the late one hands nothing in", () =>
    Effect.gen(function* () {
      const handle = yield* open
      let tries = 0
      const work = () =>
        Effect.suspend(() =>
          ++tries === 1 ? Effect.as(Effect.sleep("31 seconds"), "late") : Effect.succeed("in time")
        )
      const crew = yield* Crew.make(handle, { declared, boss: "boss" })
      const running = yield* Effect.forkChild(crew.fulfil(withWork(orders.slice(0, 1), work)))
      yield* TestClock.adjust("30 seconds")
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Fiber.join(running), { _tag: "Done", results: { t1: "in time" } })
    }).pipe(Effect.scoped, Effect.provide(layers))
  )

  it.effect("gives no more orders than the limit of workers, and one that waits for a place is not silent", () =>
    Effect.gen(function* () {
      const handle = yield* open
      let [atWork, most, calls] = [0, 0, 0]
      const work = () =>
        Effect.gen(function* () {
          calls++
          most = Math.max(most, ++atWork)
          yield* Effect.sleep("20 seconds")
          atWork--
          return "summed"
        })
      const crew = yield* Crew.make(handle, { declared, boss: "boss" })
      const running = yield* Effect.forkChild(crew.fulfil(withWork(chapters(3 * workersMax), work)))
      for (let wave = 1; wave <= 3; wave++) {
        yield* TopologyLab.until(() => atWork === workersMax)
        yield* TestClock.adjust("20 seconds")
      }
      assert.strictEqual((yield* Fiber.join(running))._tag, "Done")
      assert.deepStrictEqual([most, calls], [workersMax, 3 * workersMax])
      assert.deepStrictEqual((yield* RunDiagnosis.of(run)).cracks, [])
    }).pipe(Effect.scoped, Effect.provide(layers))
  )

  it.effect("says that a worker was silent, ends it, and works on behind workers that hang", () =>
    Effect.gen(function* () {
      const handle = yield* open
      let [begun, summed] = [0, 0]
      const work = ({ task }: Handoffs.Order) =>
        task === `t${workersMax}`
          ? Effect.sync(() => ++summed)
          : Effect.suspend(() => {
              begun++
              return Effect.never
            })
      const crew = yield* Crew.make(handle, { declared, boss: "boss" })
      const running = yield* Effect.forkChild(crew.fulfil(withWork(chapters(workersMax + 1), work)))
      for (const tries of [1, 2]) {
        yield* TopologyLab.until(() => begun === tries * workersMax)
        yield* TestClock.adjust("31 seconds")
      }
      const ended = yield* Fiber.join(running)
      assert.strictEqual(ended._tag, "Asked")
      assert.strictEqual(summed, 1)
      if (ended._tag !== "Asked") return
      assert.strictEqual(ended.tasks.length, workersMax)
      assert.deepStrictEqual(new Set(Object.values(ended.errors)), new Set(["it was silent for 30s"]))
      assert.isFalse(yield* crew.kill("t0"))
    }).pipe(Effect.scoped, Effect.provide(layers))
  )

  it.effect("goes on from what is on record: collects what was handed in, and takes an open order up", () =>
    Effect.gen(function* () {
      const before = yield* open
      const handoffs = Handoffs.make(before, declared)
      const [first, second] = orders as [Handoffs.Order, Handoffs.Order]
      for (const order of [first, second]) yield* handoffs.dispatch(order, "boss")
      yield* handoffs.report(first, "done before the crash")
      const begun: Array<string> = []
      const work = ({ task }: Handoffs.Order) => Effect.sync(() => void begun.push(task)).pipe(Effect.as(task))
      const crew = yield* Crew.make(yield* open, { declared, boss: "a new boss" })
      const ended = yield* crew.fulfil(withWork(orders, work))
      assert.deepStrictEqual(ended, {
        _tag: "Done",
        results: { t1: "done before the crash", t2: "t2", t3: "t3" }
      })
      assert.deepStrictEqual(begun.toSorted(), ["t2", "t3"])
      const ordered = (yield* memos).filter((memo) => memo.startsWith("dispatch"))
      assert.deepStrictEqual(ordered.toSorted(), ["dispatch t1", "dispatch t2", "dispatch t3"])
    }).pipe(Effect.scoped, Effect.provide(layers))
  )
})

const lost = (signal: Handoffs.LostHandoff["signal"], reason: string): Handoffs.LostHandoff => ({
  _tag: "Lost",
  signal,
  reason
})

describe("Handoffs", () => {
  it.effect("take the name of a property of every object for a task like any other", () =>
    Effect.gen(function* () {
      const handle = yield* open
      const odd = ["__proto__", "constructor"].map((task) => ({ task, worker: "toString", brief: "Count to three" }))
      const work = () => Effect.succeed(3)
      const crew = yield* Crew.make(handle, { declared, boss: "boss" })
      const ended = yield* crew.fulfil(withWork(odd, work))
      assert.deepStrictEqual(ended._tag === "Done" ? Object.entries(ended.results) : [], [
        ["__proto__", 3],
        ["constructor", 3]
      ])
      assert.strictEqual((yield* memos).length, 6)
    }).pipe(Effect.scoped, Effect.provide(layers))
  )

  it.effect("take a result that quotes its brief and answers it, and none that says the brief again", () =>
    Effect.gen(function* () {
      const handoffs = Handoffs.make(yield* open, declared)
      const words = "zinc apple mango cedar birch olive peach lemon grape melon"
      const brief = `Sort these words by the alphabet and hand in what comes out: ${words}`
      const ofTask = (task: string) => ({ task, worker: "w1", brief })
      const answers = [`${brief}: 42`, `42, for: ${brief}`, brief.split(" ").toSorted().join(" "), { sorted: words }]
      for (const [index, answer] of answers.entries()) {
        yield* handoffs.dispatch(ofTask(`t${index}`), "boss")
        assert.deepStrictEqual(yield* handoffs.report(ofTask(`t${index}`), answer), { _tag: "Taken" })
        yield* handoffs.collect(`t${index}`, "boss")
      }
      assert.isTrue((yield* RunDiagnosis.of(run)).isHealthy)
      yield* handoffs.dispatch(ofTask("again"), "boss")
      for (const echo of [brief, `Understood, I will: ${brief}`, { answer: brief.toUpperCase() }]) {
        assert.deepInclude(yield* handoffs.report(ofTask("again"), echo), { _tag: "Lost", signal: "echoed_brief" })
      }
    }).pipe(Effect.scoped, Effect.provide(layers))
  )

  it.effect("take no report without a result and none that repeats the brief, and count the first one", () =>
    Effect.gen(function* () {
      const handoffs = Handoffs.make(yield* open, declared)
      const [order] = orders as [Handoffs.Order]
      yield* handoffs.dispatch(order, "boss")
      assert.deepStrictEqual(
        yield* handoffs.report(order, undefined),
        lost("malformed_report", "it answered nothing that can be recorded")
      )
      assert.deepStrictEqual(yield* handoffs.report(order, order.brief), lost("echoed_brief", "it answered its brief"))
      assert.deepStrictEqual(yield* handoffs.collect("t1", "boss"), { _tag: "Open" })
      const typed = { ...order, misfit: (sum: unknown) => (typeof sum === "number" ? undefined : "it is no sum") }
      assert.deepStrictEqual(yield* handoffs.report(typed, "7"), lost("malformed_report", "it is no sum"))
      assert.deepStrictEqual(yield* handoffs.report(typed, 7), { _tag: "Taken" })
      yield* handoffs.report(order, 8)
      assert.deepStrictEqual(yield* handoffs.collect("t1", "boss"), { _tag: "Taken", result: 7 })
      assert.deepStrictEqual(yield* handoffs.collect("t1", "boss"), { _tag: "Taken", result: 7 })
      yield* handoffs.dispatch(order, "boss")
      // The same loss of one try is on record once.
      assert.deepStrictEqual(yield* memos, ["dispatch t1", "report t1", "report t1", "report t1", "collect t1"])
      const cracks = (yield* RunDiagnosis.of(run)).cracks.map(({ crack, signal }) => `${crack} by ${signal}`)
      assert.deepStrictEqual(cracks, ["lost_handoff by malformed_report"])
    }).pipe(Effect.scoped, Effect.provide(layers))
  )
})
