import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as SampleCommits from "../../conformance/src/store/SampleCommits.ts"
import * as CommitMetrics from "../src/telemetry/CommitMetrics.ts"

describe("CommitMetrics", () => {
  it.effect("count the commits that are made and refused, and the transitions in those that are made", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore.TraceStore
      const run = Run.make("trip")
      yield* SampleCommits.write(store, run, SampleCommits.began, SampleCommits.noted("a"))
      const { head } = (yield* store.info(run))!
      const next = SampleCommits.commit({ run, head, drafts: [SampleCommits.noted("b")] })
      yield* store.append(next)
      const refused = yield* Effect.flip(
        store.append(SampleCommits.commit({ run, head, drafts: [SampleCommits.noted("c")] }))
      )
      assert.strictEqual(refused._tag, "TickConflict")
      const seen = (yield* Metric.snapshot).map(({ attributes, id, state }) => [
        id,
        attributes,
        Object.values(state)[0]
      ])
      assert.sameDeepMembers(seen, [
        ["backstitch.store.commits", { outcome: "made" }, 2],
        ["backstitch.store.transitions", undefined, 3],
        ["backstitch.store.commits", { outcome: "refused" }, 1]
      ])
    }).pipe(
      Effect.provide(Layer.provide(CommitMetrics.layer, TraceStore.layerMemory)),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  )
})
