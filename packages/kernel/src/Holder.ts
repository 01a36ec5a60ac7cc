/**
 * What the trace of a run says became of one of its actions, for whoever meets a name that the action holds.
 *
 * The record answers where an act was done before, by this run or by another
 * one. A state does not keep what tools answered, so it is read from the
 * transitions of the run that did it.
 *
 * @source docs/decisions/0003, 0018
 * @since 0.1.0
 */
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type { Json } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"

/**
 * What became of an action. `output` is the latest that is known of it, evidence or belief: `observed` what its tool
 * answered, `actual` what the system of record showed.
 *
 * @category models
 * @since 0.1.0
 */
export interface Became {
  readonly status: "ok" | "error" | "mismatch" | "unknown"
  readonly output: Json
  readonly observed?: Json | undefined
  readonly actual?: Json | undefined
  /** The tick at which it was settled. */
  readonly settled?: number | undefined
  /** The action that undid it, and the tick at which that was verified; itself, where it was gone by then. */
  readonly undone?: { readonly action: string; readonly tick: number } | undefined
}

/**
 * An action that holds a name, the run that it belongs to, and what became of it. `tick` is that of its start, and
 * `startedAt` the moment of it, in epoch milliseconds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Holder extends Became {
  readonly run: string
  readonly action: string
  readonly tick: number
  readonly startedAt: number
  readonly requestHash: string | undefined
}

/**
 * What a trace says became of one of its actions.
 *
 * @category getters
 * @since 0.1.0
 */
export const became = (transitions: Iterable<Transition>, action: string): Became => {
  let found: Became = { status: "unknown", output: null }
  const undoing = new Set<string>()
  for (const transition of transitions) {
    const { body, tick } = transition
    const { id = "", undoes } = body.action ?? {}
    if (undoes === action) undoing.add(id)
    const isSettlement = body.type === "action.reconciled"
    if (isSettlement && undoing.has(id) && SettledActions.isVerified(transition)) {
      found = { ...found, undone: { action: id, tick } }
    }
    // To be undone, and not there any more: what it did does not stand either.
    if (id === action && body.data?.["absent"] === true) found = { ...found, undone: { action, tick } }
    if (id !== action || body.result === undefined) continue
    const { output, status } = body.result
    const told = output === undefined ? {} : { output }
    const seen =
      output === undefined || status !== "ok"
        ? {}
        : body.type === "action.result"
          ? { observed: output }
          : body.type === "action.verified"
            ? { actual: output }
            : {}
    found = { ...found, ...told, ...seen, status, ...(isSettlement ? { settled: tick } : {}) }
  }
  return found
}

/**
 * The holder of a name that was claimed at a tick, from the transitions of its run from that tick on; `undefined` where
 * they do not begin with its start.
 *
 * @category constructors
 * @since 0.1.0
 */
export const of = (run: string, action: string, transitions: ReadonlyArray<Transition>): Holder | undefined => {
  const [start] = transitions
  if (start?.body.action?.id !== action) return undefined
  return {
    ...became(transitions, action),
    run,
    action,
    tick: start.tick,
    startedAt: start.stamp.asOf,
    requestHash: start.body.action.requestHash
  }
}

/**
 * Tells whether the holder of a key has done the very act that is asked for, and it still stands.
 *
 * @category guards
 * @since 0.1.0
 */
export const hasDone = (self: Holder, requestHash: string | undefined): boolean =>
  self.requestHash === requestHash && self.settled !== undefined && self.status === "ok" && self.undone === undefined

/**
 * Tells whether the holder of a key failed for good in the very act that is asked for: its generation is over.
 *
 * @category guards
 * @since 0.1.0
 */
export const hasFailed = (self: Holder, requestHash: string | undefined): boolean =>
  self.requestHash === requestHash && self.settled !== undefined && self.status === "error"
