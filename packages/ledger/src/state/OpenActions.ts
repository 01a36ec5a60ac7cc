/**
 * Actions that are not settled, as folded state: their requests, their keys, and the answers so far.
 *
 * An entry exists from `action.request` until the action is settled: a read when it is answered, a mutation when it
 * is reconciled, any action when it is refused. After a crash, these entries are all that the run has left open.
 */

import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Body, Draft } from "@backstitch/trace/Transition"
import type * as ActionMoves from "../moves/ActionMoves.ts"
import * as Payload from "../payload/Payload.ts"
import * as FoldedActions from "./FoldedActions.ts"
import { type OpenAction, patched } from "./OpenAction.ts"
import {
  answered,
  asked,
  decided,
  type Note,
  reopened,
  requested,
  reviewed,
  settled,
  settles,
  started,
  unmoved,
  verified
} from "./openNotes.ts"

/** Open actions by id. */
export interface OpenActions extends JsonObject {
  readonly [id: string]: OpenAction | undefined
}

/** One object for the case without actions, whose digest is known. */
const none: OpenActions = {}

/** Moves by the machine, and notes the other facts. A refused move changes nothing. */
const step =
  (noted: Note): Part.Evolve<OpenActions> =>
  (self, transition, before) => {
    const id = transition.body.action?.id
    if (id === undefined) return self
    const moves = FoldedActions.moves(before, transition)
    const [open, own] = [get(self, id), moves.find(({ action }) => action === id)]
    let next = self
    if (open !== undefined && own?.refused === undefined) {
      const patch = noted(open, transition)
      next = patch === undefined ? without(self, id) : changed(self, id, { ...patch, ...entered(own) })
    }
    for (const move of moves) if (move.action !== id) next = changed(next, move.action, entered(move))
    return next
  }

const get = (self: OpenActions, id: string): OpenAction | undefined => (Object.hasOwn(self, id) ? self[id] : undefined)

const entered = (move: ActionMoves.Move | undefined): Partial<OpenAction> => {
  const state = move?.states.at(-1)
  return state === undefined ? {} : { state }
}

const changed = (self: OpenActions, id: string, patch: Partial<OpenAction>): OpenActions => {
  const open = get(self, id)
  for (const _ in open === undefined ? {} : patch) return { ...self, [id]: patched(open!, patch) }
  return self
}

const without = (self: OpenActions, id: string): OpenActions => {
  const { [id]: _, ...rest } = self
  for (const _ in rest) return rest
  return none
}

/** A denied request opens no action, and neither does a second request. */
const request: Part.Evolve<OpenActions> = (self, transition, before) => {
  const { action, policy } = transition.body
  if (action === undefined || policy?.decision === "deny" || isRefused(transition, before)) return self
  let next = self
  for (const move of FoldedActions.moves(before, transition)) {
    next =
      move.action === action.id
        ? { ...next, [action.id]: patched(requested(transition) as OpenAction, entered(move)) }
        : changed(next, move.action, entered(move))
  }
  return next
}

/** Applies a person's decision to the action, and to the reversal that it reopens. */
const review: Part.Evolve<OpenActions> = (self, transition, before) => {
  const next = step(reviewed)(self, transition, before)
  const { reopens } = Payload.of(transition.body, "review.decided") ?? {}
  const reversal = reopens === undefined ? undefined : get(next, reopens)
  return reopens === undefined || reversal === undefined
    ? next
    : changed(next, reopens, reopened(reversal, transition.body))
}

/** The part of the fold that keeps open actions. */
export const part: Part.Part<OpenActions> = Part.make<OpenActions>(FoldedActions.parts.open, {
  version: 1,
  init: none,
  on: {
    "action.request": request,
    "policy.decision": step(unmoved),
    "action.asked": step(asked),
    "action.started": step(started),
    "action.result": step(answered),
    "action.verified": step(verified),
    "action.reconciled": step(settled),
    "recovery.decided": step(decided),
    "review.requested": step(unmoved),
    "review.decided": review,
    "intent.dropped": step(settled),
    // A fork inherits beliefs, not open actions: its parent settles those.
    "run.fork": () => none
  }
})

/** The open actions of a state. */
export const of = (state: State): OpenActions => Part.get(part, state)

/** Tells whether a result settles its action. It does for a read, and for an action that was recorded elsewhere. */
export const isSettledBy = ({ action, result }: Pick<Body, "action" | "result">, before: State): boolean => {
  const open = of(before)[action?.id ?? ""]
  return open !== undefined && settles(open, result)
}

/** Tells whether a transition claims a refused move of its action. Then it opens and settles nothing. */
export const isRefused = (draft: Draft, before: State): boolean =>
  FoldedActions.own(before, draft)?.refused !== undefined
