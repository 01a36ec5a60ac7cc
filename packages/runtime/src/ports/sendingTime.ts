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
  // Made only for a tool that asks for it.
  let controller: AbortController | undefined
  let isEnded = false
  const end = () => {
    isEnded = true
    controller?.abort()
  }
  const isOver = (): boolean => {
    if (!isEnded && clock.currentTimeMillisUnsafe() > sendBefore) end()
    return isEnded
  }
  return {
    sendBefore,
    deadlineMillis,
    get signal() {
      if (controller === undefined) {
        controller = new AbortController()
        lookAtClock(controller.signal, isOver)
        if (isEnded) controller.abort()
      }
      return controller.signal
    },
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

const isOverOf = Symbol("isOver")

interface ClockedSignal extends AbortSignal {
  readonly [isOverOf]: () => boolean
}

/**
 * Lets a signal look at the clock when it is asked: a process that stood still goes on before its timers are due. The
 * accessors stand in one prototype. In each signal they would be a hidden class of its own, which stays in memory until
 * all of it is collected.
 */
const lookAtClock = (signal: AbortSignal, isOver: () => boolean): void => {
  Object.defineProperty(Object.setPrototypeOf(signal, clocked), isOverOf, { value: isOver })
}

const clocked: object = Object.create(AbortSignal.prototype, {
  aborted: {
    get(this: ClockedSignal) {
      return this[isOverOf]()
    }
  },
  throwIfAborted: {
    value(this: ClockedSignal) {
      if (this[isOverOf]()) throw this.reason
    }
  }
})
