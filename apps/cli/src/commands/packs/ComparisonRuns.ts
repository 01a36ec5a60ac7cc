/** Runs that something new is measured against: those of another store, or the one that a file holds. */
import * as Kernel from "@backstitch/kernel/Kernel"
import * as ExportFile from "@backstitch/runtime/ExportFile"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as RunExport from "@backstitch/runtime/RunExport"
import type { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Globals } from "../../input/Globals.ts"
import * as StoreFile from "../../input/StoreFile.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"

/** A selection: the runs of that name, or all of the tenant. */
export interface About {
  readonly globals: Globals
  readonly runs?: ReadonlyArray<string> | undefined
}

/**
 * Runs an effect over what an address names: a store, or a file that was exported. It is given the runs, all of the
 * tenant or those that are named.
 */
export const over = <A, E>(
  address: string,
  about: About,
  use: (runs: ReadonlyArray<TraceStore.RunInfo>) => Effect.Effect<A, E, Services>
) =>
  ExportFile.isNamed(address)
    ? Effect.flatMap(ExportFile.read(address), (exported) =>
        Effect.andThen(RunExport.bring(exported), listed(exported.run, about, use)).pipe(Effect.provide(memory))
      )
    : Effect.flatMap(Effect.andThen(known(address), StoreSession.run("any", about.globals)), (any) =>
        listed(any, about, use).pipe(Effect.provide(StoreSession.reading({ ...about.globals, store: address })))
      )

/** The services that answer about earlier runs. */
export type Services = TraceStore.TraceStore | History.History | PackLibrary.PackLibrary

/** Refuses a file that is neither: what does not begin as a store does is no damaged one. */
const known = Effect.fnUntraced(function* (address: string) {
  const found = yield* StoreFile.at(address)
  if (found !== "a folder" && found !== "another file" && found !== "no file") return
  return yield* new Usage({ problem: `${address} is no store, and no file that \`backstitch export\` wrote (.jsonl)` })
})

const listed = Effect.fnUntraced(function* <A, E>(
  { tenant }: Run,
  about: About,
  use: (runs: ReadonlyArray<TraceStore.RunInfo>) => Effect.Effect<A, E, Services>
) {
  const history = yield* History.History
  const store = yield* TraceStore.TraceStore
  const named = about.runs ?? []
  const runs =
    named.length === 0
      ? yield* store.runs(tenant)
      : yield* Effect.forEach(named, (id) =>
          Effect.flatMap(StoreSession.run(id, { ...about.globals, tenant }), (run) => history.info(run))
        )
  if (runs.length === 0) return yield* new Usage({ problem: `There is no run of tenant "${tenant}" to compare with` })
  return yield* use(runs)
})

const memory = History.layer(Kernel.standard).pipe(
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(TraceStore.layerMemory)
)
