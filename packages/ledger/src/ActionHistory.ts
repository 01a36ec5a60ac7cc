/**
 * What a trace says of each action: the states it went through, the evidence for each, and what undid it.
 *
 * A history is a log: it takes the moves that {@link ActionMoves.next} answers
 * for each transition, as the fold does, and notes what the transition says
 * beside them. A move that was refused changes no state; it is kept in
 * `refused`, with the tick.
 */
import type { Json } from "@backstitch/trace/Canonical"
import type { Finding } from "@backstitch/trace/Finding"
import type { Outcome, Transition } from "@backstitch/trace/Transition"
import * as ActionMoves from "./ActionMoves.ts"
import type * as ActionState from "./ActionState.ts"
import { begin, concern, doubt, entered, note, relate, undoneBefore } from "./internal/historyNotes.ts"
import * as Undoing from "./Undoing.ts"

/** A moment of a history: the tick, and the time of its stamp. */
export interface Moment {
  readonly tick: number
  readonly at: number
}

/** Level of trust from which a result is believed: authoritative state met the predicates. */
export const believable = 3

/** What an approval was bound to. */
export interface Approval {
  readonly id: string | null
  readonly approver: string | null
  readonly requestHash: string | null
  readonly expiresAt: number | null
}

/** The history of one action. */
export interface ActionHistory {
  readonly id: string
  readonly tool: string
  readonly class: string
  readonly params: Json
  readonly state: ActionState.State
  readonly visited: ReadonlyArray<Moment & { readonly state: ActionState.State }>
  readonly refused: ReadonlyArray<Moment & { readonly refusal: ActionState.MoveRefused }>
  readonly attempts: number
  readonly undo: Undoing.Undo
  readonly trust: number
  readonly proposed: Moment
  readonly validated?: Moment
  readonly started?: Moment
  readonly observed?: Moment & { readonly outcome: Outcome }
  /** When the tool took the request, as long as no later answer says more. */
  readonly accepted?: Moment
  readonly verified?: Moment & { readonly outcome: Outcome; readonly unmet: ReadonlyArray<Finding> }
  readonly reconciled?: Moment & { readonly outcome: Outcome }
  /** When it ended before anything of it was sent: its intent was refused. */
  readonly dropped?: Moment
  readonly target?: string
  readonly requestHash?: string
  readonly key?: string
  readonly undoes?: string
  /** What it undoes of a planner's own accord, and whether all of it. */
  readonly reverses?: { readonly action: string; readonly whole: boolean }
  readonly undoneBy?: string
  readonly approval?: Approval
  readonly discrepancy?: string
  readonly decision?: string
  readonly decided?: Moment
  readonly incident?: string
  readonly review?: string
  /** Whether it was started without the approval that it needs, and is reviewed after the fact. */
  readonly isGlassBroken?: boolean
  /** Checks of its class that its contract leaves out. */
  readonly unchecked?: ReadonlyArray<string>
  /** When it was to be undone, and proven to be absent. */
  readonly absent?: Moment
  /** When a fork began that knew of its parent's undoing. */
  readonly undoneBefore?: Moment
  /** A person found that it did not happen, and it is sent again by whoever resumes the run. */
  readonly resent?: true
  /** Nothing of it was sent yet: the record could not be read before. */
  readonly deferred?: true
  /** Who accepts what its tool answered, and why, where that counts although nothing can be checked. */
  readonly word?: { readonly by: string; readonly why: string }
  /** What it kept of the money, where it undoes another action. */
  readonly kept?: { readonly amount: string; readonly currency: string }
  /** Who gave its undoing up, and on what evidence. */
  readonly givenUp?: { readonly by: string; readonly evidence: string }
  /** Who says that it was done, and on what evidence. */
  readonly vouched?: { readonly by: string; readonly evidence: string }
  /** Who decided that it is not undone after all, and on what evidence. */
  readonly letStand?: { readonly by: string; readonly evidence: string }
  /** Who attests that it is undone, and on what evidence. */
  readonly attested?: { readonly by: string; readonly evidence: string }
  /** Checks that the contract of what undid it leaves out, where the undoing is not proven. */
  readonly unproven?: ReadonlyArray<string>
  /** The span of the action in telemetry, as `TRACE_ID-SPAN_ID`. */
  readonly trace?: string
}

/** Histories by action. */
export type Histories = ReadonlyMap<string, ActionHistory>

/** Folds the transitions of a run, in order, into the history of each of its actions. */
export const all = (transitions: Iterable<Transition>): Histories => follow(new Map(), transitions)

/** Goes on with histories over the transitions that came since. They are changed in place. */
export const follow = (
  histories: Map<string, ActionHistory>,
  transitions: Iterable<Transition>
): Map<string, ActionHistory> => {
  for (const transition of transitions) {
    for (const each of undoneBefore(histories, transition)) histories.set(each.id, each)
    const id = transition.body.action?.id
    if (id === undefined) continue
    const changes = Undoing.next(effectsOf(histories), transition)
    moved(histories, id, transition)
    for (const change of changes) {
      const self = histories.get(change.action)
      if (self !== undefined) histories.set(self.id, relate(self, change, histories.get(id)))
    }
  }
  return histories
}

/** Moves the actions that a transition moves, and notes what it says of its own and of what that undoes. */
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

/** Histories as the machine knows them. */
const actionsOf = (histories: Histories): ActionMoves.Actions => ({
  get: (action) => openOf(histories, action),
  // By the request, as the fold finds it: an effect may be told as standing while its reversal is open.
  reversalOf: (action) => [...histories.values()].find((each) => each.undoes === action && !isOver(each))?.id
})

const effectsOf = (histories: Histories): Undoing.Known => ({
  effect: (action) => histories.get(action),
  open: (action) => openOf(histories, action)
})

const openOf = (histories: Histories, action: string): Undoing.Reversal | undefined => {
  const self = histories.get(action)
  if (self === undefined) return undefined
  const { class: sideEffect, reverses, state, undoes } = self
  return { class: sideEffect, isOver: isOver(self), reverses, state, undoes }
}

const isOver = (self: ActionHistory): boolean =>
  self.reconciled !== undefined || self.dropped !== undefined || isAnswered(self)

/** Its answer settles it. */
const isAnswered = (self: ActionHistory): boolean =>
  self.observed !== undefined && (!isMutating(self) || self.observed.outcome.basis === "recorded")

/** The history of one action, if the trace names it. */
export const of = (transitions: Iterable<Transition>, action: string): ActionHistory | undefined =>
  all(transitions).get(action)

/** Tells whether an action passed through a state. */
export const visited = (self: ActionHistory, state: ActionState.State): boolean =>
  self.visited.some((visit) => visit.state === state)

/** Tells whether an action was ever sent. */
export const isExecuted = (self: ActionHistory): boolean =>
  self.deferred !== true && (self.started !== undefined || self.observed !== undefined)

/** Tells whether the action changes the world; of a class that nobody knows, it does. */
export const isMutating = (self: ActionHistory): boolean => self.class !== "read_only"
