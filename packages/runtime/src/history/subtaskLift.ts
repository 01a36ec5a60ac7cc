/**
 * Follows the lift of a run: the commits of this process and of others, if the run pins the ontology that has facts
 * about subtasks.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as LiftedRun from "@backstitch/kernel/LiftedRun"
import * as RunLift from "@backstitch/kernel/RunLift"
import * as SubtaskConsumers from "@backstitch/kernel/SubtaskConsumers"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import type * as State from "@backstitch/reducer/State"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type * as History from "./History.ts"
import * as RunRecord from "./runRecord.ts"

/** Tells whether facts about subtasks may be committed to a run in a given state. */
export const isOn = (state: State.State): boolean => (PackInForce.of(state).ontology ?? Ontology.first) > Ontology.first

/** The lift as a record. */
export const kind: RunRecord.RecordKind<LiftedRun.LiftedRun> = {
  begin: (state, pack) => (isOn(state) ? LiftedRun.make(pack()) : undefined),
  take: RunLift.follow
}

/** Lifts a run from its first tick to one of its ticks; `undefined` if its pack declares no subtasks. */
export const of = (stored: History.Stored, run: Run, to: number) =>
  Effect.map(RunRecord.of(kind, stored, run, to), ({ record }) => record)

/** Lifts a run with all its calls, also under a pack without subtasks; `undefined` if it has no pack. */
export const whole = (stored: History.Stored, run: Run, to: number) => {
  const all = { begin: (_: State.State, pack: () => TaskPack.TaskPack | undefined) => LiftedRun.whole(pack()) }
  return Effect.map(RunRecord.of({ ...all, take: RunLift.follow }, stored, run, to), ({ record }) => record)
}

/** Makes the source of facts about the subtasks of an open run, from its lift. */
export const make = <E>(follow: Effect.Effect<LiftedRun.LiftedRun | undefined, E>) => {
  const told = new Set<string>()
  return {
    /** The lift up to the last durable tick. */
    follow,
    /** The consumers of the subtasks with some scopes, by what is durable. */
    consumers: (scopes: ReadonlyArray<string>) =>
      Effect.map(follow, (lift) => (lift === undefined ? [] : SubtaskConsumers.of(lift, scopes))),
    /** Facts that follow from what is durable, and that nobody has recorded; each once. */
    fresh: Effect.map(follow, (lift) => {
      const facts = lift === undefined ? [] : [...lift.unrecorded]
      const fresh = facts.filter(([name]) => !told.has(name))
      for (const [name] of fresh) told.add(name)
      return fresh.map(([, fact]) => fact)
    })
  }
}
