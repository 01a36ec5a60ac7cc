/**
 * Actions that came to an end, by the state in which they ended, as folded state: what is over is not moved again.
 *
 * A success that changed the world is among the settled actions. Calls that
 * their answer settles are not followed further.
 *
 * @since 0.1.0
 */
import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import * as Table from "@backstitch/trace/Table"
import type { Transition } from "@backstitch/trace/Transition"
import * as ActionMoves from "./ActionMoves.ts"
import type * as ActionState from "./ActionState.ts"
import * as OpenActions from "./OpenActions.ts"
import * as SettledActions from "./SettledActions.ts"

/**
 * An action that is over.
 *
 * @category models
 * @since 0.1.0
 */
export type Ended = { readonly state: ActionState.State }

type Self = Table.Table<Ended>

const end = (self: Self, transition: Transition, before: State): Self => {
  const { id = "" } = transition.body.action ?? {}
  const open = OpenActions.of(before)[id]
  if (open === undefined) return self
  const { refused, states } = ActionMoves.own(id, open, transition.body)
  if (refused !== undefined) return self
  const state = states.at(-1) ?? open.state
  const isKept = state === "reconciled_success" && open.undoes === undefined && transition.body.result?.status === "ok"
  return isKept ? self : self.set(id, { state })
}

/**
 * The part of the fold that keeps how actions ended.
 *
 * @category parts
 * @since 0.1.0
 */
export const part: Part.Part<Self> = Part.make<Self>("ended", {
  version: 1,
  init: Table.empty,
  on: {
    "action.request": (self, { body: { action, policy } }) =>
      action !== undefined && policy?.decision === "deny" ? self.set(action.id, { state: "failed" }) : self,
    "action.reconciled": end,
    "intent.dropped": end,
    // What its parent did is its parent's.
    "run.fork": () => Table.empty
  }
})

/**
 * The actions of a state as the machine knows them: those that are open, and those that are over.
 *
 * @category conversions
 * @since 0.1.0
 */
export const known = (state: State): ActionMoves.Actions => {
  const open = OpenActions.known(state)
  return { get: (action) => open.get(action) ?? over(state, action), reversalOf: open.reversalOf }
}

const over = (state: State, action: string): ActionMoves.Subject | undefined => {
  const isSettled = SettledActions.of(state).has(action)
  const ended = Part.get(part, state).get(action)?.state ?? (isSettled ? "reconciled_success" : undefined)
  return ended === undefined ? undefined : { class: "", isOver: true, state: ended }
}

/**
 * The moves that a transition claims of actions of a state, and that are refused.
 *
 * @category getters
 * @since 0.1.0
 */
export const refused = (
  before: State,
  transition: Transition
): ReadonlyArray<{ readonly action: string; readonly refusal: ActionState.MoveRefused }> =>
  ActionMoves.next(known(before), transition).flatMap(({ action, refused: refusal }) =>
    refusal === undefined ? [] : [{ action, refusal }]
  )
