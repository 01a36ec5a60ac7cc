/**
 * Time that goes on while a clock is set back, and that knows by how much a clock was set forward.
 *
 * It is never earlier than it was, and never stands still. A leap is the gain of wall time over monotonic time: a wait
 * subtracts the leaps since it began. A machine that slept has leapt, too.
 */
import type { Leap } from "@backstitch/kernel/DecisionTerms"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Time in epoch milliseconds, and its leaps in order. */
export interface SteadyTime {
  readonly now: Effect.Effect<number>
  readonly leaps: () => ReadonlyArray<Leap>
}

/** The gain of a clock between two readings that is no leap: clocks are corrected all the time. */
const toleranceMillis = 250

/** Leaps that are remembered: a clock that leaps more often is of no use. */
const leapsMax = 64

/**
 * Makes a time that is the clock's, or, after the clock was set back, what has passed since. `floor` is a time that was
 * seen already, here or elsewhere.
 */
export const make = (floor: () => number): SteadyTime => {
  let latest = 0
  let seen: bigint | undefined
  let leaps: ReadonlyArray<Leap> = []
  const now = Effect.map(Clock.Clock, (clock) => {
    const nanos = clock.monotonicTimeNanosUnsafe()
    const passed = seen === undefined ? 0 : Math.max(0, Number((nanos - seen) / 1_000_000n))
    const next = Math.max(clock.currentTimeMillisUnsafe(), floor(), latest + passed)
    const millis = next - (latest + passed)
    if (seen !== undefined && millis > toleranceMillis) leaps = [...leaps, { at: next, millis }].slice(-leapsMax)
    // What is less than a millisecond is kept for the next time.
    seen = seen === undefined ? nanos : seen + BigInt(passed) * 1_000_000n
    latest = next
    return latest
  })
  return { now, leaps: () => leaps }
}
