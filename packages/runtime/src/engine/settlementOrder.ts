/** The order in which the open actions of a run are settled, when some of them undo others. */
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type * as State from "@backstitch/reducer/State"

/**
 * Lists open actions in the order in which they are settled: reversals first. Actions that an open plan undoes are
 * left to the plan.
 */
export const toSettle = (state: State.State): ReadonlyArray<string> => {
  const steps = UndoPlan.open(state)?.steps ?? []
  const open = Object.entries(OpenActions.of(state)).filter(([id]) => !steps.some(({ undoes }) => undoes === id))
  return [...open.filter(([, each]) => each?.undoes), ...open.filter(([, each]) => !each?.undoes)].map(([id]) => id)
}

/** Tells whether an undoing is open or pending in a run. */
export const isUndoing = (state: State.State): boolean =>
  UndoPlan.open(state) !== undefined || UndoPlan.wanted(state) !== undefined
