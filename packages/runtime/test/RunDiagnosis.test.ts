import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as RunDiagnosis from "../src/reporting/RunDiagnosis.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Bisecting from "../src/versioning/Bisecting.ts"

const packOf = (topology?: object) =>
  Result.getOrThrow(
    TaskPack.make({
      pack: "acme.desk",
      version: "1.0.0",
      tools: { search: { class: "read_only", input: { q: "string" } } },
      ...(topology === undefined ? {} : { topology: topology as never })
    })
  )

const layers = Coordinator.layer({ secret: "s" }).pipe(
  Layer.provideMerge(ToolExecutor.layerFrom({ search: { execute: () => [] } })),
  Layer.provideMerge(History.layer(Kernel.standard)),
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(TraceStore.layerMemory)
)

/** Searches for the same a number of times, on record. */
const searched = Effect.fnUntraced(function* (times: number, topology?: object) {
  const run = Run.make("desk-1")
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.open(run, { pack: packOf(topology), goal: "find" })
  for (let index = 0; index < times; index++) yield* handle.propose({ tool: "search", params: { q: "lugano" } })
  yield* handle.flush
  return yield* RunDiagnosis.of(run)
}, Effect.scoped)

describe("RunDiagnosis", () => {
  it.effect("names the runaway of a loop, its evidence and the first response", () =>
    Effect.gen(function* () {
      const found = yield* searched(24)
      assert.deepInclude(found, { run: "desk-1", looksLike: "react", by: "calls", isHealthy: false })
      const [crack] = found.cracks
      const answer = yield* Bisecting.bisect(Run.make("desk-1"), { predicate: crack?.predicate ?? "" })
      assert.strictEqual(answer.onset, crack?.tick)
      const none = yield* Bisecting.bisect(Run.make("desk-1"), { predicate: "topology.deadlock" })
      assert.isNull(none.onset)
      const misspelt = yield* Effect.flip(Bisecting.bisect(Run.make("desk-1"), { predicate: "topology.runway" }))
      assert.match(misspelt.message, /topology\.runaway/)
      assert.deepInclude(crack, { crack: "runaway", topology: "react", subject: "search" })
      assert.match(crack?.response ?? "", /the rule by which the loop gives up/)
    }).pipe(Effect.provide(layers))
  )

  it.effect("takes the limits that the pack of the run declares", () =>
    Effect.gen(function* () {
      const found = yield* searched(5, { kind: "react", steps: 6 })
      assert.deepInclude(found, { looksLike: "react", by: "declared" })
      assert.deepInclude(found.cracks[0], { crack: "runaway", signal: "steps_near_cap" })
    }).pipe(Effect.provide(layers))
  )

  it.effect("says that a short run is healthy", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* searched(2), { isHealthy: true, cracks: [], repeats: [] })
    }).pipe(Effect.provide(layers))
  )
})
