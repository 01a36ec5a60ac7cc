/**
 * Time that goes on while a clock is set back: never earlier than it was, and never standing still.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/**
 * Makes a time in epoch milliseconds that is the clock's, or, after the clock was set back, what has passed since.
 * `floor` is a time that was seen already, here or elsewhere.
 */
export const make = (floor: () => number): Effect.Effect<number> => {
  let latest = 0
  let seen: bigint | undefined
  return Effect.map(Clock.Clock, (clock) => {
    const nanos = clock.monotonicTimeNanosUnsafe()
    const passed = seen === undefined ? 0 : Math.max(0, Number((nanos - seen) / 1_000_000n))
    // What is less than a millisecond is kept for the next time.
    seen = seen === undefined ? nanos : seen + BigInt(passed) * 1_000_000n
    latest = Math.max(clock.currentTimeMillisUnsafe(), floor(), latest + passed)
    return latest
  })
}
