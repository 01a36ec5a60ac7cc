/**
 * The consumers of subtasks that are to be undone as a whole: the other subtasks of the run, and steps of no subtask,
 * that have read what these wrote, or stand on their effects.
 *
 * A saga and a recovery ask for them before they abort a subtask. They are those that `RollbackAdmission` finds against
 * a restore of each instance to its beginning.
 *
 * @source DART, equation 8, and docs/decisions/0078
 */
import * as Instance from "@backstitch/admissibility/Instance"
import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import type { SubtaskConsumer } from "../state/DecisionTerms.ts"
import type { LiftedRun } from "./LiftedRun.ts"
import * as RollbackPoint from "./RollbackPoint.ts"

/** Other conditions of a restore are judged by the undo plan, for the effects that stand by then. */
const policy = RecoveryPolicy.without(RecoveryPolicy.policies.entry, "in_scope", "effect_allowed")

/**
 * Lists the consumers of the subtasks with these scopes, without those that are undone together with them. A lift that
 * knows none of the subtasks has no consumers of them.
 */
export const of = ({ registry }: LiftedRun, scopes: ReadonlyArray<string>): ReadonlyArray<SubtaskConsumer> => {
  const undone = scopes.flatMap((scope) => registry.families.get(RollbackPoint.familyOf(scope)) ?? [])
  const names = new Set(undone.map(({ id }) => id))
  return undone.flatMap((entry) => {
    const [begin] = entry.checkpoints
    const reasons = begin === undefined ? [] : RollbackAdmission.judge(registry, entry, begin, { policy, now: 0 })
    return reasons
      .flatMap((reason) => ("consumers" in reason ? reason.consumers : []))
      .filter(({ instance }) => !names.has(Instance.idOf(instance)))
      .map(({ instance, keys }) => ({
        ...(Instance.idOf(instance) === registry.outside.id ? {} : { by: Instance.show(instance) }),
        keys: [...keys].sort(),
        subtask: Instance.show(entry.instance)
      }))
  })
}
