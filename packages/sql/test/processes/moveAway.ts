/** Appends to a store that a relative name names, changes its working directory, and appends again. */
import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as Run from "@backstitch/trace/Run"
import { TraceStore } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as SqlTraceStore from "../../src/SqlTraceStore.ts"

const [folder, other] = process.argv.slice(2) as [string, string]

const program = Effect.gen(function* () {
  const store = yield* TraceStore
  const run = Run.make("moved")
  yield* SampleCommits.write(store, run, SampleCommits.began)
  process.chdir(other)
  yield* SampleCommits.write(store, run, SampleCommits.noted("elsewhere"))
  process.stdout.write(`${(yield* store.read(run)).length} ticks\n`)
})

process.chdir(folder)
await Effect.runPromise(Effect.provide(program, SqlTraceStore.layerSqlite({ filename: "traces.db" })))
