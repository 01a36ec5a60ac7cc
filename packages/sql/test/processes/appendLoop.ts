/** Appends to a run for ever, or so many times, and writes each link to standard output once it is acknowledged. */
import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as Run from "@backstitch/trace/Run"
import { TraceStore } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as SqlTraceStore from "../../src/SqlTraceStore.ts"

const [address, name, times] = process.argv.slice(2) as [string, string, string | undefined]

const program = Effect.gen(function* () {
  const store = yield* TraceStore
  const run = Run.make(name)
  for (let index = 1; index <= Number(times ?? Infinity); index++) {
    const drafts = [SampleCommits.noted(`${name} ${index}`), SampleCommits.noted("x".repeat(500))]
    const head = yield* SampleCommits.write(store, run, ...drafts)
    yield* Effect.callback<void>((resume) => {
      process.stdout.write(`${head.tick} ${head.link}\n`, () => resume(Effect.void))
    })
  }
})

await Effect.runPromise(Effect.provide(program, SqlTraceStore.layerFromAddress(address)))
