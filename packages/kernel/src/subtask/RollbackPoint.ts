/**
 * A point to which an instance of a lifted run goes back: the patch of `working`, and the actions that are masked.
 *
 * The patch covers the places of `working` that the instance wrote after the checkpoint, and the field that holds the
 * state of the agent. `world` changes back only through the reversals of the instance's effects.
 *
 * @source docs/decisions/0001, 0031, 0054
 */
import type * as Checkpoint from "@backstitch/admissibility/Checkpoint"
import type { Entry } from "@backstitch/admissibility/Entry"
import * as Instance from "@backstitch/admissibility/Instance"
import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import * as Registry from "@backstitch/admissibility/Registry"
import type * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import * as WorkingPatch from "@backstitch/reducer/WorkingPatch"
import type { Json } from "@backstitch/trace/Canonical"
import * as JsonText from "@backstitch/trace/JsonText"
import * as LiftedCall from "./LiftedCall.ts"
import type { LiftedRun } from "./LiftedRun.ts"
import * as StateKeys from "./StateKeys.ts"

/** Makes the patch that restores the places that an instance wrote after a checkpoint. */
export const patch = (
  self: LiftedRun,
  { writes }: Entry,
  { state, tick }: Checkpoint.Checkpoint,
  { working }: State
): WorkingPatch.WorkingPatch => {
  const { field } = self.machine
  const places = [...writes]
    .filter(([, ticks]) => ticks.some((at) => at > tick))
    .flatMap(([key]) => StateKeys.placeOf(key) ?? [])
  const then = self.sections.get(tick) ?? working
  const own = WorkingPatch.toward(working, then, places)
  return field === undefined || working[field] === state
    ? own
    : [...own, { op: "replace", path: WorkingPatch.pathOf(field), value: state }]
}

/** Lists the actions of an instance that were requested after a checkpoint. Failed actions stay visible. */
export const masks = ({ calls }: LiftedRun, { instance, tick }: Checkpoint.Checkpoint): ReadonlyArray<string> =>
  [...calls.values()]
    .filter((call) => call.tick > tick && !call.hasFailed && LiftedCall.isOf(call, instance))
    .map(({ action }) => action)

/** Puts each instance that a plan rolls back to the checkpoint that the plan names, or to its entry. */
export const restore = (self: LiftedRun, { checkpoint, scopes = [] }: Plan): void => {
  if (checkpoint !== undefined) {
    const point = read(checkpoint)
    const id = Instance.idOf(point.instance)
    back(self, self.registry.entries.get(id), point)
    self.restores.set(id, (self.restores.get(id) ?? 0) + 1)
    self.failure = undefined
    return
  }
  for (const { scope } of scopes) {
    const entry = self.registry.families.get(familyOf(scope))?.at(-1)
    back(self, entry, entry?.checkpoints[0])
  }
}

/** Names the occurrences of the subtask that a scope names. */
export const familyOf = (scope: string): string => {
  const [skeleton = "", entity = null] = JsonText.read(scope) as ReadonlyArray<Json>
  return Instance.familyOf({ skeleton: String(skeleton), entity })
}

type Plan = Pick<UndoPlan.UndoPlan, "checkpoint" | "scopes">

const back = (self: LiftedRun, entry: Entry | undefined, point: Checkpoint.Checkpoint | undefined): void => {
  if (entry === undefined || point === undefined) return
  Registry.restore(self.registry, entry, point)
  self.state = point.state
}

/** Writes a checkpoint in the form in which a plan names it. */
export const write = ({ instance, kind, state, tick }: Checkpoint.Checkpoint): Named => ({
  ...instance,
  kind,
  state,
  tick
})

type Named = NonNullable<UndoPlan.UndoPlan["checkpoint"]>

/** Reads a checkpoint that a plan names. */
export const read = ({ entity, ordinal, skeleton, ...point }: Named): Checkpoint.Checkpoint => ({
  ...point,
  instance: { skeleton, entity, ordinal }
})

/** Writes a policy in the form in which a plan names it. */
export const policyOf = ({ consumers, name, without }: RecoveryPolicy.RecoveryPolicy): Policy => ({
  ...(consumers === "values" ? {} : { consumers }),
  name,
  ...(without.size === 0 ? {} : { without: [...without] })
})

type Policy = NonNullable<UndoPlan.UndoPlan["policy"]>

/**
 * Reads the policy that a plan names. Plans of earlier versions name none: they restored every kind of checkpoint. Nor
 * do they name a rule about consumers: then values alone counted.
 */
export const policyIn = ({ policy }: Pick<UndoPlan.UndoPlan, "policy">): RecoveryPolicy.RecoveryPolicy => {
  const { consumers = "values", name = "exit", without = [] } = policy ?? {}
  return RecoveryPolicy.judging(
    RecoveryPolicy.without(RecoveryPolicy.policies[name], ...without.filter(RecoveryPolicy.isConjunct)),
    consumers
  )
}

/** The rollback to a checkpoint of an instance at the head that the lift has followed, and the actions to mask. */
export const rollback = (
  self: LiftedRun,
  entry: Entry,
  { checkpoint, state }: { readonly checkpoint: Checkpoint.Checkpoint; readonly state: State }
) => ({
  at: self.tick,
  checkpoint: write(checkpoint),
  masks: masks(self, checkpoint),
  patch: patch(self, entry, checkpoint, state)
})
