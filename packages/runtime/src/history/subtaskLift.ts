/**
 * Follows the lift of a run: the commits of this process and of others, if the run pins the ontology that has facts
 * about subtasks.
 */
import * as LiftedRun from "@backstitch/kernel/LiftedRun"
import * as RunLift from "@backstitch/kernel/RunLift"
import * as SubtaskFacts from "@backstitch/kernel/SubtaskFacts"
import * as Contract from "@backstitch/reducer/Contract"
import type * as State from "@backstitch/reducer/State"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type * as History from "./History.ts"
import * as RunRecord from "./runRecord.ts"

/** Tells whether facts about subtasks may be committed to a run in a given state. */
export const isOn = (state: State.State): boolean => (Contract.of(state).ontology ?? Ontology.first) > Ontology.first

const kind: RunRecord.Kind<LiftedRun.LiftedRun> = {
  begin: (state, pack) => (isOn(state) ? LiftedRun.make(pack()) : undefined),
  take: RunLift.follow
}

/** Lifts a run from its first tick to one of its ticks; `undefined` if its pack declares no subtasks. */
export const of = (stored: History.Stored, run: Run, to: number) =>
  Effect.map(RunRecord.of(kind, stored, run, to), ({ record }) => record)

/** Makes the lift of an open run. It answers the facts that are not on record yet, each once. */
export const make = Effect.fnUntraced(function* (stored: History.Stored, run: Run) {
  const told = new Set<string>()
  const kept = yield* RunRecord.keep(kind, stored, run)
  const follow = (to: number) => Effect.map(kept(to), ({ record }) => record)

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
