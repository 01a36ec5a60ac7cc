/**
 * Carries out the absorption of pending revisions, as it was planned at a head of the run.
 *
 * The plan is committed with the request for its undoing, so that a crash leaves both or none. The undoing goes on as
 * any other, and a lost act stays in the view of the planner: its effect stands.
 *
 * @source docs/decisions/0040, 0057
 */
import type * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as SagaSteps from "../action/SagaSteps.ts"
import type { Command } from "../decision/Command.ts"
import * as CommitContent from "../decision/CommitContent.ts"
import { type Decision, end } from "../decision/Decision.ts"
import * as Check from "../payload/Check.ts"
import * as Finding from "../payload/Finding.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Goal from "../state/Goal.ts"
import * as Undo from "../undo/Undo.ts"

/** Decides the absorption of the pending revisions. */
export const decide = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { at, patch, says }: Command & { readonly _tag: "Absorb" }
): Decision => {
  const { pending } = Goal.of(state)
  if (pending === undefined) {
    return end({ _tag: "Done", tick: DecisionTerms.standsAt(terms), output: null, basis: "recorded" })
  }
  const { discarded, lost, revisions, undo } = says
  if (terms.tick !== at + 1 || !Canonical.equals(revisions, pending.ticks)) {
    const check = Check.fail("context", "revision", "context.changed", {})
    return end({ _tag: "Refused", tick: undefined, checks: [check] })
  }
  const absorbed = DecisionTerms.draft(terms, { author: "kernel", data: says, type: "revision.absorbed" })
  if (discarded.length === 0 && patch.length === 0) {
    const output = { discarded, undo } as Json
    return end({ _tag: "Done", tick: terms.tick, output, basis: "committed" }, CommitContent.records(absorbed))
  }
  const before = Undo.waiting(state)
  if (before !== undefined) return Undo.afterwards(before)
  const staying = new Set(lost.map(({ action }) => action))
  const wanted: UndoPlan.UndoRequest = {
    actions: undo,
    because: Finding.make("cause.revised", { revisions }),
    cause: "revision",
    masks: discarded.filter((action) => !staying.has(action))
  }
  const steps = SagaSteps.all(terms, state).filter(({ action }) => undo.includes(action))
  const verdict = Undo.judge(terms, state, wanted, steps)
  if (verdict._tag === "Blocked") return Undo.refused(verdict.blocks)
  const decision = Undo.wholly(terms, state, wanted, { verdict, patch })
  return { ...decision, content: CommitContent.after(decision.content, absorbed) }
}
