/** A clock for simulations: long waits pass at once. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"

/** Answers from a record need no waiting, so time passes at once. */
export const withoutWaiting = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    let skipped = 0
    const millis = () => clock.currentTimeMillisUnsafe() + skipped
    const steady = () => clock.monotonicTimeNanosUnsafe() + BigInt(Math.round(skipped * 1_000_000))
    const quick: Clock.Clock = {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: () => BigInt(millis()) * 1_000_000n,
      currentTimeNanos: Effect.sync(() => BigInt(millis()) * 1_000_000n),
      monotonicTimeNanosUnsafe: steady,
      monotonicTimeNanos: Effect.sync(steady),
      sleep: (duration) => {
        const length = Duration.toMillis(duration)
        if (length <= Limits.pacing.storeWaitMillisMax || !Number.isFinite(length)) return clock.sleep(duration)
        return Effect.sync(() => {
          skipped += length
        })
      }
    }
    return Effect.provideService(effect, Clock.Clock, quick)
  })
