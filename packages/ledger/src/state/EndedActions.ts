/**
 * Actions that have ended, as folded state, each with its last state: no later fact moves them.
 *
 * A success that changed the world is not here, but among the settled actions.
 */
import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import * as Table from "@backstitch/trace/Table"
import type { Transition } from "@backstitch/trace/Transition"
import type * as ActionState from "../machine/ActionState.ts"
import * as FoldedActions from "./FoldedActions.ts"
import * as OpenActions from "./OpenActions.ts"

/** An action that is over. */
export type EndedAction = { readonly state: ActionState.State }

type Self = Table.Table<EndedAction>

const end = (self: Self, transition: Transition, before: State): Self => {
  const { id = "" } = transition.body.action ?? {}
  const open = OpenActions.of(before)[id]
  if (open === undefined) return self
  const { refused, states } = FoldedActions.own(before, transition) ?? {}
  if (refused !== undefined) return self
  const state = states?.at(-1) ?? open.state
  const isKept = state === "reconciled_success" && open.undoes === undefined && transition.body.result?.status === "ok"
  return isKept ? self : self.set(id, { state })
}

/** A read is over once it is answered, and so is an action that was recorded elsewhere. */
const answered = (self: Self, transition: Transition, before: State): Self =>
  OpenActions.isSettledBy(transition.body, before) ? end(self, transition, before) : self

/** A denied action is over with its request, unless it was requested before. */
const denied = (self: Self, transition: Transition, before: State): Self => {
  const { action, policy } = transition.body
  return action === undefined || policy?.decision !== "deny" || OpenActions.isRefused(transition, before)
    ? self
    : self.set(action.id, { state: "failed" })
}

/** The part of the fold that keeps how actions ended. */
export const part: Part.Part<Self> = Part.make<Self>(FoldedActions.parts.ended, {
  version: 1,
  init: Table.empty,
  on: {
    "action.request": denied,
    "action.result": answered,
    "action.reconciled": end,
    "intent.dropped": end,
    // A fork does not take over its parent's ended actions.
    "run.fork": () => Table.empty
  }
})

/** The actions of a state that have ended, each with its last state. */
export const of = (state: State): Self => Part.get(part, state)
