/** The lift of an explored log to its subtasks, and the recovery of the one that failed. */

import * as Instance from "@backstitch/admissibility/Instance"
import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import type { Command } from "@backstitch/kernel/Command"
import * as Finding from "@backstitch/kernel/Finding"
import * as LiftedRun from "@backstitch/kernel/LiftedRun"
import * as RollbackPoint from "@backstitch/kernel/RollbackPoint"
import * as RunLift from "@backstitch/kernel/RunLift"
import * as State from "@backstitch/reducer/State"
import type { Transition } from "@backstitch/trace/Transition"
import type * as Step from "@backstitch/version-control/Step"
import type * as ExploredLog from "./ExploredLog.ts"

const known = new WeakMap<ExploredLog.Node, ReadonlyArray<Step.Step>>()

/** The transitions of a log at one of its commits, with the states on both sides of each. */
export const steps = (log: ExploredLog.ExploredLog, node: ExploredLog.Node): ReadonlyArray<Step.Step> => {
  const found = known.get(node)
  if (found !== undefined) return found
  const { parent, transitions } = node
  const before = parent === undefined ? [] : steps(log, parent)
  const all = [...before, ...further(log, before.at(-1)?.after ?? State.empty, transitions.slice(before.length))]
  known.set(node, all)
  return all
}

const further = (
  { fold }: ExploredLog.ExploredLog,
  from: State.State,
  transitions: ReadonlyArray<Transition>
): ReadonlyArray<Step.Step> => {
  let before = from
  return transitions.map((transition) => {
    const step = { before, transition, after: fold.evolve(before, transition) }
    before = step.after
    return step
  })
}

/** Lifts a log as a process sees it; `undefined` if its contract declares no subtasks. */
export const of = (
  log: ExploredLog.ExploredLog,
  node: ExploredLog.Node,
  { transitions }: Pick<ExploredLog.LogView, "transitions">
): LiftedRun.LiftedRun | undefined => {
  const self = LiftedRun.make(log.pack)
  if (self === undefined) return undefined
  const durable = steps(log, node)
  for (const step of durable) RunLift.follow(self, step)
  const staged = transitions.slice(durable.length)
  for (const step of further(log, durable.at(-1)?.after ?? State.empty, staged)) RunLift.follow(self, step)
  return self
}

const recorded = new WeakMap<ExploredLog.Node, ReadonlyArray<Command>>()

/** The commands that record the facts about subtasks that follow from a commit and are not on record. */
export const facts = (log: ExploredLog.ExploredLog, node: ExploredLog.Node): ReadonlyArray<Command> => {
  const found = recorded.get(node)
  if (found !== undefined) return found
  const self = of(log, node, log.standing(node, []))
  const all =
    self === undefined ? [] : [...self.unrecorded.values()].map((fact) => ({ _tag: "Annotate", ...fact }) as Command)
  recorded.set(node, all)
  return all
}

/**
 * The command that puts the failed subtask back to the latest admissible checkpoint; `Blocked` if there is none, and
 * `undefined` if none has failed.
 */
export const recovery = (
  log: ExploredLog.ExploredLog,
  self: LiftedRun.LiftedRun,
  { now, state }: { readonly now: number; readonly state: State.State }
): Command | "Blocked" | undefined => {
  const { failure, registry } = self
  if (failure === undefined) return undefined
  const { leaves } = log.scenario
  const policy = RecoveryPolicy.without(RecoveryPolicy.policies.commit, ...(leaves === undefined ? [] : [leaves]))
  const decided = RollbackAdmission.decide(registry, failure, { policy, now })
  if (decided._tag === "Blocked") return "Blocked"
  const { checkpoint, instance, owes } = decided
  const entry = registry.entries.get(Instance.idOf(instance))!
  const { masks, ...rollback } = RollbackPoint.rollback(self, entry, { checkpoint, state })
  const because = Finding.make("cause.asked", { reason: "its last step failed" })
  const actions = owes.map(({ action }) => action).toReversed()
  const wanted = { actions, because, cause: "recovery", masks } as const
  return { _tag: "Undo", wanted, rollback: { ...rollback, policy: RollbackPoint.policyOf(policy) } }
}
