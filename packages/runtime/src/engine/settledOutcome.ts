/** What a trace says became of an action that did before what is asked for again. */

import * as ClaimHolder from "@backstitch/kernel/ClaimHolder"
import * as Finding from "@backstitch/kernel/Finding"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type * as History from "../history/History.ts"

/** What was done before is answered with what it came to then. */
export const filled = Effect.fnUntraced(function* (
  history: History.History["Service"],
  run: Run,
  outcome: Outcome
): Effect.fn.Return<Outcome, History.HistoryError> {
  if (outcome._tag !== "Done" || outcome.adopted === undefined || outcome.adopted.run !== run.id) return outcome
  const { action, tick } = outcome.adopted
  if (action === undefined) {
    const [recorded] = yield* history.transitions(run, { from: tick, to: tick })
    return { ...outcome, output: recorded?.body.data ?? null }
  }
  const found = ClaimHolder.became(yield* history.transitions(run, { from: begun(action) }), action)
  const { output, status } = found
  const lost = ClaimHolder.lost(found)
  if (lost?.how === "undoing") {
    const why = Finding.make("act.undoing", { action, run: run.id, tick: lost.tick })
    return { _tag: "Held", tick, action, why }
  }
  if (lost !== undefined) return { _tag: "Failed", tick, error: words[lost.how](lost.action) }
  return status === "ok" ? { ...outcome, output } : { _tag: "Failed", tick, error: output }
})

const words = {
  undone: (by: string) => `undone by ${by}`,
  doubtful: (by: string) => `undone in part by ${by}`,
  given_up: (by: string) => `to be undone by ${by}, which was given up: it may stand, or not`
} as const

/** The tick of the request that an action is named for. */
const begun = (action: string): number => Number(/^a([1-9][0-9]*)$/.exec(action)?.[1] ?? 1)
