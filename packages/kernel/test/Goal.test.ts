import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Goal from "../src/state/Goal.ts"
import { Bench, ends, failing } from "./lab.ts"

const begun = (goal: string | undefined, data: { readonly goal?: string } | undefined): Goal.Goal => {
  const { stamp, envelope, tick } = new Bench().last
  const body = {
    author: "kernel",
    type: "run.started",
    ...(goal === undefined ? {} : { goal }),
    ...(data === undefined ? {} : { data })
  } as const
  const transition: Transition = { body, envelope, stamp, tick }
  return Goal.part.on["run.started"]!(Goal.part.init, transition, { kernel: {}, working: {}, world: {} })
}

describe("Goal", () => {
  it("is told in its own words", () => {
    assert.deepInclude(begun("trip", { goal: "Three nights in Lugano" }), {
      id: "trip",
      text: "Three nights in Lugano"
    })
  })

  it("is reached at the tick at which that is declared", () => {
    const bench = new Bench()
    assert.isUndefined(Goal.of(bench.state).completedAt)
    bench.proposes({ type: "plan.update", data: { plan: "a" } })
    bench.proposes({ type: "goal.complete" })
    assert.strictEqual(Goal.of(bench.state).completedAt, bench.at.head.tick)
  })

  it("is reached once: a second declaration is refused, with the tick of the first", () => {
    const bench = new Bench()
    bench.proposes({ type: "plan.update", data: { plan: "a" } })
    ends(bench.proposes({ type: "goal.complete", command: "end" }), "Done")
    const { tick } = bench.at.head
    const again = bench.proposes({ type: "goal.complete" })
    assert.deepStrictEqual(failing(again), ["policy goal.goal"])
    assert.include(JSON.stringify(bench.last.body.data?.["checks"]), `"args":{"since":${tick}},"code":"goal.reached"`)
    assert.strictEqual(Goal.of(bench.state).completedAt, tick)
    // The same proposal is no second one.
    assert.strictEqual(ends(bench.proposes({ type: "goal.complete", command: "end" }), "Done").adopted?.tick, tick)
  })

  it("is not reached by its subgoals, each of which is reached once", () => {
    const bench = new Bench({ changes: { transitions: {}, progress: { subgoals: ["car", "house"] } } })
    const reach = (data: JsonObject) => bench.proposes({ type: "goal.complete", data })
    ends(reach({ subgoal: "car" }), "Done")
    assert.deepStrictEqual(Goal.of(bench.state).reached, { car: bench.at.head.tick })
    assert.isUndefined(Goal.of(bench.state).completedAt)
    assert.deepStrictEqual(failing(reach({ subgoal: "car" })), ["policy goal.car"])
    ends(reach({ subgoal: "house", reachedSubgoal: "car" }), "Done")
    assert.deepStrictEqual(Object.keys(Goal.of(bench.state).reached ?? {}), ["car", "house"])
    ends(reach({ subgoal: "boat", reachedSubgoal: "boat" }), "Done")
    assert.strictEqual(Goal.of(bench.state).completedAt, bench.at.head.tick)
    assert.deepStrictEqual(failing(reach({ subgoal: "car" })), ["policy goal.car"])
  })
})
