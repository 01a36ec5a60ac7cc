/**
 * Wakes followers when something may have been committed.
 *
 * A store tells of each commit of its own as it acknowledges it, and of
 * others' as far as it hears of them. A signal carries no transition: a
 * follower is told which runs to read again, or that any may have moved. So
 * one that comes twice or late costs a read, and one that is lost is made up
 * for by the next. Where nobody follows, nothing is kept.
 */

import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Run, same } from "../chain/Run.ts"
import * as Limits from "../Limits.ts"

/** The runs to read again; `"any"` where nobody can say which. */
export type Moved = ReadonlyArray<Run> | "any"

/** A follower's side of a signal. */
export interface Follower {
  /** Waits until something has moved that was not taken yet. May be interrupted and waited for again. */
  readonly moving: Effect.Effect<void>
  /** Takes what has moved since it was taken last. Take it before reading, or a commit in between goes unseen. */
  readonly take: () => Moved
}

/** A signal. */
export interface CommitSignal {
  /** Tells that a run has moved. */
  readonly moved: (run: Run) => void
  /** Tells that something may have moved, and nobody can say what. */
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
