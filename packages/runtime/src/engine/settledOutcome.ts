/** Outcomes as a run handle answers them: read from a decision, or from the trace for an earlier act. */

import * as ActionFate from "@backstitch/kernel/ActionFate"
import type { Decided } from "@backstitch/kernel/Decision"
import * as Finding from "@backstitch/kernel/Finding"
import type { Failed, Outcome } from "@backstitch/kernel/Outcome"
import * as ActionId from "@backstitch/trace/ActionId"
import type { Json } from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import type * as History from "../history/History.ts"

/** The action that a decision is about, once it is committed. Its id follows from the tick. */
export const actionOf = ({ next }: Decided): string | undefined => ("request" in next ? next.request.action : undefined)

/** A decision whose transition is at the given tick, because it joined a transition that waits there. */
export const standingAt = <D extends Decided>(decision: D, tick: number): D => {
  const { next } = decision
  if (next._tag !== "End" || next.outcome._tag === "Done" || next.outcome._tag === "Failed") return decision
  return { ...decision, next: { ...next, outcome: { ...next.outcome, tick } } }
}

/** The record of a run: its transitions, and the settlement of an action whose effect nothing has touched since. */
export interface SettledRecord {
  readonly run: Run
  readonly transitions: (from: number, to?: number) => Effect.Effect<ReadonlyArray<Transition>, History.HistoryError>
  readonly settledAt: (action: string) => number | undefined
}

/**
 * Answers for an act that was done before with its earlier outcome. The trace is read from the request on: up to the
 * settlement if the effect stands, otherwise to the head, where it was undone.
 */
export const settledOutcome = Effect.fnUntraced(function* (
  { run, settledAt, transitions }: SettledRecord,
  outcome: Outcome
): Effect.fn.Return<Outcome, History.HistoryError> {
  if (outcome._tag !== "Done" || outcome.adopted === undefined || outcome.adopted.run !== run.id) return outcome
  const { action, tick } = outcome.adopted
  if (action === undefined) {
    const [recorded] = yield* transitions(tick, tick)
    return { ...outcome, output: recorded?.body.data ?? null }
  }
  const found = ActionFate.of(yield* transitions(ActionId.tickOf(action) ?? 1, settledAt(action)), action)
  const { output, status } = found
  const lost = ActionFate.lost(found)
  if (lost?.how === "undoing") {
    const why = Finding.make("act.undoing", { action, run: run.id, tick: lost.tick })
    return { _tag: "Held", tick, action, why }
  }
  if (lost !== undefined) {
    const { action: by, how } = lost
    return { ...failed(tick, words[how](by), how === "given_up"), lost: { how, by } }
  }
  if (status === "ok") return { ...outcome, output }
  return failed(tick, output, status === "unknown")
})

const failed = (tick: number, error: Json, mayStand: boolean): Failed => ({
  _tag: "Failed",
  tick,
  error,
  ...(mayStand ? { mayStand } : {})
})

const words = {
  undone: (by: string) => `undone by ${by}`,
  doubtful: (by: string) => `undone in part by ${by}`,
  given_up: (by: string) => `to be undone by ${by}, which was given up: it may stand, or not`
} as const
