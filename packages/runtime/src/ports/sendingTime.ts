/**
 * The time in which a tool may send a request: its end by the clock, and a signal that is aborted then.
 *
 * The time for which an answer is awaited is another one, and may end later: an answer to a request that was sent in
 * time is evidence whenever it arrives.
 *
 * @source docs/decisions/0036
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** The time of one request. */
export interface SendingTime {
  /** Epoch milliseconds after which the request must not be sent any more. */
  readonly sendBefore: number
  /** The milliseconds until then, counted from the beginning. */
  readonly deadlineMillis: number
  readonly signal: AbortSignal
  readonly isOver: () => boolean
  /** Ends it at once: no answer is awaited any more. */
  readonly end: () => void
  /** Waits as long as an answer is awaited, and ends the time to send on the way. */
  readonly wait: (awaitedMillis: number) => Effect.Effect<void>
}

/** Begins the time of a request. Without `until`, it may be sent for as long as its answer is awaited. */
export const begin = (
  clock: Clock.Clock,
  { awaitedMillis, until }: { readonly awaitedMillis: number; readonly until: number | undefined }
): SendingTime => {
  const now = clock.currentTimeMillisUnsafe()
  const sendBefore = Math.min(until ?? Number.POSITIVE_INFINITY, now + awaitedMillis)
  const deadlineMillis = Math.max(0, sendBefore - now)
  const controller = new AbortController()
  const end = () => controller.abort()
  const isOver = (): boolean => {
    if (clock.currentTimeMillisUnsafe() > sendBefore) end()
    return isAborted(controller.signal)
  }
  return {
    sendBefore,
    deadlineMillis,
    // A process that stood still goes on before its timers are due, so whoever asks the signal looks at the clock.
    signal: Object.defineProperties(controller.signal, {
      aborted: { get: isOver },
      throwIfAborted: {
        value: () => {
          if (isOver()) throw controller.signal.reason
        }
      }
    }),
    isOver,
    end,
    wait: (awaited) =>
      awaited <= deadlineMillis
        ? Effect.sleep(awaited)
        : Effect.andThen(
            Effect.andThen(Effect.sleep(deadlineMillis), Effect.sync(end)),
            Effect.sleep(awaited - deadlineMillis)
          )
  }
}

const isAborted = (signal: AbortSignal): boolean => Reflect.get(AbortSignal.prototype, "aborted", signal)
