import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as HostMetrics from "../src/metrics/HostMetrics.ts"

describe("HostMetrics", () => {
  it.effect("count a run once, by what is done for it, until it is left", () =>
    Effect.gen(function* () {
      yield* HostMetrics.moved(undefined, "queued")
      yield* HostMetrics.moved(undefined, "queued")
      yield* HostMetrics.moved("queued", "working")
      yield* HostMetrics.moved("working", "waiting")
      yield* HostMetrics.moved("waiting", undefined)
      yield* HostMetrics.waiting(3)
      yield* HostMetrics.attempted("taken")
      const seen = (yield* Metric.snapshot).map(({ attributes, id, state }) => [
        id,
        attributes,
        Object.values(state)[0]
      ])
      assert.deepStrictEqual(seen, [
        ["backstitch.host.runs", { doing: "queued" }, 1],
        ["backstitch.host.runs", { doing: "working" }, 0],
        ["backstitch.host.runs", { doing: "waiting" }, 0],
        ["backstitch.host.webhooks.waiting", undefined, 3],
        ["backstitch.host.webhooks.attempts", { outcome: "taken" }, 1]
      ])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
