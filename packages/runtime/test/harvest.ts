/**
 * Keeps every run that a test leaves in a store in memory, where `BACKSTITCH_HARVEST` names a folder for them: what
 * lies in one store lies in a folder of its own, named for the test file. Golden traces are chosen from them.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Export from "@backstitch/trace/Export"
import type * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RunExport from "../src/exchange/RunExport.ts"
import type * as History from "../src/history/History.ts"
import type * as PackLibrary from "../src/history/PackLibrary.ts"

const folder = process.env["BACKSTITCH_HARVEST"]

/** The name of a store, and how many there were in a test file. */
const names = new WeakMap<object, string>()
const counts = new Map<string, number>()

const nameOf = (store: object): string => {
  const known = names.get(store)
  if (known !== undefined) return known
  const file = Path.basename(expect.getState().testPath ?? "test", ".test.ts").toLowerCase()
  const count = (counts.get(file) ?? 0) + 1
  counts.set(file, count)
  names.set(store, `${file}-${count}`)
  return `${file}-${count}`
}

/** Writes all runs of a tenant as they stand. */
export const keep = Effect.fnUntraced(function* (
  tenant: Run.Tenant
): Effect.fn.Return<void, unknown, TraceStore.TraceStore | History.History | PackLibrary.PackLibrary> {
  if (folder === undefined) return
  const store = yield* TraceStore.TraceStore
  const place = Path.join(folder, nameOf(store))
  for (const { run } of yield* store.runs(tenant)) {
    // What a test has cut off is no trace to keep.
    const taken = yield* Effect.option(RunExport.exportRun(run))
    if (taken._tag === "None") continue
    const text = Export.encode(taken.value)
    yield* Effect.sync(() => {
      Fs.mkdirSync(place, { recursive: true })
      Fs.writeFileSync(Path.join(place, `${run.id}.jsonl`), text)
    })
  }
})
