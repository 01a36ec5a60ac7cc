/**
 * Follows a run, or every run of a tenant: its past and its future commits.
 *
 * A position is counted in ticks. The hash chain has no gaps: tick n+1 cannot be committed before tick n. So a reader
 * that knows the next tick of each run misses nothing, even if commits become visible late or in another order. This
 * holds in every store, and in a copy of it.
 *
 * The reader pulls. A feed reads a page when one is asked for, and sleeps if there is none. A slow reader delays
 * nobody, and no more is kept for it than a signal hands over. {@link make} makes the feeds of any store that can be
 * read and signals changes.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Run, type RunId, same, type Tenant } from "../chain/Run.ts"
import * as Limits from "../Limits.ts"
import type { Sealed } from "../transition/Transition.ts"
import type { CommitSignal, Moved } from "./CommitSignal.ts"

/** The next tick of each run. A run that is not named is read from its first tick. */
export type Positions = ReadonlyMap<RunId, number>

/** A run from a tick on, including its shared history; or all runs of a tenant, each from its own tick. */
export type Selection =
  | { readonly run: Run; readonly from?: number | undefined }
  | { readonly tenant: Tenant; readonly from?: Positions | undefined }

/** A committed transition, and the run that it was read from. */
export interface FeedTransition {
  readonly run: Run
  readonly sealed: Sealed
}

/** The facts about a run that a feed needs. */
interface Standing {
  readonly run: Run
  readonly head: { readonly tick: number }
  readonly parent?: { readonly id: RunId; readonly tick: number } | undefined
}

/** A store in the form that a feed reads: three of its calls, and its signals of commits. */
export interface FeedStore<E> {
  readonly info: (run: Run) => Effect.Effect<Standing | undefined, E>
  readonly read: (
    run: Run,
    range: { readonly from: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Sealed>, E>
  readonly runs: (
    tenant: Tenant,
    page: { readonly after: RunId | undefined; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Standing>, E>
  readonly signal: CommitSignal
  /** Listens for commits of others while the scope is open. Without it, no other process writes to the store. */
  readonly listening?: Effect.Effect<unknown, never, Scope.Scope> | undefined
}

const { feedRowsMax } = Limits.pacing

/**
 * Creates the feeds of a store, which have no end.
 *
 * **Details**
 *
 * Transitions of a run come in the order of their ticks, each once. Those of different runs come in any order, except
 * that a fork comes after its shared history, which comes under the run that committed it. A feed fails with the
 * error of a failed read; a new feed from the same position resumes it.
 */
export const make =
  <E>(source: FeedStore<E>) =>
  (selection: Selection): Stream.Stream<FeedTransition, E> =>
    Stream.unwrap(
      Effect.gen(function* () {
        const wants = (run: Run) => ("run" in selection ? same(run, selection.run) : run.tenant === selection.tenant)
        // Both are set up before the first read, so that a commit after it is signalled.
        const follower = yield* source.signal.follow(wants, { keeps: "run" in selection })
        yield* source.listening ?? Effect.void
        const reader = "run" in selection ? ofRun(source, selection) : ofTenant(source, selection)
        const pull = Effect.gen(function* () {
          while (true) {
            const page = yield* reader.page
            if (isFilled(page)) return page
            yield* follower.moving
            reader.wake(follower.take())
          }
        })
        return Stream.fromPull(Effect.succeed(pull))
      })
    )

/** The positions after all commits so far: a feed from there gives only later ones. */
export const after = (runs: ReadonlyArray<Standing>): Positions =>
  new Map(runs.map(({ head, run }) => [run.id, head.tick + 1]))

type Page = ReadonlyArray<FeedTransition>

const isFilled = (page: Page): page is readonly [FeedTransition, ...Array<FeedTransition>] => page.length > 0

/** Reads committed transitions page by page. An empty page means that there is no more until a signal. */
interface Reader<E> {
  readonly page: Effect.Effect<Page, E>
  readonly wake: (moved: Moved) => void
}

const changesOf = (run: Run, sealed: ReadonlyArray<Sealed>): Page => sealed.map((one) => ({ run, sealed: one }))

const ofRun = <E>(
  source: FeedStore<E>,
  { from = 1, run }: { readonly run: Run; readonly from?: number | undefined }
) => {
  let next = from
  let isBehind = true
  /** The transitions that a signal has handed over, from the next tick on. */
  let arrived: ReadonlyArray<Sealed> = []
  const passed = (found: ReadonlyArray<Sealed>): Page => {
    next = (found.at(-1)?.tick ?? next - 1) + 1
    arrived = []
    return changesOf(run, found)
  }
  const reader: Reader<E> = {
    page: Effect.suspend(() =>
      isBehind
        ? Effect.map(source.read(run, { from: next, limit: feedRowsMax }), (found) => {
            isBehind = found.length === feedRowsMax
            return passed(found)
          })
        : Effect.succeed(passed(arrived))
    ),
    wake: (moved) => {
      const committed = moved === "any" ? undefined : moved[0]?.committed
      arrived = committed?.filter(({ tick }) => tick >= next) ?? []
      isBehind = committed === undefined || (arrived[0]?.tick ?? next) > next
    }
  }
  return reader
}

/** A run that may have changed, with what is known of its beginning. */
interface Suspect {
  readonly run: Run
  readonly standing?: Standing | undefined
  /** Its parent was read already, as far as possible. */
  readonly isAfterParent?: boolean
}

const ofTenant = <E>(
  source: FeedStore<E>,
  { from, tenant }: { readonly tenant: Tenant; readonly from?: Positions | undefined }
): Reader<E> => {
  const next = new Map<RunId, number>()
  const nextOf = (run: RunId): number => next.get(run) ?? from?.get(run) ?? 1
  // The last one is read first: a parent is pushed after its fork.
  const suspects: Array<Suspect> = []
  let sweep: { readonly after: RunId | undefined } | undefined = { after: undefined }

  /** The next page of all runs: reads the runs that have changed. */
  const look = Effect.fnUntraced(function* (after: RunId | undefined) {
    const runs = yield* source.runs(tenant, { after, limit: feedRowsMax })
    sweep = runs.length < feedRowsMax ? undefined : { after: runs.at(-1)!.run.id }
    const moved = runs.filter(({ head, run }) => head.tick >= nextOf(run.id))
    for (const standing of moved.reverse()) suspects.push({ run: standing.run, standing })
  })

  /** A run that is met for the first time begins where it left its parent, and comes after its parent. */
  const meet = Effect.fnUntraced(function* (suspect: Suspect) {
    const { isAfterParent, run } = suspect
    const standing = suspect.standing ?? (yield* source.info(run))
    suspects.pop()
    if (standing === undefined) return
    const { parent } = standing
    const isParentDue = parent !== undefined && nextOf(parent.id) <= parent.tick && isAfterParent !== true
    suspects.push({ run, standing, isAfterParent: true })
    if (isParentDue) suspects.push({ run: { tenant, id: parent.id } })
    else next.set(run.id, Math.max(nextOf(run.id), (parent?.tick ?? 0) + 1))
  })

  const read = Effect.fnUntraced(function* ({ run }: Suspect, from: number) {
    const found = yield* source.read(run, { from, limit: feedRowsMax })
    if (found.length < feedRowsMax) suspects.pop()
    next.set(run.id, (found.at(-1)?.tick ?? from - 1) + 1)
    return changesOf(run, found)
  })

  return {
    page: Effect.gen(function* () {
      while (true) {
        const suspect = suspects.at(-1)
        if (suspect !== undefined) {
          const from = next.get(suspect.run.id)
          const page = from === undefined ? yield* meet(suspect) : yield* read(suspect, from)
          if (page !== undefined && isFilled(page)) return page
        } else if (sweep !== undefined) yield* look(sweep.after)
        else return []
      }
    }),
    wake: (moved) => {
      if (moved === "any") sweep = { after: undefined }
      else for (const { run } of moved) suspects.push({ run })
    }
  }
}
