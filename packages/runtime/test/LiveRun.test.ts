import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Leases from "@backstitch/trace/Leases"
import type { Step } from "@backstitch/version-control/Step"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as LiveRun from "../src/LiveRun.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Revising from "../src/revisions/Revising.ts"
import * as StoredRevision from "../src/revisions/StoredRevision.ts"
import * as ProcessLease from "../src/run/ProcessLease.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"
import { Desk, hire, opened, processOf } from "./party.ts"
import { proposes } from "./slots.ts"

const opening = { pack: lab.pack, goal: "goal" }

/** Runs an effect as a process whose agent follows the script, up to a number of steps. */
const acting = (store: Parameters<typeof lab.process>[0], world: lab.World, steps = lab.script.length) => {
  const process = lab.as(lab.process(store, { world, steps: lab.script.slice(0, steps) }))
  return <A, E, R>(effect: Effect.Effect<A, E, R>) => process(effect)
}

describe("LiveRun", () => {
  it.effect("begins a run, tells each transition once and in order, and makes its receipt", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const told: Array<string> = []
      const visit = ({ transition }: Step) => void seen.push(transition.tick)
      const begun = () => void told.push(`begun before tick ${seen.length + 1}`)
      const within = acting(yield* lab.shared, new lab.World())
      const { committed, receipt, unbroken } = yield* within(LiveRun.begin(lab.trip, opening, { visit, begun }))
      assert.isTrue(Receipt.isDone(receipt))
      assert.isUndefined(unbroken)
      assert.deepStrictEqual(
        seen,
        Array.from({ length: receipt.transitions }, (_, index) => index + 1)
      )
      assert.deepStrictEqual(
        committed.map(({ tick }) => tick),
        seen
      )
      assert.deepStrictEqual(told, ["begun before tick 1"])
    }).pipe(Effect.provide(Leases.layerMemory))
  )

  it.effect("resumes what an agent left, tells the new transitions alone, and does nothing twice (L4)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const first = yield* acting(store, world, 3)(LiveRun.begin(lab.trip, opening))
      const { committed, plan, receipt } = yield* acting(store, world)(LiveRun.resume(lab.trip))
      assert.strictEqual(plan.steps.length, 0)
      assert.strictEqual(committed[0]?.tick, first.receipt.transitions + 1)
      assert.isTrue(Receipt.isDone(receipt))
      assert.deepStrictEqual([...world.effects.values()], [1, 1])
    }).pipe(Effect.provide(Leases.layerMemory))
  )

  it.effect.each<readonly [string, ReadonlyArray<Proposal>]>([
    ["done", [lab.tell("ada")]],
    ["done", [lab.note("begin")]],
    ["done", [lab.tell("ada"), lab.tell("ada")]],
    ["done", [lab.tell("ada"), { type: "goal.complete" }]],
    ["refused", [lab.tell("ada"), lab.book("LX1", 500)]],
    ["failed", [lab.look("flights"), lab.tell("bob")]],
    ["stopped", []]
  ])("tells a run as %s each time that its agent has nothing more to propose", ([status, proposals]) =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      if (status === "failed") world.faults.push("refused")
      const steps = proposals.map((propose, place) => ({ id: `step ${place}`, propose }))
      const first = yield* lab.as(lab.process(store, { steps, world }))(LiveRun.begin(lab.trip, opening))
      const again = yield* lab.as(lab.process(store, { steps: [], world }))(LiveRun.resume(lab.trip))
      for (const { receipt } of [first, again]) {
        assert.strictEqual(receipt.status, status)
        assert.strictEqual(Receipt.isDone(receipt), status === "done")
      }
      const { next, why } = again.receipt
      if (status === "failed") assert.include(why, "failed at tick 4, and was not tried again")
      else assert.strictEqual(why, first.receipt.why)
      assert.deepStrictEqual(next, first.receipt.next)
    }).pipe(Effect.provide(Leases.layerMemory))
  )

  it.effect("leaves a run alone that another process holds, or waits and says whose lease it waits for", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      yield* acting(store, world, 3)(LiveRun.begin(lab.trip, opening))
      const leases = yield* Leases.Leases
      const holder = "process 1 on elsewhere"
      yield* leases.acquire(lab.trip, { holder, ttlMillis: 60_000 })
      const refused = yield* Effect.flip(acting(store, world)(LiveRun.resume(lab.trip)))
      assert.strictEqual(refused._tag, "RunLeased")
      const waited: Array<string> = []
      const waiting = ({ holder }: { readonly holder: string }) => void waited.push(holder)
      const resumed = yield* Effect.forkChild(acting(store, world)(LiveRun.resume(lab.trip, { waiting })))
      while (waited.length === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* leases.release(lab.trip, holder)
      const { receipt } = yield* lab.elapsing(Fiber.join(resumed))
      assert.deepStrictEqual([waited, Receipt.isDone(receipt)], [[holder], true])
    }).pipe(Effect.provide(Leases.layerMemory))
  )

  it.effect("lets the agent go on with a fork, and gives the lease back", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      yield* acting(store, world)(LiveRun.begin(lab.trip, opening))
      yield* acting(
        store,
        world
      )(
        Effect.gen(function* () {
          const { run } = yield* Forking.fork({ parent: lab.trip, at: 4 })
          const { committed } = yield* LiveRun.proceed(run, 4)
          assert.deepInclude(committed[0], { tick: 5, transition_type: "run.fork" })
          yield* Effect.scoped(ProcessLease.take(run))
        })
      )
    }).pipe(Effect.provide(Leases.layerMemory))
  )

  it.effect("absorbs no revision by a tool whose code is not here, and records nothing of it", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const desk = new Desk()
      const { cancel, ...codeless } = desk.tools
      const own = lab.as(processOf(store, desk))
      yield* lab.elapsing(own(Effect.flatMap(opened(), (handle) => proposes(handle, hire("Casino")))))
      const asked = { revision: { changes: [{ change: "set", clause: "city", value: "Basel" }] } } as const
      const other = lab.as(processOf(store, desk, { executor: ToolExecutor.fromTools(codeless) }))
      const before = yield* own(StoredRevision.at(lab.trip))
      const refused = yield* lab.elapsing(other(Effect.flip(LiveRun.revise(lab.trip, asked))))
      assert.deepInclude(refused, { _tag: "ToolsMissing", tools: ["cancel"] })
      assert.deepStrictEqual((yield* own(StoredRevision.at(lab.trip))).head, before.head)
      const revised = yield* lab.elapsing(own(LiveRun.revise(lab.trip, asked)))
      assert.isTrue(revised.isDone)
    }).pipe(Effect.provide(Leases.layerMemory))
  )

  it.effect("takes no proposal of before a revision for the outcome of a run that another follows", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const own = lab.as(processOf(store, new Desk(), { steps: [] }))
      const reachedAndRevised = Effect.gen(function* () {
        const handle = yield* opened()
        yield* proposes(handle, hire("Casino"), { type: "goal.complete" })
        yield* Revising.inject(handle, { changes: [{ change: "set", clause: "city", value: "Basel" }] })
        yield* LiveRun.work(lab.trip)
        return yield* LiveRun.work(lab.trip)
      })
      const { next, outcome } = yield* lab.elapsing(own(reachedAndRevised))
      assert.deepStrictEqual([next?.id, outcome], ["trip-2", undefined])
    }).pipe(Effect.provide(Leases.layerMemory))
  )
})
