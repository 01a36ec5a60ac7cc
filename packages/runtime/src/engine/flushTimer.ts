/** Commits staged transitions alone if no commit follows in time. */
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"
import * as FaultPoint from "../ports/FaultPoint.ts"

/**
 * Makes a timer that flushes once staged transitions have waited for `stagedMillisMax`. `since` answers the time since
 * which transitions wait; `undefined` if none wait. It is a time of `now`, which no clock that is set back may stop.
 *
 * **Details**
 *
 * One fiber waits, however often the timer is armed. A flush that fails is repeated by the next commit, which then
 * fails for its caller. Closing the scope ends the wait, but interrupts no flush.
 */
export const make = Effect.fnUntraced(function* <E>(options: {
  readonly now: Effect.Effect<number>
  readonly since: () => number | undefined
  readonly flush: Effect.Effect<void, E>
}) {
  const { flush, now, since } = options
  const scope = yield* Effect.scope
  let isArmed = false

  const wait = Effect.gen(function* () {
    for (let from = since(); from !== undefined; from = since()) {
      const left = from + Limits.pacing.stagedMillisMax - (yield* now)
      if (left > 0) yield* Effect.sleep(left)
      else {
        yield* FaultPoint.at("settle/due")
        yield* Effect.uninterruptible(flush)
      }
    }
  })

  /** Starts the wait, unless it has started already. */
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
