import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as RunDiagnosis from "../src/reporting/RunDiagnosis.ts"
import * as PlanRun from "../src/topology/PlanRun.ts"
import * as TopologyLab from "./topologyLab.ts"

const topology = { kind: "plan_execute", plan: "60s" } as const

/** A world of files, and an agent that moves the first and reads the second. */
const office = () => {
  const world: { [file: string]: boolean } = { "a.txt": true, "b.txt": true }
  const carried: Array<string> = []
  const plannings: Array<PlanRun.Planning> = []
  return {
    world,
    carried,
    plannings,
    errand: (declared: PlanRun.PlanErrand["declared"]): PlanRun.PlanErrand => ({
      declared,
      world: Effect.sync((): JsonObject => ({ ...world })),
      plan: (planning) =>
        Effect.sync(() => {
          plannings.push(planning)
          const steps = Object.keys(planning.world).map((file) => `read ${file}`)
          return { steps, assumes: planning.world }
        }),
      carryOut: ({ step }) =>
        Effect.sync(() => {
          carried.push(step)
          const file = step.slice("read ".length)
          return world[file] === true ? { done: `text of ${file}` } : { failed: `${file} is gone`, missing: file }
        })
    })
  }
}

const because = (plannings: ReadonlyArray<PlanRun.Planning>) => plannings.map((each) => each.because)

describe("PlanRun", () => {
  it.effect("plans once and carries each step out once, in its order", () =>
    TopologyLab.within(topology, ({ declared, handle, memos, run }) =>
      Effect.gen(function* () {
        const { carried, errand } = office()
        const plan = yield* PlanRun.make(handle, errand(declared))
        const ended = yield* plan.run
        assert.strictEqual(ended._tag, "Reached")
        assert.deepStrictEqual(carried, ["read a.txt", "read b.txt"])
        assert.deepStrictEqual(
          (yield* memos).filter((memo) => memo.startsWith("step")),
          ["step begun 1", "step done 1", "step begun 2", "step done 2"]
        )
        assert.isTrue((yield* RunDiagnosis.of(run)).isHealthy)
      })
    )
  )

  it.effect("makes a plan again whose world has moved, and never carries the old one out", () =>
    TopologyLab.within(topology, ({ declared, handle }) =>
      Effect.gen(function* () {
        const { carried, errand, plannings, world } = office()
        const moving = errand(declared)
        const plan = yield* PlanRun.make(handle, {
          ...moving,
          carryOut: (step) => Effect.tap(moving.carryOut(step), () => Effect.sync(() => delete world["b.txt"]))
        })
        assert.strictEqual((yield* plan.run)._tag, "Reached")
        assert.notInclude(carried, "read b.txt")
        assert.deepStrictEqual(because(plannings), ["none", "changed"])
        assert.strictEqual(plannings[1]?.fact, "b.txt")
      })
    )
  )

  it.effect("makes a plan again whose time is over, also in a new process", () =>
    TopologyLab.within(topology, ({ declared, handle, memos, reopen }) =>
      Effect.gen(function* () {
        const { errand, plannings } = office()
        const first = yield* PlanRun.make(handle, { ...errand(declared), carryOut: () => Effect.never })
        const fiber = yield* Effect.forkChild(first.run)
        while (!(yield* memos).includes("step begun 1")) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        yield* TestClock.adjust("2 minutes")
        const second = yield* PlanRun.make(yield* reopen, errand(declared))
        assert.strictEqual((yield* second.run)._tag, "Reached")
        assert.deepStrictEqual(because(plannings), ["none", "expired"])
      })
    )
  )

  it.effect("answers any failed step as the topology declares: a new plan, the next step, or a person", () =>
    Effect.gen(function* () {
      for (const [on_failure, carried, ended] of [
        ["replan", ["read a.txt", "read a.txt", "read b.txt"], "Reached"],
        ["skip", ["read a.txt", "read b.txt"], "Reached"],
        ["stop", ["read a.txt"], "Asked"]
      ] as const) {
        yield* TopologyLab.within({ ...topology, on_failure }, ({ declared, handle }) =>
          Effect.gen(function* () {
            const lab = office()
            let tries = 0
            const healthy = lab.errand(declared)
            const plan = yield* PlanRun.make(handle, {
              ...healthy,
              carryOut: (step) =>
                Effect.suspend(() => {
                  if (++tries > 1) return healthy.carryOut(step)
                  lab.carried.push(step.step)
                  return Effect.succeed({ failed: "the disk is full" })
                })
            })
            const end = yield* plan.run
            assert.strictEqual(end._tag, ended, on_failure)
            assert.deepStrictEqual(lab.carried, [...carried], on_failure)
            if (end._tag === "Asked") assert.deepInclude(end, { crack: "partial_execution", subjects: ["read a.txt"] })
          })
        )
      }
    })
  )

  it.effect("looks at the world once more if a look is lost, and carries no step out without one", () =>
    Effect.gen(function* () {
      for (const lost of [1, 2]) {
        yield* TopologyLab.within(topology, ({ declared, handle }) =>
          Effect.gen(function* () {
            const { carried, errand } = office()
            const healthy = errand(declared)
            let looks = 0
            const world = Effect.suspend(() =>
              ++looks <= lost ? Effect.fail(new Error("the door is shut")) : healthy.world
            )
            const ended = yield* (yield* PlanRun.make(handle, { ...healthy, world })).run
            assert.strictEqual(ended._tag, lost === 1 ? "Reached" : "Asked")
            if (ended._tag === "Asked") assert.deepInclude(ended, { subjects: ["world"], error: "the door is shut" })
            assert.strictEqual(carried.length, lost === 1 ? 2 : 0)
          })
        )
      }
    })
  )

  it.effect("gives a look at the world the time of any handoff, and then asks a person", () =>
    TopologyLab.within({ ...topology, silence: "2s" }, ({ declared, handle }) =>
      Effect.gen(function* () {
        let looks = 0
        const world = Effect.suspend(() => {
          looks++
          return Effect.never
        })
        const plan = yield* PlanRun.make(handle, { ...office().errand(declared), world })
        const running = yield* Effect.forkChild(plan.run)
        for (let second = 0; second < 5; second++) yield* TestClock.adjust("1 second")
        const ended = yield* Fiber.join(running)
        assert.deepInclude(ended, { _tag: "Asked", subjects: ["world"], error: "it was silent for 2s" })
        assert.strictEqual(looks, 2)
      })
    )
  )

  it.effect("names the fact that has moved once its plans are used up by it", () =>
    TopologyLab.within(topology, ({ declared, handle }) =>
      Effect.gen(function* () {
        let tides = 0
        const world = Effect.sync((): JsonObject => ({ tide: ++tides }))
        const ended = yield* (yield* PlanRun.make(handle, { ...office().errand(declared), world })).run
        const error = "tide is no longer as the plan assumes"
        assert.deepInclude(ended, { _tag: "Asked", crack: "stale_plan", subjects: ["plan 5"], error })
      })
    )
  )

  it.effect("asks a person once its plans are used up", () =>
    TopologyLab.within(topology, ({ declared, handle }) =>
      Effect.gen(function* () {
        const { errand, plannings } = office()
        const plan = yield* PlanRun.make(handle, {
          ...errand(declared),
          carryOut: () => Effect.succeed({ failed: "no access" })
        })
        assert.deepInclude(yield* plan.run, {
          _tag: "Asked",
          crack: "partial_execution",
          subjects: ["read a.txt"],
          error: "no access"
        })
        assert.strictEqual(plannings.length, 5)
        assert.deepStrictEqual(plannings[1]?.failure, { step: "read a.txt", reason: "no access" })
      })
    )
  )

  it.effect("orders the task of a killed planner or executor once more, and repeats no step", () =>
    Effect.gen(function* () {
      for (const victim of ["plan 1", "plan 1, step 2"]) {
        yield* TopologyLab.within(topology, (lab) =>
          Effect.gen(function* () {
            const { carried, errand } = office()
            const healthy = errand(lab.declared)
            let killed = false
            const dying = (task: string) =>
              Effect.suspend(() => {
                if (killed || task !== victim) return Effect.void
                killed = true
                return Effect.andThen(plan.kill(task), Effect.never)
              })
            const plan: PlanRun.PlanRun = yield* PlanRun.make(lab.handle, {
              ...healthy,
              plan: (planning) => Effect.andThen(dying("plan 1"), healthy.plan(planning)),
              carryOut: (step) => Effect.andThen(dying(`plan 1, step ${step.number}`), healthy.carryOut(step))
            })
            assert.strictEqual((yield* plan.run)._tag, "Reached")
            assert.isTrue(killed)
            assert.isFalse(yield* plan.kill(victim))
            assert.deepStrictEqual(carried, ["read a.txt", "read b.txt"])
          })
        )
      }
    })
  )
})
