/** Steps of a run for questions about it: a transition with the states before and after it. */
import * as Fold from "@backstitch/reducer/Fold"
import type { State } from "@backstitch/reducer/State"
import type * as HashChain from "@backstitch/trace/HashChain"
import type { Run } from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as History from "./History.ts"

/** A step whose states are folded already. */
export const of = (before: State, transition: Transition, after: State): Step => {
  const tool = Fold.toolOf(before, transition)
  return tool === undefined ? { before, after, transition } : { before, after, transition, tool }
}

/** Folds the ticks of a range, including the last, and passes each step to `visit` until `visit` answers `false`. */
export const walk = Effect.fnUntraced(function* (
  run: Run,
  range: { readonly from: number; readonly to: number },
  visit: (step: Step, head: HashChain.Head) => unknown
) {
  const history = yield* History.History
  return yield* history.walk(run, {
    from: yield* history.at(run, Math.max(0, range.from - 1)),
    to: range.to,
    visit: (after, transition, before, head) => visit(of(before, transition, after), head) !== false
  })
})
