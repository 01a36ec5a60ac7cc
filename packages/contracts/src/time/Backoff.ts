/**
 * The backoff of attempts and of questions: waits that grow up to a maximum.
 *
 * An action under way is asked about again by {@link next}. Its times depend only on the beginning, so a process that
 * resumes asks at the next one, and two processes that were started at different times do not ask twice as often. What
 * has failed is tried again by {@link wait}, which depends on the number of failures.
 *
 * @source Action Verification, "Read-After-Write Check"
 */
import * as Limits from "../Limits.ts"

/** A schedule: the first wait, the factor by which each wait grows, and the longest wait. */
export interface Backoff {
  readonly firstMillis: number
  readonly factor: number
  readonly maxMillis: number
}

const { pollFactor, pollFirstMillis, pollMillisMax } = Limits.deciding

/** The schedule for a contract that declares none. */
export const standard: Backoff = { firstMillis: pollFirstMillis, factor: pollFactor, maxMillis: pollMillisMax }

/**
 * Finds the n-th wait of a schedule, counted from 1, in milliseconds. A retry waits that long after the n-th failure.
 *
 * **Details**
 *
 * It is rounded once. {@link next} rounds each wait that leads to it, as the decisions on record have done. With a
 * whole factor both wait equally long. With any other they may differ, and in `next` a wait that rounds to the one
 * before grows no more: from 1 ms by a factor of 1.4, each wait is 1 ms.
 */
export const wait = ({ factor, firstMillis, maxMillis }: Backoff, n: number): number =>
  Math.min(maxMillis, Math.round(firstMillis * factor ** Math.min(n - 1, 60)))

/** A schedule with equal waits. */
export const every = (millis: number): Backoff => ({ firstMillis: millis, factor: 1, maxMillis: millis })

/**
 * The first time of a schedule after `now`, both in epoch milliseconds, for an action that began at `since`.
 *
 * **Example** (Waits of 1, 2, 4, 4 ... seconds)
 *
 * ```ts import.meta.vitest
 * import { Backoff } from "@backstitch/contracts"
 *
 * const schedule = { firstMillis: 1000, factor: 2, maxMillis: 4000 }
 *
 * Backoff.next(schedule, { since: 0, now: 0 }) // => 1000
 * Backoff.next(schedule, { since: 0, now: 1000 }) // => 3000
 * Backoff.next(schedule, { since: 0, now: 7500 }) // => 11000
 * ```
 */
export const next = (self: Backoff, at: { readonly since: number; readonly now: number }): number => {
  const longest = Math.max(1, self.maxMillis)
  let wait = Math.min(longest, Math.max(1, self.firstMillis))
  let moment = at.since + wait
  while (moment <= at.now) {
    const longer = Math.min(longest, Math.round(wait * Math.max(1, self.factor)))
    // Once the waits no longer grow, the rest is a division: a run may be resumed after years.
    if (longer === wait) return moment + wait * (Math.floor((at.now - moment) / wait) + 1)
    wait = longer
    moment += wait
  }
  return moment
}
