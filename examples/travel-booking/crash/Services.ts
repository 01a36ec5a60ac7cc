/** The services of one agent process, over a store that outlives the process. */
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Planner from "@backstitch/runtime/Planner"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Layer from "effect/Layer"

/** Services for tools and steps over a store. */
export const layer = (
  store: SqlTraceStore.SqlLayer,
  agent: { readonly tools?: ToolExecutor.Tools; readonly steps?: ReadonlyArray<Planner.ScriptStep> } = {}
) =>
  Coordinator.layer({ secret: "the crash matrix" }).pipe(
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(ToolExecutor.layerFrom(agent.tools ?? {})),
    Layer.provideMerge(Planner.layerScript(agent.steps ?? [])),
    Layer.provideMerge(store)
  )
