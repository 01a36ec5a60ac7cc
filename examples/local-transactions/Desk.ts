/** The desk: its contract, its tools and its services over a store that outlives the process. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Agent from "@backstitch/runtime/Agent"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Planner from "@backstitch/runtime/Planner"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

const file = fileURLToPath(new URL("./pack.yaml", import.meta.url))

/** The contract, with shorter times for tests. */
export const pack = (times = { sendWithin: "3s", settleAfter: "1s" }): TaskPack.TaskPack => {
  const text = readFileSync(file, "utf8").replaceAll(
    "sendWithin: 3s, settleAfter: 1s",
    `sendWithin: ${times.sendWithin}, settleAfter: ${times.settleAfter}`
  )
  return Result.getOrThrow(PackFile.parse(text, { file, read: (path) => readFileSync(path, "utf8") }))
}

/** The run of the example. */
export const run = Run.make("desk")

/** Services of one process. */
export const layer = (store: string, agent: { readonly tools?: ToolExecutor.Tools; readonly does?: Proposal } = {}) =>
  Coordinator.layer({ secret: "the desk" }).pipe(
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(ToolExecutor.layerFrom(agent.tools ?? {})),
    Layer.provideMerge(Planner.layerScript(agent.does === undefined ? [] : [{ id: "it", propose: agent.does }])),
    Layer.provideMerge(SqlTraceStore.layerSqlite({ filename: store }))
  )

/** Opens the run and takes its steps, or continues after a crash. */
export const work = (contract: TaskPack.TaskPack) =>
  Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.open(run, { pack: contract, goal: "one seat, one report" })
    return yield* Agent.run(handle)
  })
