/**
 * Rank correlations between the signals of progress of recorded runs and the rewards that the runs were given.
 *
 * No threshold is set: the signals are a heuristic, and the figures say how good it is. Rewards are recorded with the
 * runs and are used for nothing else.
 *
 * @source Dendrer, sections 9.5 and 11.4
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as State from "@backstitch/reducer/State"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import type { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as ProgressMeter from "@backstitch/version-control/ProgressMeter"
import * as Step from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"

/** Spearman's rank correlation of each signal with the rewards; `null` where all runs have the same value. */
export type Figures = { readonly runs: number } & { readonly [metric in keyof ProgressMeter.Signals]: number | null }

/** Measures runs and computes the correlations. */
export const of = Effect.fn("ProgressFigures.of")(function* (
  pack: TaskPack.TaskPack,
  rewarded: ReadonlyArray<{ readonly run: Run; readonly reward: number }>
) {
  const store = yield* TraceStore.TraceStore
  const library = yield* PackLibrary.PackLibrary
  const fold = library.fold(Kernel.standard)
  const measured = yield* Effect.forEach(
    rewarded,
    Effect.fnUntraced(function* ({ run }) {
      const transitions = (yield* store.read(run)).map(Transition.open)
      return yield* library.folding(() => {
        let meter = ProgressMeter.start({ declared: pack.progress, constraints: PackRules.constraints(pack) })
        for (const step of Step.walk(fold, State.empty, transitions)) meter = ProgressMeter.step(meter, step)
        return ProgressMeter.signals(meter)
      })
    })
  )
  const rewards = rewarded.map(({ reward }) => reward)
  const correlation = (metric: keyof ProgressMeter.Signals) =>
    rankCorrelation(
      measured.map((signals) => signals[metric]),
      rewards
    )
  const figures: Figures = {
    runs: measured.length,
    progress: correlation("progress"),
    structural_completion: correlation("structural_completion"),
    constraint_satisfaction: correlation("constraint_satisfaction"),
    skeptic_survival_rate: correlation("skeptic_survival_rate")
  }
  return figures
})

/**
 * Spearman's rank correlation to three digits. Equal values share their mean rank. `null` if all values of one side
 * are equal.
 */
export const rankCorrelation = (left: ReadonlyArray<number>, right: ReadonlyArray<number>): number | null => {
  const [a, b] = [ranks(left), ranks(right)]
  const mean = (a.length + 1) / 2
  let [together, ofLeft, ofRight] = [0, 0, 0]
  for (const [index, rank] of a.entries()) {
    const [x, y] = [rank - mean, b[index]! - mean]
    together += x * y
    ofLeft += x * x
    ofRight += y * y
  }
  return ofLeft === 0 || ofRight === 0 ? null : Math.round((together / Math.sqrt(ofLeft * ofRight)) * 1000) / 1000
}

const ranks = (values: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.map((value) => {
    const below = values.filter((other) => other < value).length
    const equal = values.filter((other) => other === value).length
    return below + (equal + 1) / 2
  })
