/**
 * The actions that a state knows, and the moves of a fact among them. They are found once, for all parts of the fold
 * and for the commit that reports refused moves.
 *
 * Every requested action is open, settled or over, and each of these is a part of the fold. A fact moves no action that
 * is in none of the three. The parts depend on each other, so their modules cannot be imported here: they are read by
 * their names in the state.
 */

import type { State, StateField } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Table from "@backstitch/trace/Table"
import type { Draft } from "@backstitch/trace/Transition"
import type * as ActionState from "../machine/ActionState.ts"
import * as ActionMoves from "../moves/ActionMoves.ts"

/** Names of the parts that hold actions: open ones, settled ones with an effect, and others that are over. */
export const parts = { open: "actions", settled: "settled", ended: "ended" } as const

/** The actions of a state in the form that the machine reads. */
export const of = (state: State): ActionMoves.Actions => {
  const all = (state.kernel[parts.open] ?? {}) as JsonObject
  const open = (id: string) => (Object.hasOwn(all, id) ? (all[id] as JsonObject & ActionMoves.MovingAction) : undefined)
  return {
    get: (id) => open(id) ?? over(state, id),
    reversalOf: (id) => Object.keys(all).find((each) => open(each)?.undoes === id)
  }
}

const over = ({ kernel }: State, id: string): ActionMoves.MovingAction | undefined => {
  const ended = tableOf(kernel[parts.ended]).get(id)?.["state"] as ActionState.State | undefined
  const state = ended ?? (tableOf(kernel[parts.settled]).has(id) ? "reconciled_success" : undefined)
  return state === undefined ? undefined : { class: "", isOver: true, state }
}

const tableOf = (field: StateField | undefined): Table.Table<JsonObject> =>
  (field ?? Table.empty) as Table.Table<JsonObject>

/** The moves that a fact claims in a state. They are cached until the next fact, because each part asks for them. */
export const moves = (before: State, fact: Pick<Draft, "body" | "stamp">): ReadonlyArray<ActionMoves.Move> => {
  if (latest?.fact === fact && latest.before === before) return latest.moves
  latest = { before, fact, moves: ActionMoves.next(of(before), fact) }
  return latest.moves
}

let latest:
  | {
      readonly before: State
      readonly fact: Pick<Draft, "body" | "stamp">
      readonly moves: ReadonlyArray<ActionMoves.Move>
    }
  | undefined

/** The moves that a fact claims and the machine refuses. */
export const refused = (before: State, fact: Pick<Draft, "body" | "stamp">): ReadonlyArray<ActionMoves.RefusedMove> =>
  moves(before, fact).filter(ActionMoves.isRefused)

/** The move that a fact claims for its own action; possibly none. */
export const own = (before: State, fact: Pick<Draft, "body" | "stamp">): ActionMoves.Move | undefined =>
  moves(before, fact).find(({ action }) => action === fact.body.action?.id)
