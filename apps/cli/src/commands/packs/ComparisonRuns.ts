/** Recorded runs that a new pack is compared with, by their address: a store, or an exported file. */
import * as RecordedRuns from "@backstitch/release/RecordedRuns"
import * as ExportFile from "@backstitch/runtime/ExportFile"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import * as StoreFile from "../../input/StoreFile.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"

/** A selection: the runs with the given name, or all of the tenant. */
export interface RunSelection {
  readonly globals: Globals
  readonly runs?: ReadonlyArray<string> | undefined
}

/** Gives the recorded runs at an address to `use`, with the services that read them. */
export const over = Effect.fnUntraced(function* <A, E>(
  address: string,
  { globals, runs }: RunSelection,
  use: (runs: ReadonlyArray<TraceStore.RunInfo>) => Effect.Effect<A, E, RecordedRuns.RecordServices>
) {
  if (ExportFile.isNamed(address)) {
    const exported = yield* ExportFile.read(address)
    const { tenant } = exported.run
    return yield* RecordedRuns.select(tenant, runs).pipe(
      Effect.flatMap(use),
      Effect.provide(RecordedRuns.ofExport(exported))
    )
  }
  yield* known(address)
  const tenant = yield* StoreSession.tenant(globals)
  const store = StoreSession.reading({ ...globals, store: address })
  return yield* RecordedRuns.select(tenant, runs).pipe(Effect.flatMap(use), Effect.provide(store))
})

/** Refuses a file that is neither: without the first bytes of a store, it is no damaged store. */
const known = Effect.fnUntraced(function* (address: string) {
  const found = yield* StoreFile.at(address)
  if (found !== "a folder" && found !== "another file" && found !== "no file") return
  return yield* new Usage({ problem: `${address} is no store, and no file that \`backstitch export\` wrote (.jsonl)` })
})
