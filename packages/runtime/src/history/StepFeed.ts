/**
 * Follows a run, or every run of a tenant, with the states before and after each transition.
 *
 * Each transition of the store's feed is verified and folded. The first transition of a run is folded from the
 * nearest snapshot. The states of recently moved runs are kept, up to a maximum, so that many runs need no more
 * memory than a few.
 */
import * as Branded from "@backstitch/trace/Branded"
import type * as HashChain from "@backstitch/trace/HashChain"
import type { Run, RunId, Tenant } from "@backstitch/trace/Run"
import * as RunFeed from "@backstitch/trace/RunFeed"
import { TraceStore, TraceStoreError } from "@backstitch/trace/TraceStore"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Limits from "../Limits.ts"
import * as History from "./History.ts"
import * as Steps from "./Steps.ts"

/** A step, its run, and the head after it. */
export interface Followed {
  readonly run: Run
  readonly head: HashChain.Head
  readonly step: Step
}

/**
 * Selects a run from a tick on, or every run of a tenant. Without a tick, and for a tenant, it begins with the next
 * commit.
 */
export const select = Effect.fn("StepFeed.select")(function* (
  of: { readonly run: Run; readonly from?: number | undefined } | { readonly tenant: Tenant }
) {
  if ("tenant" in of) {
    const store = yield* TraceStore
    const all: RunFeed.Selection = { tenant: of.tenant, from: RunFeed.after(yield* store.runs(of.tenant)) }
    return all
  }
  const { run } = of
  const { from } = yield* placeOf(run, of.from)
  const one: RunFeed.Selection = { run, from }
  return one
})

/** Finds the tick from which a run is followed, the next one unless another is given, and the tick of its head. */
export const placeOf = Effect.fnUntraced(function* (run: Run, given?: number) {
  const history = yield* History.History
  const { head } = yield* history.info(run)
  const from = given ?? head.tick + 1
  if (from < 1) return yield* new History.TickOutOfRange({ run: run.id, tick: from, last: head.tick })
  return { from, last: head.tick }
})

/**
 * Streams the steps of a selection, past and future, in the order of the store's feed. The stream has no end, and is
 * resumed like the feed.
 */
export const steps = (
  selection: RunFeed.Selection
): Stream.Stream<Followed, History.HistoryError, History.History | TraceStore> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const history = yield* History.History
      const store = yield* TraceStore
      const advance = Effect.fnUntraced(function* (
        kept: Map<RunId, History.At>,
        page: ReadonlyArray<RunFeed.FeedTransition>
      ) {
        const told: Array<Followed> = []
        for (const changes of byRun(page)) {
          const [{ run, sealed }] = changes
          const from = kept.get(run.id) ?? (yield* history.at(run, sealed.tick - 1))
          const folded = yield* history.advance(
            run,
            from,
            changes.map((change) => change.sealed)
          )
          for (const { at, before, transition } of folded) {
            told.push({ run, head: at.head, step: Steps.of(before, transition, at.state) })
          }
          kept.delete(run.id)
          kept.set(run.id, folded.at(-1)?.at ?? from)
          for (const oldest of kept.keys()) if (kept.size > Limits.pacing.followedStatesMax) kept.delete(oldest)
        }
        return [kept, told] as const
      })
      return Stream.mapAccumArrayEffect(store.changes(selection), () => new Map<RunId, History.At>(), advance)
    })
  )

/**
 * Passes each step of a selection to `visit`, for ever. If the store fails, it is asked again after a second, from
 * the first step that was not passed on. No step is left out, and none comes twice. `onLost` is called with each such
 * failure.
 */
export const follow = Effect.fnUntraced(function* (
  selection: RunFeed.Selection,
  visit: (followed: Followed) => void,
  onLost: (error: TraceStoreError) => void = () => {}
) {
  const next = new Map<RunId, number>("run" in selection ? [] : selection.from)
  const rest = (): RunFeed.Selection =>
    "run" in selection
      ? { run: selection.run, from: next.get(selection.run.id) ?? selection.from }
      : { tenant: selection.tenant, from: next }
  const following = Stream.runForEach(
    Stream.suspend(() => steps(rest())),
    (followed) =>
      Effect.sync(() => {
        next.set(followed.run.id, followed.head.tick + 1)
        visit(followed)
      })
  )
  return yield* following.pipe(
    Effect.tapError((error) => Effect.sync(() => isPassing(error) && onLost(error))),
    Effect.retry({ schedule: Schedule.spaced(Limits.pacing.feedRetryMillis), while: isPassing })
  )
})

/**
 * Passes each step of a run after a tick to `visit` while an effect runs, and the remaining steps once the effect has
 * ended in any way.
 */
export const during = Effect.fnUntraced(function* <A, E, R>(
  run: Run,
  after: number,
  visit: (step: Step) => void,
  work: Effect.Effect<A, E, R>
) {
  const history = yield* History.History
  let at = yield* history.at(run, after)
  const hand = (step: Step, head: HashChain.Head): void => {
    at = { head, state: step.after, asOf: step.transition.stamp.asOf }
    visit(step)
  }
  // If the feed fails, the remaining steps are passed on at the end, and the effect continues.
  const following = Effect.ignore(
    Stream.runForEach(
      Stream.suspend(() => steps({ run, from: at.head.tick + 1 })),
      ({ head, step }) => Effect.sync(() => hand(step, head))
    )
  )
  const rest = Effect.gen(function* () {
    const { head } = yield* history.info(run)
    yield* history.walk(run, {
      from: at,
      to: head.tick,
      visit: (after, transition, before, head) => {
        hand(Steps.of(before, transition, after), head)
        return undefined
      }
    })
  })
  yield* rest
  const answer = yield* Effect.scoped(
    Effect.andThen(Effect.forkScoped(following, { startImmediately: true }), work)
  ).pipe(Effect.onError(() => Effect.ignore(rest)))
  yield* rest
  return answer
})

const isPassing = (error: History.HistoryError): error is TraceStoreError =>
  Branded.isError(error, TraceStoreError) && error.isRetryable

type Changes = [RunFeed.FeedTransition, ...Array<RunFeed.FeedTransition>]

/** Groups adjacent changes of the same run. */
const byRun = (page: ReadonlyArray<RunFeed.FeedTransition>): ReadonlyArray<Changes> => {
  const found: Array<Changes> = []
  for (const change of page) {
    const last = found.at(-1)
    if (last?.[0].run.id === change.run.id) last.push(change)
    else found.push([change])
  }
  return found
}
