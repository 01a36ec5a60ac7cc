/**
 * Wakes followers when new transitions may have been committed.
 *
 * A store signals each of its own commits when it acknowledges it, and commits of others as far as it learns of them.
 * A signal tells a follower which runs to read again, or that any may have changed. So a repeated or late signal costs
 * a read, and the next signal makes up for a lost one. With a commit of its own, a store hands over the few transitions
 * of it, which need not be read again. Without followers, nothing is kept.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Run, same } from "../chain/Run.ts"
import * as Limits from "../Limits.ts"
import type { Sealed } from "../transition/Transition.ts"

/** A run that has changed, and all that was committed to it since the last look, unless that has to be read. */
export interface MovedRun {
  readonly run: Run
  readonly committed: ReadonlyArray<Sealed> | undefined
}

/** The runs that have changed; `"any"` if they are not known. */
export type Moved = ReadonlyArray<MovedRun> | "any"

/** A follower's side of a signal. */
export interface Follower {
  /** Waits until a run has changed that was not taken yet. May be interrupted and called again. */
  readonly moving: Effect.Effect<void>
  /**
   * Takes the runs that have changed since the last call. Call it before reading, or a commit in between may be
   * missed.
   */
  readonly take: () => Moved
}

/** A signal of commits, from those who append to those who follow. */
export interface CommitSignal {
  /** Signals that a run has changed, by the transitions that were committed if they are at hand. */
  readonly moved: (run: Run, committed?: ReadonlyArray<Sealed>) => void
  /** Signals that unknown runs may have changed. */
  readonly missed: () => void
  /** Follows runs of interest until the scope closes. With `keeps`, it is handed what was committed. */
  readonly follow: (
    wants: (run: Run) => boolean,
    options?: { readonly keeps?: boolean }
  ) => Effect.Effect<Follower, never, Scope.Scope>
}

/** Creates a signal that nobody follows yet. */
export const make = (): CommitSignal => {
  const sleepers = new Set<Sleeper>()
  return {
    moved: (run, committed) => {
      for (const sleeper of sleepers) {
        if (sleeper.wants(run)) tell(sleeper, { run, committed: sleeper.keeps ? committed : undefined })
      }
    },
    missed: () => {
      for (const sleeper of sleepers) tell(sleeper, "any")
    },
    follow: (wants, { keeps = false } = {}) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => {
            const sleeper: Sleeper = { wants, keeps, moved: [], wake: undefined }
            sleepers.add(sleeper)
            return sleeper
          }),
          (sleeper) => Effect.sync(() => sleepers.delete(sleeper))
        ),
        followerOf
      )
  }
}

interface Sleeper {
  readonly wants: (run: Run) => boolean
  readonly keeps: boolean
  moved: Array<MovedRun> | "any"
  wake: (() => void) | undefined
}

const tell = (sleeper: Sleeper, news: MovedRun | "any"): void => {
  const { moved } = sleeper
  if (news === "any" || moved === "any" || moved.length === Limits.pacing.signalledRunsMax) sleeper.moved = "any"
  else {
    const known = moved.findIndex(({ run }) => same(run, news.run))
    if (known < 0) moved.push(news)
    else moved[known] = { run: news.run, committed: joined(moved[known]?.committed, news.committed) }
  }
  sleeper.wake?.()
}

/** Two commits that follow on each other, as one; `undefined` if there is a gap, or too much to keep. */
const joined = (first: MovedRun["committed"], next: MovedRun["committed"]): MovedRun["committed"] => {
  if (first === undefined || next === undefined) return undefined
  if (first.length + next.length > Limits.pacing.signalledTransitionsMax) return undefined
  return next[0]?.tick === (first.at(-1)?.tick ?? 0) + 1 ? [...first, ...next] : undefined
}

const followerOf = (sleeper: Sleeper): Follower => ({
  moving: Effect.callback((resume) => {
    if (sleeper.moved === "any" || sleeper.moved.length > 0) return resume(Effect.void)
    sleeper.wake = () => resume(Effect.void)
    return Effect.sync(() => {
      sleeper.wake = undefined
    })
  }),
  take: () => {
    const { moved } = sleeper
    sleeper.moved = []
    sleeper.wake = undefined
    return moved
  }
})
