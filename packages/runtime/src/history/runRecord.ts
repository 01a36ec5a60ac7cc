/**
 * Follows a record that is computed from the transitions of a run, such as its lift or its acts, and changed in place.
 *
 * A record begins at the first transition under which it can be kept, and is continued from where it was left.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as State from "@backstitch/reducer/State"
import * as HashChain from "@backstitch/trace/HashChain"
import type { Run, RunId } from "@backstitch/trace/Run"
import type { Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import type * as History from "./History.ts"
import * as PackLibrary from "./PackLibrary.ts"

/** A transition with the states on both sides of it. */
export interface Step {
  readonly before: State.State
  readonly transition: Transition
  readonly after: State.State
}

/** A kind of record. `begin` answers an empty one if a run in the given state has it. */
export interface Kind<A> {
  readonly begin: (state: State.State, pack: () => TaskPack.TaskPack | undefined) => A | undefined
  readonly take: (self: A, step: Step, pack: () => TaskPack.TaskPack | undefined) => void
}

/** A run, and a record of it. */
export interface Followed<A> {
  readonly at: History.At
  readonly record: A | undefined
}

/** Makes the record of a run from its first tick to one of its ticks. */
export const of = Effect.fnUntraced(function* <A>(kind: Kind<A>, stored: History.Stored, run: Run, to: number) {
  const root: RunId = (yield* stored.root(run)).id
  const head = HashChain.genesis({ tenant: run.tenant, id: root })
  const followed: Followed<A> = { at: { head, state: State.empty, asOf: 0 }, record: undefined }
  return yield* onto(kind, stored, run, { followed, to })
})

/** Continues a record to a later tick. */
export const onto = Effect.fnUntraced(function* <A>(
  kind: Kind<A>,
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
      const pack = () => library.packAt(after, transition.tick + 1)
      record ??= kind.begin(after, pack)
      if (record !== undefined) kind.take(record, { before, transition, after }, pack)
      return undefined
    }
  })
  return { at, record } satisfies Followed<A>
})

/** Keeps the record of an open run, up to the last tick that was asked for. */
export const keep = Effect.fnUntraced(function* <A>(kind: Kind<A>, stored: History.Stored, run: Run) {
  const library = yield* PackLibrary.PackLibrary
  let followed: Followed<A> | undefined
  return (to: number) =>
    Effect.gen(function* () {
      followed =
        followed === undefined ? yield* of(kind, stored, run, to) : yield* onto(kind, stored, run, { followed, to })
      return followed
    }).pipe(Effect.provideService(PackLibrary.PackLibrary, library))
})
