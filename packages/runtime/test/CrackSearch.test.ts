import * as Kernel from "@backstitch/kernel/Kernel"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as CrackSearch from "../src/versioning/CrackSearch.ts"

const layers = Coordinator.layer({ secret: "s" }).pipe(
  Layer.provideMerge(ToolExecutor.layerFrom({ search: { execute: () => [] } })),
  Layer.provideMerge(History.layer(Kernel.standard)),
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(TraceStore.layerMemory)
)

describe("CrackSearch", () => {
  it.effect("finds the onset of a crack in one pass up to a tick, and none before it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const run = Run.make("debate-1")
        const coordinator = yield* Coordinator.Coordinator
        const handle = yield* coordinator.open(run, { pack: undefined, goal: "find" })
        for (const [index, draft] of ["short one", "a long other", "short one", "a long other"].entries()) {
          const topology = { memo: "round", round: index + 1, draft }
          yield* handle.propose({ type: "artifact.write", agent: "ann", data: { topology } })
        }
        yield* handle.flush
        const { onset } = yield* CrackSearch.search(run, "deadlock", { length: 5, declared: undefined })
        assert.strictEqual(onset, 4)
        const none = yield* CrackSearch.search(run, "deadlock", { length: 3, declared: undefined })
        assert.deepStrictEqual(none, { evaluations: 3, onset: undefined, failedAt: undefined })
      })
    ).pipe(Effect.provide(layers))
  )
})
