/** The runtime for benchmark steps: coordinator, history and library over a store, with tools in code. */
import * as Kernel from "@backstitch/kernel/Kernel"
import type * as SnapshotDial from "@backstitch/reducer/SnapshotDial"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import * as Layer from "effect/Layer"

/** The services of a run. */
export type Substrate = Coordinator.Coordinator | History.History | PackLibrary.PackLibrary | TraceStore.TraceStore

/** Layer that provides the runtime over a store. `snapshots` defaults to the coordinator's own. */
export const layer = <E>(
  store: Layer.Layer<TraceStore.TraceStore, E>,
  tools: ToolExecutor.Tools,
  snapshots?: SnapshotDial.SnapshotDial | undefined
): Layer.Layer<Substrate, E> =>
  Coordinator.layer({ secret: "bench", snapshots }).pipe(
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(ToolExecutor.layerFrom(tools)),
    Layer.provideMerge(store)
  )
