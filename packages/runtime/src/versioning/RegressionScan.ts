/**
 * Measures progress along a run, and finds where a metric first fell.
 *
 * @source Dendrer, section 9.5 and appendix D
 */
import * as Anomalies from "@backstitch/reducer/Anomalies"
import * as Latch from "@backstitch/reducer/Latch"
import * as PackRules from "@backstitch/reducer/PackRules"
import type { State } from "@backstitch/reducer/State"
import type * as Run from "@backstitch/trace/Run"
import * as FieldPath from "@backstitch/version-control/FieldPath"
import * as OnsetQuestion from "@backstitch/version-control/OnsetQuestion"
import * as ProgressMeter from "@backstitch/version-control/ProgressMeter"
import * as Regression from "@backstitch/version-control/Regression"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Steps from "../history/Steps.ts"

/** Error for a metric that has no number at any tick of a run. */
export class MetricUnknown extends Schema.TaggedError<MetricUnknown>("@backstitch/runtime/MetricUnknown")(
  "MetricUnknown",
  { metric: Schema.String, run: Schema.String }
) {
  override get message(): string {
    return (
      `Run ${this.run} has no number for ${this.metric} at any tick. ` +
      `Name one of ${ProgressMeter.metrics.join(", ")}, or a field as in working.score`
    )
  }
}

/** Finds where a metric first fell: one of {@link ProgressMeter.metrics}, or a numeric field. */
export const regression = Effect.fn("RegressionScan.regression")(function* (
  run: Run.Run,
  metric: string,
  options: { readonly progress?: ((tick: number, of: number) => void) | undefined } = {}
) {
  const history = yield* History.History
  const { head } = yield* history.info(run)
  const valueAfter = yield* reading(run, metric)
  let pass = Regression.start(metric)
  yield* Steps.walk(run, { from: 1, to: head.tick }, (step) => {
    pass = Regression.step(pass, step.transition.tick, valueAfter(step))
    options.progress?.(step.transition.tick, head.tick)
  })
  return pass.evaluations === 0 ? yield* new MetricUnknown({ metric, run: run.id }) : pass
})

/** The signals of progress after the last tick of a run. */
export const signals = Effect.fn("RegressionScan.signals")(function* (run: Run.Run) {
  const history = yield* History.History
  const { head } = yield* history.info(run)
  let meter = yield* begin(run)
  yield* Steps.walk(run, { from: 1, to: head.tick }, (step) => {
    meter = ProgressMeter.step(meter, step)
  })
  return ProgressMeter.signals(meter)
})

/** The composite of progress after a tick, and its change by that tick. */
export interface Advance {
  readonly score: number
  readonly change: number
}

/** The progress of a run after each tick of a part of it. It is measured from the first tick on. */
export const advances = Effect.fn("RegressionScan.advances")(function* (
  run: Run.Run,
  { from, to }: { readonly from: number; readonly to: number }
) {
  const found = new Map<number, Advance>()
  let meter = yield* begin(run)
  let before = ProgressMeter.signals(meter).progress
  yield* Steps.walk(run, { from: 1, to }, (step) => {
    meter = ProgressMeter.step(meter, step)
    const score = ProgressMeter.signals(meter).progress
    if (step.transition.tick >= from) found.set(step.transition.tick, { score, change: score - before })
    before = score
  })
  return found as ReadonlyMap<number, Advance>
})

/** The hard predicate that was violated first according to a state: an anomaly or a predicate of the pack. */
export const invariant = (state: State): { readonly id: string; readonly onset: number } | undefined => {
  const anomaly = Anomalies.first(state)
  const found = [
    ...Object.entries(Latch.of(state)).filter(([id]) => Latch.read(id).isAnswered),
    ...(anomaly === undefined ? [] : [[OnsetQuestion.anomalyFree, anomaly] as const])
  ].map(([id, onset]) => ({ id, onset }))
  return found.sort((left, right) => left.onset - right.onset || (left.id < right.id ? -1 : 1))[0]
}

const begin = Effect.fnUntraced(function* (run: Run.Run) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head, state } = yield* history.at(run)
  const pack = yield* library.inForce(state, head.tick)
  return ProgressMeter.start({
    declared: pack?.progress,
    constraints: pack === undefined ? [] : PackRules.constraints(pack)
  })
})

const reading = Effect.fnUntraced(function* (run: Run.Run, metric: string) {
  const name = ProgressMeter.metrics.find((known) => known === metric)
  if (name !== undefined) {
    let meter = yield* begin(run)
    return (step: Step): number | undefined => {
      meter = ProgressMeter.step(meter, step)
      return ProgressMeter.signals(meter)[name]
    }
  }
  const path = yield* Effect.fromResult(FieldPath.parse(metric))
  return ({ after }: Step): number | undefined => {
    const value = FieldPath.valueAt(after, path)
    return typeof value === "number" ? value : undefined
  }
})
