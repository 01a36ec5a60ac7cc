/**
 * The action that holds a claimed name, and its fate.
 *
 * A store names the holder of a name. The trace of the holder's run shows whether the requested act was done, failed
 * for good, or is under way.
 *
 * @source docs/decisions/0003, 0018
 */
import type { Transition } from "@backstitch/trace/Transition"
import * as ActionFate from "../action/ActionFate.ts"

/**
 * The holder of a name: an action, its run, and its fate. `tick` is that of its start, and `startedAt` the moment of
 * it, in epoch milliseconds.
 */
export interface ClaimHolder extends ActionFate.ActionFate {
  readonly run: string
  readonly action: string
  readonly tick: number
  readonly startedAt: number
  readonly requestHash: string | undefined
}

/**
 * The holder of a name that was claimed at a tick, from the transitions of its run from that tick on; `undefined` where
 * they do not begin with its start.
 */
export const of = (run: string, action: string, transitions: ReadonlyArray<Transition>): ClaimHolder | undefined => {
  const [start] = transitions
  if (start?.body.action?.id !== action) return undefined
  return {
    ...ActionFate.of(transitions, action),
    run,
    action,
    tick: start.tick,
    startedAt: start.stamp.asOf,
    requestHash: start.body.action.requestHash
  }
}

/** Tells whether the holder of a key has done the very act that is asked for, and it still stands. */
export const hasDone = (self: ClaimHolder, requestHash: string | undefined): boolean =>
  self.requestHash === requestHash &&
  self.settled !== undefined &&
  self.status === "ok" &&
  self.disputed === undefined &&
  self.doubtful === undefined &&
  self.undone === undefined &&
  self.undoing === undefined

/**
 * Tells whether the holder of a key failed for good in the very act that is asked for: its generation is over. Where
 * that is disputed, it may have been done.
 */
export const hasFailed = (self: ClaimHolder, requestHash: string | undefined): boolean =>
  self.requestHash === requestHash &&
  self.settled !== undefined &&
  self.status === "error" &&
  self.disputed === undefined
