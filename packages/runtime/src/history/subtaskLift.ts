/**
 * Follows the lift of an open run: the commits of this process and of others, if the run pins the ontology that has
 * facts about subtasks.
 */
import * as LiftedRun from "@backstitch/kernel/LiftedRun"
import * as RunLift from "@backstitch/kernel/RunLift"
import * as SubtaskFacts from "@backstitch/kernel/SubtaskFacts"
import * as Contract from "@backstitch/reducer/Contract"
import * as State from "@backstitch/reducer/State"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Run, RunId } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type * as History from "./History.ts"
import * as PackLibrary from "./PackLibrary.ts"

/** A run, and the lift of it. */
export interface Followed {
  readonly at: History.At
  readonly lift: LiftedRun.LiftedRun | undefined
}

/** Tells whether facts about subtasks may be committed to a run in a given state. */
export const isOn = (state: State.State): boolean => (Contract.of(state).ontology ?? Ontology.first) > Ontology.first

/** Lifts a run from its first tick to one of its ticks. */
export const of = Effect.fnUntraced(function* (stored: History.Stored, run: Run, to: number) {
  const root: RunId = (yield* stored.root(run)).id
  const head = HashChain.genesis({ tenant: run.tenant, id: root })
  return yield* onto(stored, run, { followed: { at: { head, state: State.empty, asOf: 0 }, lift: undefined }, to })
})

/** Continues a lift to a later tick. The lift is changed in place. */
export const onto = Effect.fnUntraced(function* (
  stored: History.Stored,
  run: Run,
  { followed, to }: { readonly followed: Followed; readonly to: number }
) {
  const library = yield* PackLibrary.PackLibrary
  let { lift } = followed
  const at = yield* stored.walk(run, {
    from: followed.at,
    to,
    visit: (after, transition, before) => {
      lift ??= isOn(after) ? LiftedRun.make(library.packAt(after, transition.tick + 1)) : undefined
      if (lift !== undefined) RunLift.follow(lift, { before, transition, after })
      return undefined
    }
  })
  return { at, lift } satisfies Followed
})

/** Makes the lift of an open run. It answers the facts that are not on record yet, each once. */
export const make = Effect.fnUntraced(function* (stored: History.Stored, run: Run) {
  const library = yield* PackLibrary.PackLibrary
  const told = new Set<string>()
  let followed: Followed | undefined

  const follow = (to: number) =>
    Effect.gen(function* () {
      followed = followed === undefined ? yield* of(stored, run, to) : yield* onto(stored, run, { followed, to })
      return followed.lift
    }).pipe(Effect.provideService(PackLibrary.PackLibrary, library))

  return {
    /** The lift up to a tick that is durable. */
    follow,
    /** Facts that follow from the transitions up to a tick, and that nobody has recorded. */
    fresh: (to: number) =>
      Effect.map(follow(to), (lift) => {
        const facts = lift === undefined ? [] : LiftedRun.unrecorded(lift)
        const fresh = facts.filter((fact) => !told.has(SubtaskFacts.nameOf(fact)))
        for (const fact of fresh) told.add(SubtaskFacts.nameOf(fact))
        return fresh
      })
  }
})
