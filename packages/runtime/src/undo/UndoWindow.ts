/**
 * The time in which the effect of an action can be undone, where its contract limits that time (`undo.within`). An
 * effect whose time is over counts as one that cannot be undone.
 */
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type { State } from "@backstitch/reducer/State"
import type { Run } from "@backstitch/trace/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"

/** The end of the time, as ISO 8601, and the milliseconds that are left of it: 0 once it is over. */
export interface UndoWindow {
  readonly endsAt: string
  readonly leftMillis: number
}

/** The time in which one action can be undone. */
export interface OfAction extends UndoWindow {
  readonly action: string
  readonly tool: string
}

/** Makes the window that ends at one time, as it is at another. Both are in epoch milliseconds. */
export const make = (endsAt: number, now: number): UndoWindow => ({
  endsAt: new Date(endsAt).toISOString(),
  leftMillis: Math.max(0, endsAt - now)
})

/** Tells whether the time is over. */
export const isOver = ({ leftMillis }: UndoWindow): boolean => leftMillis === 0

/** The windows of the effects of a run that stand, in the order in which the actions began. */
export const inState = (state: State, now: number): ReadonlyArray<OfAction> =>
  SettledActions.inOrder(state).flatMap(([action, { endsAt, tool, undo }]) =>
    endsAt === undefined || undo !== "standing" ? [] : [{ action, tool, ...make(endsAt, now) }]
  )

/** The windows of a stored run at the present time. */
export const ofRun = Effect.fnUntraced(function* (run: Run) {
  const history = yield* History.History
  const { state } = yield* history.at(run)
  return inState(state, yield* Clock.currentTimeMillis)
})
