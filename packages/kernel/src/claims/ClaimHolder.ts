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
 * The holder of a name: an action, its run and its fate. `tick` is the tick of its start, and `startedAt` the time of
 * its start in epoch milliseconds.
 */
export interface ClaimHolder extends ActionFate.ActionFate {
  readonly run: string
  readonly action: string
  readonly tick: number
  readonly startedAt: number
  readonly requestHash: string | undefined
}

/**
 * Finds the holder of a name that was claimed at a tick, from the transitions of its run from that tick on;
 * `undefined` if they do not begin with its start.
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

/** Tells whether the holder of a key has done exactly the requested act, and the effect still stands. */
export const hasDone = (self: ClaimHolder, requestHash: string | undefined): boolean =>
  self.requestHash === requestHash &&
  self.settled !== undefined &&
  self.status === "ok" &&
  self.disputed === undefined &&
  self.doubtful === undefined &&
  self.undone === undefined &&
  self.undoing === undefined

/** Tells whether the holder of a key failed for good in exactly the requested act, so that its generation is over. */
export const hasFailed = (self: ClaimHolder, requestHash: string | undefined): boolean =>
  self.requestHash === requestHash && ActionFate.hasFailed(self)
