/**
 * Time that continues while a clock is set back, and that measures by how much a clock was set forward.
 *
 * It never goes back and never stops. A leap is the gain of wall time over monotonic time. A wait does not count the
 * leaps since it began. A machine that slept has leapt, too.
 */
import type { Leap } from "@backstitch/kernel/DecisionTerms"
import * as Clock from "effect/Clock"
import type * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"

/** Time in epoch milliseconds, and its leaps in order. */
export interface SteadyTime {
  readonly now: Effect.Effect<number>
  readonly leaps: () => ReadonlyArray<Leap>
}

const { clockGainMillisMax, clockLeapsMax } = Limits.pacing

/**
 * Makes a time from the clock. After the clock was set back, the time continues from its last value. `floor` is a
 * time that was already seen, by this process or another one.
 */
export const make = (floor: () => number): SteadyTime => {
  let latest = 0
  let seen: bigint | undefined
  let leaps: ReadonlyArray<Leap> = []
  const now = Clock.Clock.useSync((clock) => {
    const nanos = clock.monotonicTimeNanosUnsafe()
    const passed = seen === undefined ? 0 : Math.max(0, Number((nanos - seen) / 1_000_000n))
    const next = Math.max(clock.currentTimeMillisUnsafe(), floor(), latest + passed)
    const millis = next - (latest + passed)
    const isLeap = seen !== undefined && millis > clockGainMillisMax
    if (isLeap) leaps = [...leaps, { at: next, millis }].slice(-clockLeapsMax)
    // A remainder below a millisecond is kept for the next reading.
    seen = seen === undefined ? nanos : seen + BigInt(passed) * 1_000_000n
    latest = next
    return latest
  })
  return { now, leaps: () => leaps }
}
