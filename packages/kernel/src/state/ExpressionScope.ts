/** Names in scope of the expressions of a pack. */
import type * as OpenAction from "@backstitch/ledger/OpenAction"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Goal from "./Goal.ts"

/** The names in scope of an expression at a decision. The values of the clauses are those in force, or given ones. */
export const bindings = (
  state: State,
  more: JsonObject,
  clauses: JsonObject = Goal.of(state).clauses
): { readonly [name: string]: unknown } => ({
  ...more,
  clause: clauses,
  kernel: state.kernel,
  get state() {
    return { ...state.working, ...state.world }
  },
  working: state.working,
  world: state.world
})

/** The names in scope of an expression about an action: its arguments, its key, its tool's answer, and its record. */
export const actionBindings = (
  state: State,
  { key = "", observed = null, params }: OpenAction.OpenAction,
  actual: Json
): { readonly [name: string]: unknown } => bindings(state, { actual, args: params, key, observed })
