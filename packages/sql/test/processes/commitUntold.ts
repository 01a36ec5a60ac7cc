/** Commits a run's beginning and a transition more, each of which it tells standard output of, and no other process. */
import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Postgres from "../../src/postgres/Postgres.ts"
import * as PostgresTraceStore from "../../src/postgres/PostgresTraceStore.ts"

const [url, schema, name] = process.argv.slice(2) as [string, string, string]

const program = Effect.gen(function* () {
  const postgres = yield* Postgres.open({ url, schema })
  // It is stopped where a commit stands and is about to be announced.
  const silent = { ...postgres, notify: () => new Promise<boolean>(() => undefined) }
  const store = yield* PostgresTraceStore.fromConnections(silent)
  for (const draft of [SampleCommits.began, SampleCommits.noted("untold")]) {
    const { tick } = yield* SampleCommits.write(store, Run.make(name), draft)
    process.stdout.write(`${tick}\n`)
  }
  return yield* Effect.never
})

await Effect.runPromise(Effect.scoped(program))
