/**
 * Finds the tick at which two runs began to differ, from their digests alone.
 *
 * Story digests chain only the bodies of a run. Two runs that agree at a tick agree at every earlier tick, whoever
 * ran them and whenever. So a difference is prefix-monotone, and no body has to be read.
 */
import * as Bisect from "./Bisect.ts"

/** The end of a run, known without a read: its last tick, and the story digest there. */
export interface End {
  readonly tick: number
  readonly story: string
}

/**
 * Begins the search for the first tick at which two runs differ. A probe violates if the digests at its tick differ.
 *
 * **Details**
 *
 * Comparing the ends costs no evaluation: runs of equal length with the same end never differed, and a longer run
 * differs at the latest at the tick after the other's end. Probes stay within both runs.
 */
export const start = (left: End, right: End): Bisect.Search =>
  left.tick === right.tick
    ? Bisect.start({ length: left.tick, headViolates: left.story !== right.story })
    : Bisect.start({ length: Math.min(left.tick, right.tick) + 1, headViolates: true })

/** The first tick at which two runs differ, for given digests in order of tick; `undefined` if they never do. */
export const onset = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): number | undefined => {
  const end = (stories: ReadonlyArray<string>): End => ({ tick: stories.length, story: stories.at(-1) ?? "" })
  return Bisect.found(Bisect.run(start(end(left), end(right)), (tick) => left[tick - 1] !== right[tick - 1]))
}
