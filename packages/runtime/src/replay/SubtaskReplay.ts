/**
 * Lifts the subtasks of a run again while its decisions are replayed. Each recorded fact about subtasks has to follow
 * from the transitions before it, and each rollback has to be the one that was admissible then.
 */

import * as Instance from "@backstitch/admissibility/Instance"
import * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as LiftedRun from "@backstitch/kernel/LiftedRun"
import * as Payload from "@backstitch/kernel/Payload"
import * as RollbackPoint from "@backstitch/kernel/RollbackPoint"
import type * as StoreQuery from "@backstitch/kernel/StoreQuery"
import * as SubtaskConsumers from "@backstitch/kernel/SubtaskConsumers"
import * as SubtaskFacts from "@backstitch/kernel/SubtaskFacts"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import type * as Step from "@backstitch/version-control/Step"
import * as RunRecord from "../history/runRecord.ts"
import * as SubtaskLift from "../history/subtaskLift.ts"

/** Lifts a run again, transition by transition. */
export class SubtaskReplay {
  #lift: LiftedRun.LiftedRun | undefined

  /** Takes in the next transition, with the pack in force after it. */
  follow(step: Step.Step, packAfter: () => TaskPack.TaskPack | undefined): void {
    this.#lift = RunRecord.taken(SubtaskLift.kind, this.#lift, step, packAfter)
  }

  /** Lists the consumers of the subtasks with some scopes, by the transitions so far. */
  consumers(scopes: ReadonlyArray<string>): StoreQuery.Answers["Consumers"] {
    return this.#lift === undefined ? [] : SubtaskConsumers.of(this.#lift, scopes)
  }

  /** Tells whether a transition states exactly the facts about subtasks that follow from the transitions before it. */
  agrees({ body, stamp }: Transition, before: State): boolean {
    if (SubtaskFacts.isOne(body.type)) return this.#lift?.facts.has(SubtaskFacts.nameOf(body)) === true
    const plan = Payload.of(body, "recovery.decided")?.plan
    if (plan?.checkpoint === undefined) return true
    const checkpoint = RollbackPoint.read(plan.checkpoint)
    const entry = this.#lift?.registry.entries.get(Instance.idOf(checkpoint.instance))
    if (this.#lift === undefined || entry === undefined) return false
    const { masks, patch } = RollbackPoint.rollback(this.#lift, entry, { checkpoint, state: before })
    const options = { policy: RollbackPoint.policyIn(plan), now: stamp.asOf }
    const owed = RollbackAdmission.owed(entry, checkpoint).map(({ action }) => action)
    const { judged } = RollbackAdmission.restore(this.#lift.registry, entry, options)
    const admissible = judged.filter(({ reasons }) => reasons.length === 0)
    // A recorded policy admits the latest checkpoint alone.
    const admitted = plan.policy === undefined ? admissible : admissible.slice(0, 1)
    return (
      admitted.some((each) => Canonical.equals(RollbackPoint.write(each.checkpoint), plan.checkpoint ?? null)) &&
      Canonical.equals(owed.sort(), plan.steps.map(({ undoes }) => undoes).sort()) &&
      Canonical.equals(patch, plan.restore?.patch ?? []) &&
      Canonical.equals(masks, plan.masks)
    )
  }
}
