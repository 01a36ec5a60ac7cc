/**
 * The tick at which two runs stopped doing the same, found from their digests alone.
 *
 * Story digests chain the bodies of a run and nothing else. Two runs that agree
 * at a tick agree at every tick before it, whoever ran them and whenever, so
 * differing is prefix-monotone and no body has to be read.
 */
import * as Bisect from "./Bisect.ts"

/** The end of a run, known before anything is read: its last tick, and the story digest there. */
export interface End {
  readonly tick: number
  readonly story: string
}

/**
 * Begins the search for the first tick at which two runs differ. A probe violates when the digests at its tick differ.
 *
 * **Details**
 *
 * Comparing the ends costs no evaluation: runs of one length that end alike never differed, and a run that is longer
 * differs at the tick after the other's end at the latest. Probes stay within both runs.
 */
export const start = (left: End, right: End): Bisect.Search =>
  left.tick === right.tick
    ? Bisect.start({ length: left.tick, headViolates: left.story !== right.story })
    : Bisect.start({ length: Math.min(left.tick, right.tick) + 1, headViolates: true })

/**
 * The first tick at which two runs differ, for digests that are at hand in order of tick; `undefined` if they never do.
 */
export const onset = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): number | undefined => {
  const end = (stories: ReadonlyArray<string>): End => ({ tick: stories.length, story: stories.at(-1) ?? "" })
  return Bisect.found(Bisect.run(start(end(left), end(right)), (tick) => left[tick - 1] !== right[tick - 1]))
}
