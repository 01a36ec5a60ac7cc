/** Repeats an append whose answer the store has lost, whether or not the first one arrived. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Limits from "../Limits.ts"

/** Tries again after a short wait, and a few more times. A schedule is built only after a loss. */
export const retryLostAppend = <A, E extends { readonly _tag: string }>(
  attempt: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.catch(attempt, (error) =>
    isLost(error)
      ? Effect.delay(Effect.retry(attempt, { ...patience, while: isLost }), Limits.pacing.lostAppendMillis)
      : Effect.fail(error)
  )

const patience = {
  schedule: Schedule.exponential(Limits.pacing.lostAppendRetryMillis),
  times: Limits.pacing.lostAppendRetriesMax
}

const isLost = (error: { readonly _tag: string }): boolean =>
  // A store that reports a lock has waited already.
  error._tag === "TraceStoreError" && "reason" in error && error.reason === "lost"
