/**
 * Wakes followers when new transitions may have been committed.
 *
 * A store signals each of its own commits when it acknowledges it, and commits of others as far as it learns of them.
 * A signal carries no transition: it tells a follower which runs to read again, or that any may have changed. So a
 * repeated or late signal costs a read, and the next signal makes up for a lost one. Without followers, nothing is
 * kept.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Run, same } from "../chain/Run.ts"
import * as Limits from "../Limits.ts"

/** The runs to read again; `"any"` if they are not known. */
export type Moved = ReadonlyArray<Run> | "any"

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
  /** Signals that a run has changed. */
  readonly moved: (run: Run) => void
  /** Signals that unknown runs may have changed. */
  readonly missed: () => void
  /** Follows runs of interest until the scope closes. */
  readonly follow: (wants: (run: Run) => boolean) => Effect.Effect<Follower, never, Scope.Scope>
}

/** Creates a signal that nobody follows yet. */
export const make = (): CommitSignal => {
  const sleepers = new Set<Sleeper>()
  return {
    moved: (run) => {
      for (const sleeper of sleepers) if (sleeper.wants(run)) tell(sleeper, run)
    },
    missed: () => {
      for (const sleeper of sleepers) tell(sleeper, "any")
    },
    follow: (wants) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => {
            const sleeper: Sleeper = { wants, moved: [], wake: undefined }
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
  moved: Array<Run> | "any"
  wake: (() => void) | undefined
}

const tell = (sleeper: Sleeper, run: Run | "any"): void => {
  const { moved } = sleeper
  if (run === "any" || moved === "any" || moved.length === Limits.pacing.signalledRunsMax) sleeper.moved = "any"
  else if (!moved.some((other) => same(other, run))) moved.push(run)
  sleeper.wake?.()
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
