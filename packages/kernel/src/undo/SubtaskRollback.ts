/**
 * A rollback of one subtask to a checkpoint. The effects after it are undone by one plan, and `working` goes back by
 * the patch of the transition that opens the plan.
 *
 * The lift of the run at a head decided whether the checkpoint is admissible. The kernel demands that head, every
 * conjunct of an undoing, and that no call of the subtask is still under way.
 *
 * @source docs/decisions/0031, 0040, 0054
 */
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type * as State from "@backstitch/reducer/State"
import * as SagaSteps from "../action/SagaSteps.ts"
import type { Rollback } from "../decision/Command.ts"
import { type Decision, end } from "../decision/Decision.ts"
import * as Check from "../payload/Check.ts"
import * as Finding from "../payload/Finding.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Undo from "./Undo.ts"

/** Decides a rollback that was admitted on the lift of the run. */
export const begin = (
  terms: DecisionTerms.DecisionTerms,
  state: State.State,
  wanted: UndoPlan.UndoRequest,
  { at, checkpoint, patch, policy }: Rollback
): Decision => {
  if (terms.tick !== at + 1) {
    const check = Check.fail("context", checkpoint.skeleton, "context.changed", {})
    return end({ _tag: "Refused", tick: undefined, checks: [check] })
  }
  const before = Undo.waiting(state)
  if (before !== undefined) return Undo.afterwards(before)
  const { actions, masks = [] } = wanted
  const steps = SagaSteps.all(terms, state).filter(({ action }) => actions.includes(action))
  const verdict = Undo.judge(terms, state, wanted, steps)
  const open = masks.flatMap((action) => {
    const found = OpenActions.of(state)[action]?.state
    return found === undefined ? [] : [{ action, why: Finding.make("undo.unsettled", { state: found }) }]
  })
  // A rollback undoes every effect after its checkpoint, or nothing.
  const blocks = [...(verdict._tag === "Blocked" ? verdict.blocks : UndoPlan.tooLate(steps)), ...open]
  if (blocks.length > 0) return Undo.refused(blocks)
  const more = { checkpoint, ...(policy === undefined ? {} : { policy }) }
  return Undo.wholly(terms, state, wanted, { verdict, patch, more })
}
