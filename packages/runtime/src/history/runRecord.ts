/**
 * Follows a record that is computed from the transitions of a run, such as its lift or its acts, and changed in place.
 *
 * A record begins at the first transition under which it can be kept, and is continued from where it was left.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as State from "@backstitch/reducer/State"
import * as HashChain from "@backstitch/trace/HashChain"
import type { Run, RunId } from "@backstitch/trace/Run"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as History from "./History.ts"
import * as PackLibrary from "./PackLibrary.ts"

/** A kind of record. `begin` answers an empty one if a run in the given state has it. */
export interface RecordKind<A> {
  readonly begin: (state: State.State, pack: () => TaskPack.TaskPack | undefined) => A | undefined
  readonly take: (self: A, step: Step, pack: () => TaskPack.TaskPack | undefined) => void
}

/** A run, and a record of it. */
export interface Followed<A> {
  readonly at: History.At
  readonly record: A | undefined
}

/** Consecutive transitions that a writer has committed, and the position after them. */
export interface CommittedSteps {
  readonly at: History.At
  readonly steps: ReadonlyArray<Step>
}

/** Makes the record of a run from its first tick to one of its ticks. */
export const of = Effect.fnUntraced(function* <A>(kind: RecordKind<A>, stored: History.Stored, run: Run, to: number) {
  const root: RunId = (yield* stored.root(run)).id
  const head = HashChain.genesis({ tenant: run.tenant, id: root })
  const followed: Followed<A> = { at: { head, state: State.empty, asOf: 0 }, record: undefined }
  return yield* onto(kind, stored, run, { followed, to })
})

/** Continues a record to a later tick. */
export const onto = Effect.fnUntraced(function* <A>(
  kind: RecordKind<A>,
  stored: History.Stored,
  run: Run,
  { followed, to }: { readonly followed: Followed<A>; readonly to: number }
) {
  const library = yield* PackLibrary.PackLibrary
  let { record } = followed
  const at = yield* stored.walk(run, {
    from: followed.at,
    to,
    visit: (after, transition, before) => {
      const step = { before, transition, after }
      record = taken(kind, record, step, packAfter(library, step))
      return undefined
    }
  })
  return { at, record } satisfies Followed<A>
})

/** Continues a record by a step, or begins it. */
export const taken = <A>(
  kind: RecordKind<A>,
  record: A | undefined,
  step: Step,
  pack: () => TaskPack.TaskPack | undefined
): A | undefined => {
  const begun = record ?? kind.begin(step.after, pack)
  if (begun !== undefined) kind.take(begun, step, pack)
  return begun
}

/** The pack that binds after a step. */
const packAfter =
  (library: PackLibrary.PackLibrary["Service"], { after, transition }: Step) =>
  (): TaskPack.TaskPack | undefined =>
    library.packAt(after, transition.tick + 1)

/**
 * Keeps the record of an open run, up to the last tick that was asked for. Commits of the run's own writer are not read
 * from the store again, if they follow on what the record has, or begin the run. A record is changed in place, so one
 * call follows at a time.
 */
export const keep = Effect.fnUntraced(function* <A>(kind: RecordKind<A>, stored: History.Stored, run: Run) {
  const library = yield* PackLibrary.PackLibrary
  const lock = yield* Semaphore.make(1)
  let followed: Followed<A> | undefined

  const follow = Effect.fnUntraced(function* (to: number) {
    followed =
      followed === undefined ? yield* of(kind, stored, run, to) : yield* onto(kind, stored, run, { followed, to })
    return followed
  })

  return ({ at, steps }: CommittedSteps) =>
    Effect.suspend(() => {
      const from = followed?.at.head.tick ?? 0
      const next = steps.filter(({ transition }) => transition.tick > from)
      if (next.length !== at.head.tick - from) return follow(at.head.tick)
      const record = next.reduce(
        (before, step) => taken(kind, before, step, packAfter(library, step)),
        followed?.record
      )
      followed = { at, record }
      return Effect.succeed(followed)
    }).pipe(Effect.provideService(PackLibrary.PackLibrary, library), Semaphore.withPermits(lock, 1))
})
