/** Commits once to the store in a schema of a server, and forgets to close it. */
import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as PostgresTraceStore from "../../src/postgres/PostgresTraceStore.ts"

const [, , url, schema] = process.argv

const store = await Effect.runPromise(
  Effect.flatMap(Scope.make(), (scope) =>
    Effect.provideService(PostgresTraceStore.make({ url: url!, schema }), Scope.Scope, scope)
  )
)
const { tick } = await Effect.runPromise(SampleCommits.write(store, Run.make("main"), SampleCommits.began))
process.stdout.write(`${tick}\n`)
