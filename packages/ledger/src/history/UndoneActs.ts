/**
 * Acts that a state still believes, and that were undone after it, as far as the whole trace tells.
 *
 * A fork begins in the present world. So it is told of every effect that stood at its tick and no longer stands, or
 * perhaps not, before it relies on one.
 *
 * @source docs/decisions/0023
 */
import type { Transition } from "@backstitch/trace/Transition"
import * as EffectStatus from "../moves/EffectStatus.ts"
import * as ActionHistories from "./ActionHistories.ts"

/**
 * An act that was undone after a tick, or whose undoing has begun. `tick` is that of its undoing, `by` the action that
 * undid it, and `before` the last tick before the act.
 */
export interface UndoneAct {
  readonly action: string
  readonly tool: string
  readonly undo: EffectStatus.UndoState
  readonly by: string
  readonly before: number
  readonly tick?: number | undefined
}

/** `standing` leaves out acts whose undoing had begun by the tick: versions did that decided by rules 1. */
export interface Options {
  readonly standing?: boolean | undefined
}

/**
 * Lists the acts that a state still believes and that were undone since. `transitions` reach to the head of the run. An
 * act whose undoing had begun is believed until that is verified.
 */
export const since = (
  transitions: ReadonlyArray<Transition>,
  at: number,
  { standing }: Options = {}
): ReadonlyArray<UndoneAct> => {
  const shared = ActionHistories.all(transitions.filter(({ tick }) => tick <= at))
  const now = ActionHistories.all(transitions)
  return [...shared.values()].flatMap(({ id, proposed, tool, undo }) => {
    const after = now.get(id)
    const isBelieved = undo === "standing" || (standing !== true && EffectStatus.isOpen({ undo }))
    if (!isBelieved || after === undefined || after.undo === "standing" || after.undo === undo) return []
    const by = after.undoneBy ?? id
    const { tick } = after.absent ?? now.get(by)?.reconciled ?? {}
    return [
      { action: id, tool, undo: after.undo, by, before: proposed.tick - 1, ...(tick === undefined ? {} : { tick }) }
    ]
  })
}

/** The last tick, at most `at`, whose state believes no act that was undone since, and the acts after it. */
export const clear = (
  transitions: ReadonlyArray<Transition>,
  at: number
): { readonly from: number; readonly behind: ReadonlyArray<UndoneAct> } => {
  const behind = since(transitions, at)
  if (behind.length === 0) return { from: at, behind }
  const before = clear(transitions, Math.min(...behind.map(({ before }) => before)))
  return { from: before.from, behind: [...before.behind, ...behind] }
}
