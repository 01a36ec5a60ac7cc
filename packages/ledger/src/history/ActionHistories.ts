/**
 * The histories of a run's actions, folded from its transitions.
 *
 * A history is a log. For each transition it takes the moves that {@link ActionMoves.next} answers, as the fold of
 * the state does, and adds the other facts in the transition. A refused move changes no state; it is kept in
 * `refused`, with its tick.
 */
import type { Transition } from "@backstitch/trace/Transition"
import * as ActionMoves from "../moves/ActionMoves.ts"
import * as EffectStatus from "../moves/EffectStatus.ts"
import { type ActionHistory, isMutating } from "./ActionHistory.ts"
import { begin, concern, doubt, entered, leftBehind, note, relate, undoneBefore } from "./historyNotes.ts"

/** Histories by action. */
export type ActionHistories = ReadonlyMap<string, ActionHistory>

/** Folds the transitions of a run, in order, into the history of each of its actions. */
export const all = (transitions: Iterable<Transition>): ActionHistories => follow(new Map(), transitions)

/** Continues histories over the later transitions, and changes them in place. */
export const follow = (
  histories: Map<string, ActionHistory>,
  transitions: Iterable<Transition>
): Map<string, ActionHistory> => {
  for (const transition of transitions) {
    for (const each of inherited(histories, transition)) histories.set(each.id, each)
    const id = transition.body.action?.id
    if (id === undefined) continue
    const changes = EffectStatus.next(effectsOf(histories), transition)
    moved(histories, id, transition)
    for (const change of changes) {
      const self = histories.get(change.action)
      if (self !== undefined) histories.set(self.id, relate(self, change, histories.get(id)))
    }
  }
  return histories
}

/**
 * The histories that change where a fork begins: some effects are undone by then, and some actions, or their undoing,
 * are not over.
 */
const inherited = (histories: ActionHistories, transition: Transition): ReadonlyArray<ActionHistory> => {
  if (transition.body.type !== "run.fork") return []
  const undone = undoneBefore(histories, transition)
  const all = new Map([...histories, ...undone.map((self) => [self.id, self] as const)])
  const unsettled = [...all.values()].filter(
    (self) => self.left === undefined && (!isOver(self) || EffectStatus.isOpen(self))
  )
  return [...undone, ...leftBehind(unsettled, transition)]
}

/**
 * Moves the actions that a transition moves, and notes its evidence on its action and on the action that this one
 * undoes.
 */
const moved = (histories: Map<string, ActionHistory>, id: string, transition: Transition): void => {
  const before = histories.get(id)
  const moves = ActionMoves.next(actionsOf(histories), transition)
  const isRefused = moves.some(({ action, refused }) => action === id && refused !== undefined)
  const noted = before === undefined ? begin(id, transition) : isRefused ? before : note(before, transition)
  if (noted === undefined) return
  histories.set(id, noted)
  for (const move of moves) {
    const moving = histories.get(move.action)
    if (moving !== undefined) histories.set(move.action, entered(moving, move, transition))
  }
  const after = histories.get(id) ?? noted
  const undone = after.undoes === undefined ? undefined : histories.get(after.undoes)
  if (undone !== undefined) histories.set(undone.id, doubt(undone, before, after))
  const reversal = after.undoneBy === undefined ? undefined : histories.get(after.undoneBy)
  if (reversal !== undefined) histories.set(reversal.id, concern(reversal, transition))
}

/** Presents the histories as actions to the machine. */
const actionsOf = (histories: ActionHistories): ActionMoves.Actions => ({
  get: (action) => openOf(histories, action),
  // By the request, as in the fold: an effect may be reported as standing while its reversal is open.
  reversalOf: (action) => [...histories.values()].find((each) => each.undoes === action && !isOver(each))?.id
})

const effectsOf = (histories: ActionHistories): EffectStatus.EffectsBefore => ({
  effect: (action) => histories.get(action),
  open: (action) => openOf(histories, action)
})

const openOf = (histories: ActionHistories, action: string): EffectStatus.ReversingCall | undefined => {
  const self = histories.get(action)
  if (self === undefined) return undefined
  const { class: sideEffect, reverses, state, undoes } = self
  return { class: sideEffect, isOver: isOver(self), reverses, state, undoes }
}

const isOver = (self: ActionHistory): boolean =>
  self.reconciled !== undefined || self.dropped !== undefined || isAnswered(self)

/** Tells whether the answer of an action settled it: the action is a read, or was recorded elsewhere. */
const isAnswered = (self: ActionHistory): boolean =>
  self.observed !== undefined && (!isMutating(self) || self.observed.outcome.basis === "recorded")

/** The history of one action, if the trace names it. */
export const of = (transitions: Iterable<Transition>, action: string): ActionHistory | undefined =>
  all(transitions).get(action)
