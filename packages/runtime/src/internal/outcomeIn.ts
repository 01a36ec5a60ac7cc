/**
 * What a trace says became of an action that did before what is asked for again.
 *
 * @since 0.1.0
 */
import * as Holder from "@backstitch/kernel/Holder"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type * as History from "../History.ts"

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
  const found = Holder.became(yield* history.transitions(run, { from: begun(action) }), action)
  const { doubtful, output, status, undone } = found
  if (undone !== undefined) return { _tag: "Failed", tick, error: `undone by ${undone.action}` }
  if (doubtful !== undefined) return { _tag: "Failed", tick, error: `undone in part by ${doubtful.action}` }
  return status === "ok" ? { ...outcome, output } : { _tag: "Failed", tick, error: output }
})

/** The tick of the request that an action is named for. */
const begun = (action: string): number => Number(/^a([1-9][0-9]*)$/.exec(action)?.[1] ?? 1)
