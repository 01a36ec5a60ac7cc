/**
 * The statistics for a figure: medians, and ratios of two sides that ran in turn.
 *
 * Rates vary by a factor of two on a busy machine, so a rate is never compared with one that was measured at another
 * time. Two sides run in turn, each pair gives one ratio, and the median of the ratios is the figure.
 */

/** The median of several measurements, and their spread. */
export interface Summary {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly count: number
}

/** Measurements side by side: ratios of pairs, and the medians of both sides. */
export interface Paired {
  readonly ratios: ReadonlyArray<number>
  readonly ours: number
  readonly theirs: number
}

/** The median: the middle value, or the mean of the two in the middle. `NaN` for an empty list. */
export const median = (samples: ReadonlyArray<number>): number => {
  const sorted = [...samples].sort((left, right) => left - right)
  const middle = sorted.length >>> 1
  if (sorted.length === 0) return Number.NaN
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The value that a share of the samples does not exceed, such as 0.99; `NaN` for an empty list. */
export const quantile = (samples: ReadonlyArray<number>, share: number): number => {
  const sorted = [...samples].sort((left, right) => left - right)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** The mean; `NaN` for an empty list. */
export const mean = (samples: ReadonlyArray<number>): number =>
  samples.reduce((sum, each) => sum + each, 0) / samples.length

/** The standard deviation of a sample; 0 for fewer than two values. */
export const deviation = (samples: ReadonlyArray<number>): number => {
  const middle = mean(samples)
  const squares = samples.reduce((sum, each) => sum + (each - middle) ** 2, 0)
  return samples.length < 2 ? 0 : Math.sqrt(squares / (samples.length - 1))
}

/** The slope of the straight line with the least squares through points; 0 if all have one `x`. */
export const slope = (points: ReadonlyArray<{ readonly x: number; readonly y: number }>): number => {
  const [middle, level] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))]
  const width = points.reduce((sum, { x }) => sum + (x - middle) ** 2, 0)
  return width === 0 ? 0 : points.reduce((sum, { x, y }) => sum + (x - middle) * (y - level), 0) / width
}

/** Median and spread. */
export const summarise = (samples: ReadonlyArray<number>): Summary => ({
  median: median(samples),
  min: Math.min(...samples),
  max: Math.max(...samples),
  count: samples.length
})

/** Ratios of pairs, ours by theirs. */
export const paired = (pairs: ReadonlyArray<{ readonly ours: number; readonly theirs: number }>): Paired => ({
  ratios: pairs.map(({ ours, theirs }) => ours / theirs),
  ours: median(pairs.map(({ ours }) => ours)),
  theirs: median(pairs.map(({ theirs }) => theirs))
})

/** Runs two sides in turn, and changes their order with each pair. The first `warmups` pairs are not counted. */
export const interleave = async (
  runs: number,
  sides: { readonly ours: () => Promise<number> | number; readonly theirs: () => Promise<number> | number },
  warmups = 1
): Promise<Paired> => {
  const pairs: Array<{ readonly ours: number; readonly theirs: number }> = []
  for (let run = -warmups; run < runs; run++) {
    let ours: number
    let theirs: number
    if (Math.abs(run) % 2 === 0) {
      ours = await sides.ours()
      theirs = await sides.theirs()
    } else {
      theirs = await sides.theirs()
      ours = await sides.ours()
    }
    if (run >= 0) pairs.push({ ours, theirs })
  }
  return paired(pairs)
}
