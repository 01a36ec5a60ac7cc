import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as PlannerBriefing from "../src/planner/PlannerBriefing.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

const pack = Result.getOrThrow(
  TaskPack.make({
    pack: "acme.files",
    version: "1.0.0",
    tools: {
      write: {
        class: "ephemeral_write",
        idempotency: "effectful",
        input: { path: "string", hash: "string" },
        target: "'sandbox/' + args.path",
        identity: { scope: "run", fields: ["path"] },
        readback: { source: "workspace", from: "sandbox_monitor", expect: ["actual.hash == args.hash"], within: "1s" }
      }
    }
  })
)

describe("a sandbox write whose record is wrong", () => {
  it.effect("is shown as dirty to its planner, and told as residue in the report", () =>
    Effect.gen(function* () {
      const write: ToolExecutor.Tool = { execute: () => null, readback: async () => ({ hash: "other" }) }
      const process = lab.process(yield* lab.shared, { executor: ToolExecutor.fromTools({ write }) })
      yield* lab.as(process)(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
          const outcome = yield* lab.elapsing(handle.propose({ tool: "write", params: { path: "a", hash: "x" } }))
          assert.strictEqual(outcome._tag, "Failed")
          const { state } = yield* handle.position
          const view = yield* lab.context(handle, { outcome, state })
          assert.deepStrictEqual(
            view.actions.map(({ isDirty }) => isDirty),
            [true]
          )
          assert.deepInclude(PlannerBriefing.of(view).actions[0], { dirty: true, success: false })
          const { residue } = yield* Report.of(lab.trip)
          assert.lengthOf(residue, 1)
          assert.include(residue[0], "sandbox/a")
        })
      )
    })
  )
})
