/**
 * Follows each run once, for all of its readers: a commit is read, folded and written as an event once, however many
 * readers it is sent to.
 *
 * The last events of a run are kept while somebody reads it: from where its first reader begins, if that is not far
 * back. A reader that begins further back, or falls behind them, reads by itself until it has come to them. So a slow
 * reader delays nobody, and nothing is kept for it.
 */
import type * as History from "@backstitch/runtime/History"
import * as StepFeed from "@backstitch/runtime/StepFeed"
import { type Run, same } from "@backstitch/trace/Run"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Hash from "effect/Hash"
import type * as Pull from "effect/Pull"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Limits from "../Limits.ts"
import * as Stores from "../store/Stores.ts"
import type { FeedEvent } from "./FeedStream.ts"

/** Errors of following a run. */
type FeedError = Effect.Error<ReturnType<typeof StepFeed.placeOf>> | History.HistoryError

/** The feeds of a server. */
export type SharedFeed = Effect.Success<ReturnType<typeof make>>

/** Creates the feeds of a server. `toEvent` writes a step as an event, whose id is its tick. */
export const make = (toEvent: (followed: StepFeed.Followed) => FeedEvent) =>
  Effect.gen(function* () {
    const stores = yield* Stores.Stores
    const feeds: RcMap.RcMap<SharedRun, Kept, FeedError> = yield* RcMap.make({
      lookup: Effect.fnUntraced(function* (shared: SharedRun): Effect.fn.Return<Kept, FeedError, Scope.Scope> {
        const { from, run } = shared
        const services = yield* stores.of(run.tenant)
        const kept = keep(from)
        const follows = Stream.runForEach(StepFeed.steps({ run, from }), (step) =>
          Effect.sync(() => kept.add(toEvent(step)))
        )
        yield* Effect.provide(follows, services).pipe(
          // The next reader follows anew.
          Effect.onExit((exit) => Effect.andThen(RcMap.invalidate(feeds, shared), kept.end(exit))),
          Effect.ignore,
          Effect.forkScoped
        )
        return kept
      })
    })
    return {
      /** Answers with the events of a run from a tick on, or from now on. The stream has no end. */
      events: Effect.fnUntraced(function* (run: Run, from?: number) {
        const { from: begins, last } = yield* StepFeed.placeOf(run, from)
        const isNear = begins <= last && last - begins < Limits.pacing.sharedEventsMax
        const shared = new SharedRun(run, isNear ? begins : last + 1)
        return Stream.unwrap(
          Effect.gen(function* () {
            const scope = yield* Effect.scope
            const kept = yield* RcMap.get(feeds, shared)
            return Stream.fromPull(Effect.succeed(pulling({ kept, scope, from: begins, own: own(run, toEvent) })))
          })
        )
      })
    }
  })

/** A run that readers share, whoever of them was the first, and the tick from which it is followed for that one. */
class SharedRun implements Equal.Equal {
  readonly run: Run
  readonly from: number

  constructor(run: Run, from: number) {
    this.run = run
    this.from = from
  }

  [Hash.symbol](): number {
    return Hash.string(`${this.run.tenant}/${this.run.id}`)
  }

  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof SharedRun && same(this.run, that.run)
  }
}

/** A page of events, at least one. */
type Page = readonly [FeedEvent, ...Array<FeedEvent>]

/** The last events of a run. */
interface Kept {
  /** The tick of the first event that is kept, or of the next one if none is. */
  readonly first: () => number
  /** The kept events from a tick on; none if there is no further one yet. */
  readonly from: (tick: number) => ReadonlyArray<FeedEvent>
  /**
   * Waits for the event behind the last one at the time of the call, which comes before a look at the events: what is
   * added between the look and the wait ends the wait at once. Fails once the run is not followed any more.
   */
  readonly moving: () => Effect.Effect<void, FeedError>
  readonly add: (event: FeedEvent) => void
  readonly end: (exit: Exit.Exit<void, FeedError>) => Effect.Effect<void>
}

const keep = (begins: number): Kept => {
  let first = begins
  let events: Array<FeedEvent> = []
  let next = Deferred.makeUnsafe<void, FeedError>()
  return {
    first: () => first,
    from: (tick) => events.slice(Math.max(0, tick - first)),
    moving: () => Deferred.await(next),
    add: (event) => {
      events.push(event)
      if (events.length >= 2 * Limits.pacing.sharedEventsMax) {
        events = events.slice(-Limits.pacing.sharedEventsMax)
        first = Number(event.id) - events.length + 1
      }
      const moved = next
      next = Deferred.makeUnsafe()
      Deferred.doneUnsafe(moved, Exit.void)
    },
    end: (exit) => Effect.asVoid(Deferred.done(next, exit))
  }
}

/** A reader: where it begins, what is kept, and its own feed for what is not. */
interface Reader<R> {
  readonly kept: Kept
  readonly scope: Scope.Scope
  readonly from: number
  readonly own: (from: number) => Effect.Effect<Pull.Pull<Page, FeedError, void, R>, never, R | Scope.Scope>
}

/** Pulls kept events, and until they are reached those of an own feed, which is closed then. */
const pulling = <R>({ from, kept, own, scope }: Reader<R>): Pull.Pull<Page, FeedError, void, R> => {
  let next = from
  let catching: { readonly pull: Pull.Pull<Page, FeedError, void, R>; readonly scope: Scope.Closeable } | undefined
  const pull: Pull.Pull<Page, FeedError, void, R> = Effect.gen(function* () {
    while (next >= kept.first()) {
      if (catching !== undefined) yield* Scope.close(catching.scope, Exit.void)
      catching = undefined
      const moved = kept.moving()
      const [head, ...others] = kept.from(next)
      if (head !== undefined) return passed([head, ...others])
      yield* moved
    }
    if (catching === undefined) {
      const opened = yield* Scope.fork(scope)
      catching = { scope: opened, pull: yield* Scope.provide(own(next), opened) }
    }
    return passed(yield* catching.pull)
  })
  const passed = (page: Page): Page => {
    next = Number(page.at(-1)?.id) + 1
    return page
  }
  return pull
}

const own = (run: Run, toEvent: (followed: StepFeed.Followed) => FeedEvent) => (from: number) =>
  Stream.toPull(Stream.map(StepFeed.steps({ run, from }), toEvent))
