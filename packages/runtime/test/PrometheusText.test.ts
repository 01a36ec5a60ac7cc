import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as RunMetrics from "../src/projections/RunMetrics.ts"
import * as PrometheusText from "../src/telemetry/PrometheusText.ts"
import * as lab from "./lab.ts"

const measured = Effect.gen(function* () {
  const process = lab.process(yield* lab.shared, { world: new lab.World() })
  yield* lab.as(process)(
    Effect.gen(function* () {
      const handle = yield* lab.open()
      yield* handle.propose(lab.book("LX1"))
    })
  )
  const { tenant } = lab.trip
  return (request: Partial<RunMetrics.MetricsRequest> = {}) => lab.as(process)(RunMetrics.of({ tenant, ...request }))
})

describe("PrometheusText", () => {
  it.effect("writes both counts of each measure under its labels, and no other metric of the process", () =>
    Effect.gen(function* () {
      yield* Metric.update(Metric.counter("elsewhere"), 1)
      const { measures } = yield* (yield* measured)()
      const text = yield* PrometheusText.of(measures, { tenant: "acme" })
      assert.match(text, /backstitch_verification_success_numerator\{[^}]*tenant="acme"[^}]*\} 1\n/)
      assert.match(text, /backstitch_verification_success_denominator\{[^}]*\} 1\n/)
      assert.notInclude(text, "elsewhere")
    })
  )
})

describe("RunMetrics", () => {
  it.effect("measures a run or a whole tenant, and tells since when", () =>
    Effect.gen(function* () {
      const of = yield* measured
      const all = yield* of()
      assert.deepInclude(all, { actions: 1, run: null, runs: 1, since: null })
      const one = yield* of({ lastMillis: 0, run: lab.trip })
      assert.deepInclude(one, { run: "trip", runs: 1 })
      assert.isNumber(one.since)
      assert.deepStrictEqual(RunMetrics.rows(all).length, Object.keys(all.measures).length)
    })
  )
})
