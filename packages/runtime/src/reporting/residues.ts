/**
 * Residues of actions that were undone, and actions that a fork left to its parent, in words.
 *
 * A compensation is no inverse: fees and notices remain, and the user has to know.
 */
import * as Payload from "@backstitch/kernel/Payload"
import type * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import type { Transition } from "@backstitch/trace/Transition"
import type { ReportWords, Residue } from "@backstitch/wording/RunWords"
import type { Words } from "@backstitch/wording/Words"

/** Says of each action that was undone in part, or left to the parent of a fork, what remains. */
export const said = (
  transitions: Iterable<Transition>,
  histories: ActionHistories.ActionHistories,
  words: Words
): ReadonlyArray<string> => {
  const undone = [...transitions].flatMap(({ body }) => Payload.of(body, "recovery.restored")?.residue ?? [])
  return [...histories.values()].flatMap((history) => {
    const { class: sideEffect, id: action, left, tool } = history
    if (left !== undefined) {
      const isUndone = EffectStatus.isOpen(history)
      return sideEffect === "read_only" ? [] : [words.reports.leftBehind({ action, isUndone, run: left.run, tool })]
    }
    const way = wayOf(history, undone)
    return way === undefined ? [] : [words.reports.residue[way](of(history, histories))]
  })
}

/** The way in which a part of an action's effect remains; `undefined` if none remains. */
const wayOf = (
  { decision, id, kept, undo, undoes }: ActionHistory.ActionHistory,
  undone: ReadonlyArray<string>
): keyof ReportWords["residue"] | undefined => {
  if (undo === "undo_abandoned") return "given_up"
  if (undone.includes(id)) return "undone"
  if (undo === "doubtful") return "doubtful"
  if (decision === "mark_dirty") return "dirty"
  // A reversal that kept something is reported, too: nobody declared that, and money is missing.
  return kept !== undefined && undoes !== undefined && !undone.includes(undoes) ? "kept" : undefined
}

/** The residue of an action, with the reversal that left it. */
export const of = (
  {
    givenUp,
    id,
    kept,
    target,
    tool,
    undoneBy
  }: Pick<ActionHistory.ActionHistory, "id" | "tool"> & Partial<ActionHistory.ActionHistory>,
  histories: ActionHistories.ActionHistories
): Residue => {
  const { kept: left, tool: by } = histories.get(undoneBy ?? "") ?? {}
  return {
    action: id,
    tool,
    target,
    kept,
    givenUp,
    ...(undoneBy === undefined ? {} : { reversal: { action: undoneBy, tool: by, kept: left } })
  }
}
