/** Requests that a tool accepted: carried by the runtime, decided again, and run again from the record. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RecordedReplay from "../../release/src/RecordedReplay.ts"
import type * as AgentFile from "../src/files/AgentFile.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as lab from "./lab.ts"

/** A desk that queues what it is asked for, and has done it, or refused it, when it is asked again. */
const desk = (refuses: boolean) => {
  const jobs = new Map<string, JsonObject>()
  let asked = 0
  const tools: ToolExecutor.Tools = {
    book: {
      execute: (params: JsonObject, { key = "" }) => {
        jobs.set(key, { ...params, id: "B1" })
        return new ToolExecutor.Accepted({ job: "J1" })
      },
      status: async ({ key = "" }) => {
        if (++asked < 3) return "pending"
        if (refuses) throw new ToolExecutor.ToolRefused("sold out")
        return jobs.get(key)
      },
      readback: async ({ key = "" }) => jobs.get(key)
    }
  }
  return tools
}

const steps: ReadonlyArray<Planner.ScriptStep> = [{ id: "book", propose: lab.book("LX1") }]
const agent: AgentFile.AgentFile = {
  agent: { pack: "", goal: "goal", steps, tools: {} },
  pack: lab.pack,
  planner: Planner.layerScript(steps),
  executor: ToolExecutor.layerFrom({})
}

const booked = (refuses: boolean) =>
  Effect.gen(function* () {
    const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools(desk(refuses)), steps })
    return yield* lab.as(process)(
      Effect.gen(function* () {
        const outcome = yield* lab.elapsing(lab.work)
        const { differs } = yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })
        const { partedAt } = yield* RecordedReplay.replay(lab.trip, agent, { secret: "other" })
        const all = yield* lab.transitions()
        const handle = yield* lab.open()
        const { state } = yield* handle.position
        const { actions } = yield* lab.context(handle, { state, outcome: undefined })
        return { outcome, differs, partedAt, all, act: actions[0] }
      })
    )
  })

describe("a request that a tool accepted", () => {
  it.effect("is settled by the later questions and reads, and its record decides and replays the same", () =>
    Effect.gen(function* () {
      const { act, all, differs, partedAt } = yield* booked(false)
      assert.deepStrictEqual([differs, partedAt], [[], null])
      assert.deepStrictEqual(lab.types(all).slice(1), [
        ...["action.request", "action.started", "action.result", "action.result"],
        ...["action.verified", "action.reconciled"]
      ])
      assert.deepInclude(all[3]?.body.data, { stage: "accepted" })
      assert.deepInclude(act, { standing: "success", success: true })
    })
  )

  it.effect("fails with its provider, and is never told as done (HS-03)", () =>
    Effect.gen(function* () {
      const { act, differs, outcome, partedAt } = yield* booked(true)
      assert.strictEqual(outcome?._tag, "Failed")
      assert.deepStrictEqual([differs, partedAt], [[], null])
      assert.deepInclude(act, { standing: "failure", success: false })
    })
  )

  it.effect("is an instance of its class, as a plain object that looks like one is not", () =>
    Effect.gen(function* () {
      const answer = { _tag: "Accepted", output: { job: "J1" } } as const
      const executor = ToolExecutor.fromTools({
        taken: { execute: () => new ToolExecutor.Accepted({ job: "J1" }) },
        told: { execute: async () => answer }
      })
      const request = { action: "a1", params: {}, key: undefined, deadlineMillis: 1000 }
      assert.deepStrictEqual(yield* executor.call({ ...request, tool: "taken" }), answer)
      assert.deepStrictEqual(yield* executor.call({ ...request, tool: "told" }), { _tag: "Ok", output: answer })
    })
  )
})
