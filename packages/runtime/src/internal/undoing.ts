/**
 * In which order a run goes on when something is being undone, and what a reversal comes to whose name is held.
 *
 * @since 0.1.0
 */
import type { Command } from "@backstitch/kernel/Command"
import type * as Commit from "@backstitch/kernel/Commit"
import type { Decision } from "@backstitch/kernel/Decision"
import * as Forward from "@backstitch/kernel/Forward"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type * as State from "@backstitch/reducer/State"
import type * as Claims from "@backstitch/trace/Claims"
import type { Library } from "../Library.ts"

/** What undoes others is settled before them; what an open plan undoes is settled by the plan. */
export const toRecover = (state: State.State): ReadonlyArray<string> => {
  const steps = UndoPlan.open(state)?.steps ?? []
  const open = Object.entries(OpenActions.of(state)).filter(([id]) => !steps.some(({ undoes }) => undoes === id))
  return [...open.filter(([, each]) => each?.undoes), ...open.filter(([, each]) => !each?.undoes)].map(([id]) => id)
}

export const isUndoing = (state: State.State): boolean =>
  UndoPlan.open(state) !== undefined || UndoPlan.wanted(state) !== undefined

/** What remains behind the pivots of a run where it stands. */
export const remainingIn = (library: Library["Service"], { head, state }: Commit.Position) =>
  library.folding(() => Forward.remaining(library.packAt(state, head.tick), state))

/** What the kernel does of its own accord waits where a name is held: nobody is there to be refused. */
export const isWaiting = ({ _tag }: Command): boolean =>
  _tag === "Compensate" || _tag === "Complete" || _tag === "Recover"

/** A reversal or a remaining step whose name is held elsewhere waits for its holder; it stays to be done. */
export const parked = (refusal: Claims.ClaimRefused, { drafts }: Decision): Decision => ({
  drafts: [],
  flush: "now",
  next: {
    _tag: "End",
    outcome: {
      _tag: "Held",
      tick: refusal.holder.tick,
      action: drafts[0]?.body.action?.undoes ?? drafts[0]?.body.action?.id ?? "",
      why: `it waits for a name: ${refusal.message}`,
      next: "settle that, then resume the run"
    }
  }
})
