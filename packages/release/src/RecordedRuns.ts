/** Recorded runs that a new pack is compared with: the runs of a store, or the run in a file. */
import * as Kernel from "@backstitch/kernel/Kernel"
import * as AddressLookup from "@backstitch/runtime/AddressLookup"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as RunExport from "@backstitch/runtime/RunExport"
import type * as Export from "@backstitch/trace/Export"
import type * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** Error for a tenant without a run to compare with. */
export class NothingRecorded extends Schema.TaggedError<NothingRecorded>("@backstitch/release/NothingRecorded")(
  "NothingRecorded",
  { tenant: Schema.String }
) {
  override get message(): string {
    return `There is no run of tenant "${this.tenant}" to compare with. Name another tenant, or record a run`
  }
}

/** Selects the named runs, or all runs of the tenant; fails if there is none. */
export const select = Effect.fnUntraced(function* (tenant: Run.Tenant, ids: ReadonlyArray<string> = []) {
  const history = yield* History.History
  const store = yield* TraceStore.TraceStore
  const runs =
    ids.length === 0
      ? yield* store.runs(tenant)
      : yield* Effect.forEach(ids, (id) => Effect.flatMap(AddressLookup.whole(id, tenant), history.info))
  return runs.length === 0 ? yield* new NothingRecorded({ tenant }) : runs
})

/** The services that read recorded runs. */
export type RecordServices = TraceStore.TraceStore | History.History | PackLibrary.PackLibrary

/** A store in memory, and the services that read it. */
export const memory = Layer.fresh(
  History.layer(Kernel.standard).pipe(Layer.provideMerge(PackLibrary.layer), Layer.provideMerge(TraceStore.layerMemory))
)

/** Services over a store in memory that holds exactly one exported run, which was verified when it was read in. */
export const ofExport = (exported: Export.Export) =>
  Layer.provideMerge(Layer.effectDiscard(RunExport.importRun(exported)), memory)
