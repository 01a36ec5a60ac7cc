/**
 * Follows a run, or every run of a tenant, through what is committed and what will be.
 *
 * A position is counted in ticks, which the hash chain makes total and without
 * gaps: tick n+1 cannot be committed before tick n. So a reader that knows the
 * next tick of each run loses nothing, whatever order commits become visible in
 * and however late one does. It is true in every store, and in a copy of it.
 *
 * The reader pulls. A feed reads a page when one is asked for and sleeps where
 * there is none; a slow reader holds nobody up, and nothing is kept for it.
 * Where a store can be read and tells that something has moved, {@link make}
 * is all that it needs to be followed.
 */

import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Run, type RunId, same, type Tenant } from "../chain/Run.ts"
import * as Limits from "../Limits.ts"
import type { Sealed } from "../transition/Transition.ts"
import type { CommitSignal, Moved } from "./CommitSignal.ts"

/** The next tick of each run. A run that is not named is read from its first. */
export type Positions = ReadonlyMap<RunId, number>

/** A run from a tick on, the history that it shares included; or all runs of a tenant, each from its own. */
export type Selection =
  | { readonly run: Run; readonly from?: number | undefined }
  | { readonly tenant: Tenant; readonly from?: Positions | undefined }

/** A committed transition, and the run that it was read from. */
export interface Change {
  readonly run: Run
  readonly sealed: Sealed
}

/** As much of a run as a feed has to know. */
interface Standing {
  readonly run: Run
  readonly head: { readonly tick: number }
  readonly parent?: { readonly id: RunId; readonly tick: number } | undefined
}

/** A store as a feed reads it: three of its calls, and how it tells of commits. */
export interface Source<E> {
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
  /** Listens for commits of others for as long as the scope is open. Without it, nobody else writes to the store. */
  readonly listening?: Effect.Effect<unknown, never, Scope.Scope> | undefined
}

const { feedRowsMax } = Limits.pacing

/**
 * Creates the feeds of a store. They have no end.
 *
 * **Details**
 *
 * Transitions of a run come in the order of their ticks, each once. Those of
 * different runs come in any order, but a fork after the history that it
 * shares, which is told under the run that committed it. A feed fails with the
 * error of a read that failed, and is resumed by one that begins where it was.
 */
export const make =
  <E>(source: Source<E>) =>
  (selection: Selection): Stream.Stream<Change, E> =>
    Stream.unwrap(
      Effect.gen(function* () {
        const wants = (run: Run) => ("run" in selection ? same(run, selection.run) : run.tenant === selection.tenant)
        // Both before the first read: a commit after it is told.
        const follower = yield* source.signal.follow(wants)
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

/** The positions after everything that runs have committed: a feed from there tells of what comes. */
export const after = (runs: ReadonlyArray<Standing>): Positions =>
  new Map(runs.map(({ head, run }) => [run.id, head.tick + 1]))

type Page = ReadonlyArray<Change>

const isFilled = (page: Page): page is readonly [Change, ...Array<Change>] => page.length > 0

/** Reads committed transitions page by page. An empty page means that there is no more until it is woken. */
interface Reader<E> {
  readonly page: Effect.Effect<Page, E>
  readonly wake: (moved: Moved) => void
}

const changesOf = (run: Run, sealed: ReadonlyArray<Sealed>): Page => sealed.map((one) => ({ run, sealed: one }))

const ofRun = <E>(source: Source<E>, { from = 1, run }: { readonly run: Run; readonly from?: number | undefined }) => {
  let next = from
  let isBehind = true
  const reader: Reader<E> = {
    page: Effect.suspend(() =>
      isBehind
        ? Effect.map(source.read(run, { from: next, limit: feedRowsMax }), (found) => {
            isBehind = found.length === feedRowsMax
            next = (found.at(-1)?.tick ?? next - 1) + 1
            return changesOf(run, found)
          })
        : Effect.succeed([])
    ),
    wake: () => {
      isBehind = true
    }
  }
  return reader
}

/** A run that may have moved. What is known of where it began is kept with it. */
interface Suspect {
  readonly run: Run
  readonly standing?: Standing | undefined
  /** Its parent was read already, as far as it could be. */
  readonly isAfterParent?: boolean
}

const ofTenant = <E>(
  source: Source<E>,
  { from, tenant }: { readonly tenant: Tenant; readonly from?: Positions | undefined }
): Reader<E> => {
  const next = new Map<RunId, number>()
  const nextOf = (run: RunId): number => next.get(run) ?? from?.get(run) ?? 1
  // The last one is read first: a parent is put behind its fork.
  const suspects: Array<Suspect> = []
  let sweep: { readonly after: RunId | undefined } | undefined = { after: undefined }

  /** The next page of all runs: those that have moved are read. */
  const look = Effect.fnUntraced(function* (after: RunId | undefined) {
    const runs = yield* source.runs(tenant, { after, limit: feedRowsMax })
    sweep = runs.length < feedRowsMax ? undefined : { after: runs.at(-1)!.run.id }
    const moved = runs.filter(({ head, run }) => head.tick >= nextOf(run.id))
    for (const standing of moved.reverse()) suspects.push({ run: standing.run, standing })
  })

  /** A run that is met for the first time begins where it left its parent, and is told after that. */
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
      else for (const run of moved) suspects.push({ run })
    }
  }
}
