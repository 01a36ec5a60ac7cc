/**
 * Statistics of paired differences: an interval by bootstrap, an effect size, and an exact test, adjusted for many.
 *
 * The test is the sign test: if the two sides do not differ, each is ahead in half of the pairs. It ignores the size
 * of the differences. Pairs of one case are not independent of one another, so the figures describe these cases, and
 * not all programs. The interval is Efron's by percentiles, the adjustment is Holm's.
 */
import * as Digest from "@backstitch/trace/Digest"
import * as Statistics from "./Statistics.ts"

/** Resamples of an interval. */
export const resamples = 10_000

/** A summary of paired differences. */
export interface Difference {
  readonly pairs: number
  readonly median: number
  /** The interval that holds the median in 95 of 100 resamples. */
  readonly interval: readonly [number, number]
  /** The mean difference divided by the standard deviation of the differences; `null` if all are equal. */
  readonly effect: number | null
  /** The probability of signs that are at least as one-sided, if neither side is ahead. */
  readonly probability: number
}

/** Summarises differences. The resamples follow from the seed. */
export const of = (differences: ReadonlyArray<number>, seed: string): Difference => ({
  pairs: differences.length,
  median: Statistics.median(differences),
  interval: interval(differences, seed),
  effect: effectSize(differences),
  probability: signTest(differences)
})

/** Numbers from 0 up to 1, the same for the same seed. */
export const randomOf = (seed: string): (() => number) => {
  let state = Number.parseInt(Digest.ofBytes(seed).slice(0, 8), 16)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The middle 95 of 100 medians of resamples. */
export const interval = (samples: ReadonlyArray<number>, seed: string): readonly [number, number] => {
  const random = randomOf(seed)
  const medians = Array.from({ length: resamples }, () =>
    Statistics.median(samples.map(() => samples[Math.floor(random() * samples.length)] ?? Number.NaN))
  ).sort((left, right) => left - right)
  const at = (share: number): number => medians[Math.round(share * (resamples - 1))] ?? Number.NaN
  return [at(0.025), at(0.975)]
}

/** The mean divided by the standard deviation; `null` if the standard deviation is 0. */
export const effectSize = (samples: ReadonlyArray<number>): number | null => {
  const mean = samples.reduce((sum, each) => sum + each, 0) / samples.length
  const squares = samples.reduce((sum, each) => sum + (each - mean) ** 2, 0)
  const deviation = Math.sqrt(squares / (samples.length - 1))
  return deviation > 0 ? mean / deviation : null
}

/** The exact sign test, two-sided. Pairs without a difference are left out. */
export const signTest = (differences: ReadonlyArray<number>): number => {
  const signed = differences.filter((each) => each !== 0)
  const fewer = Math.min(signed.filter((each) => each > 0).length, signed.filter((each) => each < 0).length)
  let ways = 1
  let tail = 0
  for (let index = 0; index <= fewer; index++) {
    tail += ways
    ways = (ways * (signed.length - index)) / (index + 1)
  }
  return Math.min(1, (2 * tail) / 2 ** signed.length)
}

/** Adjusts probabilities for their number, in the order in which they are given. */
export const holm = (probabilities: ReadonlyArray<number>): ReadonlyArray<number> => {
  const order = probabilities.map((_, index) => index).sort((left, right) => at(left) - at(right))
  const adjusted = new Array<number>(probabilities.length)
  let least = 0
  for (const [rank, index] of order.entries()) {
    least = Math.max(least, Math.min(1, (probabilities.length - rank) * at(index)))
    adjusted[index] = least
  }
  return adjusted

  function at(index: number): number {
    return probabilities[index] ?? Number.NaN
  }
}
