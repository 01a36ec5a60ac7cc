/**
 * In which order a run goes on when something is being undone, and what a reversal comes to whose name is held.
 *
 * @since 0.1.0
 */
import type { Decision } from "@backstitch/kernel/Decision"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type * as State from "@backstitch/reducer/State"
import type * as Claims from "@backstitch/trace/Claims"

/** What undoes others is settled before them; what an open plan undoes is settled by the plan. */
export const toRecover = (state: State.State): ReadonlyArray<string> => {
  const steps = UndoPlan.open(state)?.steps ?? []
  const open = Object.entries(OpenActions.of(state)).filter(([id]) => !steps.some(({ undoes }) => undoes === id))
  return [...open.filter(([, each]) => each?.undoes), ...open.filter(([, each]) => !each?.undoes)].map(([id]) => id)
}

export const isUndoing = (state: State.State): boolean =>
  UndoPlan.open(state) !== undefined || UndoPlan.wanted(state) !== undefined

/** A reversal whose name is held elsewhere waits for its holder; the plan stays open. */
export const parked = (refusal: Claims.ClaimRefused, { drafts }: Decision): Decision => ({
  drafts: [],
  flush: "now",
  next: {
    _tag: "End",
    outcome: {
      _tag: "Held",
      tick: refusal.holder.tick,
      action: drafts[0]?.body.action?.undoes ?? "",
      why: `its reversal waits: ${refusal.message}`,
      next: "settle that, then resume the run"
    }
  }
})
