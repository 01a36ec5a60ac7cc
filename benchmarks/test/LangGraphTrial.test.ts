import { assert, describe, it } from "@effect/vitest"
import * as External from "../recoverbench/external/External.ts"
import * as LangGraphTrial from "../recoverbench/external/LangGraphTrial.ts"
import type * as Domain from "../recoverbench/universe/Domain.ts"
import * as Universe from "../recoverbench/universe/Universe.ts"
import type * as Peers from "../src/Peers.ts"

/**
 * A graph in memory that restores as LangGraph.js does: it takes the whole state of a checkpoint, and drops the later
 * steps.
 */
const make = <A extends object>(advance: (working: A) => Promise<A | undefined>): Peers.Restorer<A> => {
  const threads = new Map<string, Array<A>>()
  const of = (thread: string) => threads.get(thread) ?? []
  const goOn = async (thread: string): Promise<void> => {
    for (let next = of(thread).at(-1); next !== undefined; ) {
      next = await advance(next)
      if (next !== undefined) of(thread).push(next)
    }
  }
  return {
    begin: (thread, working) => {
      threads.set(thread, [working])
      return goOn(thread)
    },
    resume: (thread, id) => {
      if (id !== undefined) threads.set(thread, of(thread).slice(0, Number(id) + 1))
      return goOn(thread)
    },
    checkpoints: async (thread) =>
      of(thread)
        .map((working, index) => ({ id: String(index), working }))
        .toReversed(),
    state: async (thread) => of(thread).at(-1) as A
  }
}

const run = (name: Domain.Name, regime: Domain.Regime, controller: LangGraphTrial.Controller) => {
  const domain = Universe.domains.find((each) => each.name === name)!
  return LangGraphTrial.run({ make }, { case: Universe.casesOf(domain, regime)[0]!, controller, domain })
}

describe("LangGraphTrial", () => {
  it("restores a producer from under its committed consumers, and with the gate it does not", async () => {
    const open = await run("schedule form", "blocked", "G2")
    assert.strictEqual(open.end, "finished")
    assert.deepStrictEqual(open.invalidated, ["ResolveSlot::1::0", "FinalizeSchedule::final::0"])
    const gated = await run("schedule form", "blocked", "G3")
    assert.strictEqual(gated.end, "blocked")
    assert.deepInclude(gated.decided, { _tag: "Blocked" })
  })

  it("restores the reviewed checkpoint with the gate where that is admissible", async () => {
    for (const controller of ["G2", "G3"] as const) {
      const { end, replayed } = await run("schedule form", "commitment", controller)
      assert.deepStrictEqual([end, replayed?.length], ["finished", 1])
    }
  })

  it("begins again without checkpoints, or resumes at the step that failed", async () => {
    const retried = await run("navigation", "commitment", "G0")
    assert.lengthOf(retried.replayed ?? [], retried.case.fails + 1)
    assert.lengthOf((await run("navigation", "commitment", "G1")).replayed ?? [], 1)
  })

  it("ends with the gate as our runtime does, case by case (table 16)", async () => {
    const domain = Universe.domains.find(({ name }) => name === "schedule form")!
    const overlay = await External.overlayOf({ make }, { domain, regime: "commitment" })
    assert.deepInclude(overlay, { comparable: 7, safeEquivalent: 7 })
  })
})
