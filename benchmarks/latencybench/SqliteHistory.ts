/** The history of runs in one SQLite file, without a coordinator. */
import * as Kernel from "@backstitch/kernel/Kernel"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Layer from "effect/Layer"

/** Layer over a file. */
export const layer = (filename: string) =>
  History.layer(Kernel.standard).pipe(
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(SqlTraceStore.layerSqlite({ filename }))
  )
