/** Commits what is staged by itself, where nothing follows that it could be committed with. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FaultPoint from "../ports/FaultPoint.ts"

/** Milliseconds for which a settlement waits at most for the next commit of its run. */
export const waitsMillis = 5

/**
 * Makes a timer that flushes once something has waited for {@link waitsMillis}. `since` answers since when something
 * waits, in epoch milliseconds; `undefined` where nothing does.
 *
 * **Details**
 *
 * One fiber waits, however often the timer is armed. A flush that fails is tried again by the next commit, which fails
 * for whoever asked for it. Closing the scope ends the wait and interrupts no flush.
 */
export const make = Effect.fnUntraced(function* <E>(options: {
  readonly since: () => number | undefined
  readonly flush: Effect.Effect<void, E>
}) {
  const { flush, since } = options
  const scope = yield* Effect.scope
  let isArmed = false

  const wait = Effect.gen(function* () {
    for (let from = since(); from !== undefined; from = since()) {
      const left = from + waitsMillis - (yield* Clock.currentTimeMillis)
      if (left > 0) yield* Effect.sleep(left)
      else {
        yield* FaultPoint.at("settle/due")
        yield* Effect.uninterruptible(flush)
      }
    }
  })

  /** Waits from now on, unless something waits already. */
  const arm = Effect.suspend(() => {
    if (isArmed) return Effect.void
    isArmed = true
    const waiting = Effect.ensuring(
      Effect.ignore(wait),
      Effect.sync(() => {
        isArmed = false
      })
    )
    return Effect.asVoid(Effect.forkIn(waiting, scope))
  })
  return { arm }
})
