import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Proposal } from "@backstitch/kernel/Proposal"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Agent from "../src/agent/Agent.ts"
import * as PlannerBriefing from "../src/planner/PlannerBriefing.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

const pack = Result.getOrThrow(
  TaskPack.make({
    ...(lab.definition as Definition),
    transitions: { "observation.add": { data: { text: "string" } } }
  })
)

/** The briefings of a planner that proposes these in turn. */
const briefings = (proposals: ReadonlyArray<Proposal>, tools: ToolExecutor.Tools = {}) =>
  Effect.gen(function* () {
    const found: Array<PlannerBriefing.Briefing> = []
    const planner = Planner.layerFrom(async (view) => {
      found.push(PlannerBriefing.of(view))
      return proposals[found.length - 1]
    })
    const executor = ToolExecutor.fromTools({ ...new lab.World().tools, ...tools })
    const store = yield* lab.shared
    yield* lab.as(Layer.provideMerge(planner, lab.process(store, { executor })))(
      Effect.gen(function* () {
        const coordinator = yield* Coordinator.Coordinator
        yield* lab.elapsing(Agent.run(yield* coordinator.open(lab.trip, { pack, goal: "goal", text: "A seat" })))
      })
    )
    return found
  })

describe("PlannerBriefing", () => {
  it.effect("is plain JSON: the goal, what may be proposed, each act with its arguments, and the world", () =>
    Effect.gen(function* () {
      const [first, second, third] = yield* briefings([lab.book("LX1"), lab.note("on")])
      assert.deepStrictEqual(first?.goal, { id: "goal", text: "A seat", isReached: false })
      assert.deepStrictEqual(
        first?.tools.map(({ name }) => name),
        Object.keys(lab.definition.tools).sort()
      )
      assert.deepStrictEqual(first?.tools[2]?.input, {
        type: "object",
        properties: { q: { type: "string" } },
        required: ["q"],
        additionalProperties: false
      })
      assert.deepStrictEqual(
        first?.records.map(({ name }) => name),
        ["observation.add"]
      )
      const { params } = lab.book("LX1")
      assert.containSubset(second?.actions, [{ tool: "book", params, status: "ok", success: true }])
      assert.strictEqual(second?.world["spent"], second?.last?.output && (params as { readonly price: number }).price)
      assert.deepStrictEqual(third?.working["notes"], ["on"])
      assert.deepStrictEqual(JSON.parse(JSON.stringify(third)), JSON.parse(JSON.stringify({ ...third })))
    })
  )

  it.effect("tells the last refusal, hold or failure in words", () =>
    Effect.gen(function* () {
      const refusing: ToolExecutor.Tool = {
        execute: () => {
          throw new ToolExecutor.ToolRefused({ code: "sold_out" })
        }
      }
      const dear = { tool: "book", params: { flight: "LX2", price: 101 } }
      const [, second, third] = yield* briefings([dear, lab.book("LX1"), lab.note("on")], { book: refusing })
      assert.include(second?.last?.says, "cheap")
      assert.strictEqual(second?.last?.outcome, "Refused")
      assert.deepStrictEqual(third?.last, { outcome: "Failed", success: false, says: "sold_out" })
      assert.containSubset(third?.actions, [{ tool: "book", success: false, error: "sold_out" }])
    })
  )
})
