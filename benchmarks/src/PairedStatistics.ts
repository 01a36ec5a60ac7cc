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
export const interval = (samples: ReadonlyArray<number>, seed: string): readonly [number, number] =>
  intervalOf(samples, { seed, statistic: Statistics.median })

/** A statistic of resamples, such as a mean or a slope. `share` of the resamples lie in its interval. */
export interface Resampling<A> {
  readonly seed: string
  readonly statistic: (samples: ReadonlyArray<A>) => number
  readonly share?: number | undefined
}

/** The interval that holds a statistic in the middle share of the resamples, 0.95 by default. */
export const intervalOf = <A>(
  samples: ReadonlyArray<A>,
  { seed, share = 0.95, statistic }: Resampling<A>
): readonly [number, number] => {
  const random = randomOf(seed)
  const drawn = [...samples]
  const found = Array.from({ length: resamples }, () => {
    for (const index of drawn.keys()) drawn[index] = samples[Math.floor(random() * samples.length)] as A
    return statistic(drawn)
  }).sort((left, right) => left - right)
  const at = (place: number): number => found[Math.round(place * (resamples - 1))] ?? Number.NaN
  return [at((1 - share) / 2), at((1 + share) / 2)]
}

/**
 * Tells whether the mean of paired differences is equivalent to 0: two one-sided tests at 5 % within a margin, by the
 * interval of 90 % of resampled means.
 */
export const isEquivalent = (differences: ReadonlyArray<number>, margin: number, seed: string): boolean => {
  const [least, most] = intervalOf(differences, { seed, share: 0.9, statistic: Statistics.mean })
  return -margin < least && most < margin
}

/** The difference of two means divided by their pooled standard deviation; `null` if that is 0. */
export const cohensD = (left: ReadonlyArray<number>, right: ReadonlyArray<number>): number | null => {
  const squares = (samples: ReadonlyArray<number>) => {
    const mean = Statistics.mean(samples)
    return samples.reduce((sum, each) => sum + (each - mean) ** 2, 0)
  }
  const pooled = Math.sqrt((squares(left) + squares(right)) / (left.length + right.length - 2))
  return pooled > 0 ? (Statistics.mean(left) - Statistics.mean(right)) / pooled : null
}

/** The mean divided by the standard deviation; `null` if the standard deviation is 0. */
export const effectSize = (samples: ReadonlyArray<number>): number | null => {
  const mean = Statistics.mean(samples)
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
