import type { Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Goal from "../src/Goal.ts"
import { Bench } from "./lab.ts"

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
  it("is told in its own words, else by its name, else not at all", () => {
    assert.deepInclude(begun("trip", { goal: "Three nights in Lugano" }), {
      id: "trip",
      text: "Three nights in Lugano"
    })
    assert.deepInclude(begun("trip", {}), { id: "trip", text: "trip" })
    assert.deepInclude(begun(undefined, undefined), { id: "", text: "" })
  })

  it("is reached at the tick at which that is declared", () => {
    const bench = new Bench()
    assert.isUndefined(Goal.of(bench.state).completedAt)
    bench.proposes({ type: "plan.update", data: { plan: "a" } })
    bench.proposes({ type: "goal.complete" })
    assert.strictEqual(Goal.of(bench.state).completedAt, bench.at.head.tick)
  })
})
