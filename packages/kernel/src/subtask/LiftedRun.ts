/**
 * A lifted run: the state of its agent, its calls, and the registry of its subtasks.
 *
 * @source DART, equations 1 and 12
 */
import type { Entry } from "@backstitch/admissibility/Entry"
import type * as FailureEvent from "@backstitch/admissibility/FailureEvent"
import * as Registry from "@backstitch/admissibility/Registry"
import type * as Machine from "@backstitch/contracts/Machine"
import type * as Skeleton from "@backstitch/contracts/Skeleton"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type { Section, State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import type * as SubtaskFacts from "./SubtaskFacts.ts"

/** A subtask that a call belongs to, with the keys that it reads and hands over there. */
export interface Member {
  readonly skeleton: Skeleton.Skeleton
  readonly entity: Json
  readonly reads: ReadonlyArray<string>
  readonly entry: Entry
}

/**
 * A call that was requested. `from` is the state of the agent at the request, `working` the section at the request,
 * and `factAt` the tick of the latest fact about the call.
 */
export interface LiftedCall {
  readonly action: string
  readonly contract: ToolContract.ToolContract
  readonly from: string
  readonly params: Json
  readonly tick: number
  readonly working: Section
  readonly reads: ReadonlyArray<string>
  readonly members: Array<Member>
  /** Keys that the call hands over and that are no fields of the state. */
  readonly handed: ReadonlyArray<string>
  readonly writes: Set<string>
  factAt: number
  hasFailed: boolean
  signal?: FailureEvent.Signal | undefined
}

/** A run under a pack. `state` is the state of the agent, `tick` the last tick that was taken in. */
export interface LiftedRun {
  readonly pack: TaskPack.TaskPack
  readonly machine: Machine.Machine
  registry: Registry.Registry
  state: string
  tick: number
  readonly calls: Map<string, LiftedCall>
  /** The call that the last fact was about. */
  latest: LiftedCall | undefined
  /** The section `working` at the ticks of checkpoints. */
  readonly sections: Map<number, Section>
  /** Facts that follow from the transitions so far, by their names, and those of them that are not on record. */
  readonly facts: Map<string, SubtaskFacts.SubtaskFact>
  readonly unrecorded: Map<string, SubtaskFacts.SubtaskFact>
  /** The number of times that each instance went back to a checkpoint, by its name. */
  readonly restores: Map<string, number>
  /** The last failure, until an instance goes back. */
  failure: FailureEvent.FailureEvent | undefined
}

/** Tells whether runs under a pack are lifted: it declares subtasks, and the states of its agent. */
export const isLifted = (pack: TaskPack.TaskPack | undefined): boolean =>
  pack?.machine !== undefined && Object.keys(pack.skeletons).length > 0

/** A lifted run without any transition; `undefined` if its pack declares no subtasks, or no states. */
export const make = (pack: TaskPack.TaskPack | undefined): LiftedRun | undefined =>
  isLifted(pack) ? whole(pack) : undefined

/** The machine of an agent that is always in the same state. */
const still: Machine.Machine = { initial: "", states: [""], edges: [] }

/** A lifted run under any pack. Without subtasks, every call is one that belongs to none. */
export const whole = (pack: TaskPack.TaskPack | undefined): LiftedRun | undefined => {
  if (pack === undefined) return undefined
  const { machine = still } = pack
  return {
    pack,
    machine,
    registry: Registry.make(shapesOf(pack)),
    state: machine.initial ?? "",
    tick: 0,
    calls: new Map(),
    latest: undefined,
    sections: new Map(),
    facts: new Map(),
    unrecorded: new Map(),
    restores: new Map(),
    failure: undefined
  }
}

/** The reviewed fields of a pack's skeletons, in the form that a registry takes. */
export const shapesOf = ({ skeletons }: Pick<TaskPack.TaskPack, "skeletons">): Registry.Registry["shapes"] =>
  Object.fromEntries(
    Object.values(skeletons).map(({ effects, entry, id, outputs, states, tools }) => [
      id,
      { id, effects, entry, states, tools, outputs: outputs.map(({ name }) => name) }
    ])
  )

/** Removes the instances of a run: those of the history that a fork shares with its parent belong to the parent. */
export const forget = (self: LiftedRun): void => {
  self.registry = Registry.make(self.registry.shapes)
  self.calls.clear()
  self.sections.clear()
  self.facts.clear()
  self.unrecorded.clear()
  self.restores.clear()
  self.latest = undefined
  self.failure = undefined
}

/**
 * The state of the agent in a state of the run: the field that holds it, or the state to which the calls have led so
 * far.
 */
export const stateIn = ({ machine: { field }, state }: LiftedRun, { working }: State): string => {
  const value = field === undefined ? undefined : working[field]
  return typeof value === "string" ? value : state
}
