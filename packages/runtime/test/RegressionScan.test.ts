import type * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as History from "../src/history/History.ts"
import type * as PackLibrary from "../src/history/PackLibrary.ts"
import * as Bisecting from "../src/versioning/Bisecting.ts"
import * as RegressionScan from "../src/versioning/RegressionScan.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const on = <A, E>(effect: Effect.Effect<A, E, History.History | PackLibrary.PackLibrary | TraceStore.TraceStore>) =>
  Effect.flatMap(journey.travelled(), ({ process }) => lab.as(process)(effect))

describe("RegressionScan", () => {
  it.effect("lets the invariant win where it and a metric disagree, and says so", () =>
    Effect.gen(function* () {
      const over = yield* on(Bisecting.bisect(lab.trip, { predicate: "over" }))
      const mood = yield* on(Bisecting.bisect(lab.trip, { _tag: "Regression", metric: "working.mood" }))
      assert.strictEqual(mood.onset, over.onset)
      assert.notStrictEqual(mood.regression?.fall?.tick, over.onset)
      assert.deepInclude(mood.regression, { heuristic: true })
      assert.deepStrictEqual(mood.regression?.invariant?.onset, over.onset ?? undefined)
    })
  )

  it.effect("agrees with the invariant if constraints fell", () =>
    Effect.gen(function* () {
      const { onset, regression } = yield* on(
        Bisecting.bisect(lab.trip, { _tag: "Regression", metric: "constraint_satisfaction" })
      )
      assert.strictEqual(regression?.fall?.tick, onset)
      assert.strictEqual(regression?.invariant?.onset, onset)
    })
  )

  it.effect("measures a run that reached its goal and broke two of its constraints", () =>
    Effect.gen(function* () {
      const signals = yield* on(RegressionScan.signals(lab.trip))
      assert.strictEqual(signals.structural_completion, 1)
      assert.strictEqual(signals.skeptic_survival_rate, 1)
      // The clause and the predicate are both about the limit.
      assert.strictEqual(signals.constraint_satisfaction, 0)
      assert.closeTo(signals.progress, 1 / 3, 1e-12)
    })
  )

  it.effect("refuses a value that is no number at any tick", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(on(RegressionScan.regression(lab.trip, "working.notes")))
      assert.strictEqual(error._tag, "MetricUnknown")
      assert.include(error.message, "skeptic_survival_rate")
    })
  )

  it.effect("keeps a person's verdict with the answer", () =>
    Effect.gen(function* () {
      const verdict = { diagnosis: "foundational", by: "ada" } as const
      const answer = yield* on(Bisecting.bisect(lab.trip, { predicate: "over" }, { verdict }))
      assert.deepStrictEqual(answer.verdict, verdict)
      assert.deepStrictEqual(answer.suggestion, { args: { judged: true }, code: "remedy.anew" })
      // The request of the onset's action speaks, too: policy let it pass.
      assert.include(
        answer.evidence.map(({ why }) => why.code),
        "symptom.allowed"
      )
    })
  )
})
