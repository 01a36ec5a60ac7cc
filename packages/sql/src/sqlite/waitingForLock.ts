/** Waits for another process that holds the lock of a file, without stopping the event loop. */
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Limits from "../Limits.ts"

/** Opening a file waits for writers. Reading it waits for a process that recovers it after a crash. */
export const waitingForLock =
  (lockTimeoutMillis: number) =>
  <A>(attempt: Effect.Effect<A, TraceStoreError>): Effect.Effect<A, TraceStoreError> =>
    Effect.catch(attempt, (error) =>
      error.reason === "locked"
        ? Effect.retry(attempt, {
            schedule: Schedule.upTo(Schedule.jittered(Schedule.spaced(Limits.pacing.lockLookMillis)), {
              duration: lockTimeoutMillis
            }),
            while: ({ reason }) => reason === "locked"
          })
        : Effect.fail(error)
    )
