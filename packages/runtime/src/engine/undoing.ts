/** In which order a run goes on when something is being undone. */
import type * as Commit from "@backstitch/kernel/Commit"
import * as ForwardRecovery from "@backstitch/kernel/ForwardRecovery"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type * as State from "@backstitch/reducer/State"
import type { PackLibrary } from "../history/PackLibrary.ts"

/**
 * Lists open actions in the order in which they are settled: reversals first. Those that an open plan undoes are left
 * to the plan.
 */
export const toRecover = (state: State.State): ReadonlyArray<string> => {
  const steps = UndoPlan.open(state)?.steps ?? []
  const open = Object.entries(OpenActions.of(state)).filter(([id]) => !steps.some(({ undoes }) => undoes === id))
  return [...open.filter(([, each]) => each?.undoes), ...open.filter(([, each]) => !each?.undoes)].map(([id]) => id)
}

export const isUndoing = (state: State.State): boolean =>
  UndoPlan.open(state) !== undefined || UndoPlan.wanted(state) !== undefined

/** Lists the steps that remain behind the pivots of a run at its head. */
export const remainingIn = (library: PackLibrary["Service"], { head, state }: Commit.Position) =>
  library.folding(() => ForwardRecovery.remaining(library.packAt(state, head.tick), state))
