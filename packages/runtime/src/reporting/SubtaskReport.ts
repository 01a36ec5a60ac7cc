/** The subtasks of a run as documents: its instances, their checkpoints, and what a recovery of one came to. */

import type * as Checkpoint from "@backstitch/admissibility/Checkpoint"
import type * as SubtaskEffect from "@backstitch/admissibility/Effect"
import type { Entry } from "@backstitch/admissibility/Entry"
import * as Instance from "@backstitch/admissibility/Instance"
import type * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import type * as LiftedRun from "@backstitch/kernel/LiftedRun"
import * as RollbackPoint from "@backstitch/kernel/RollbackPoint"
import type * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as SubtaskRecovery from "../run/SubtaskRecovery.ts"
import * as UndoOutlook from "../undo/UndoOutlook.ts"

/** An instance of a subtask. */
export interface InstanceShown {
  readonly instance: string
  readonly phase: Entry["phase"]
  readonly state: string
  readonly steps: number
  readonly reads: ReadonlyArray<string>
  readonly writes: ReadonlyArray<string>
  readonly effects: ReadonlyArray<SubtaskEffect.Effect>
}

/** A checkpoint of an instance, the tick after which it restores, and whether a later one is there. */
export interface CheckpointShown {
  readonly instance: string
  readonly kind: Checkpoint.CheckpointKind
  readonly tick: number
  readonly state: string
  readonly latest: boolean
}

/** Why a checkpoint may not be restored: a code, the instances and keys that stand in the way, and the effects. */
export interface ReasonShown {
  readonly code: RollbackAdmission.InadmissibleReason["code"]
  readonly instances: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string>
  readonly effects: ReadonlyArray<string>
}

/** An effect that a rollback has to undo, with the outlook of its undo. */
export interface OwedShown extends UndoOutlook.UndoOutlook {
  readonly action: string
  readonly tool: string
}

/** A recovery of a subtask: what is restored, or the reasons why nothing is, and what would be admissible instead. */
export interface RecoveryShown {
  readonly admitted: boolean
  readonly policy: ReturnType<typeof RollbackPoint.policyOf>
  readonly signal?: string
  readonly instance?: string
  readonly checkpoint?: CheckpointShown
  readonly owes?: ReadonlyArray<OwedShown>
  readonly reasons?: ReadonlyArray<ReasonShown>
  readonly fallback?: RollbackAdmission.Blocked["fallback"]
  readonly joint?: {
    readonly steps: number
    readonly irreversible: number
    readonly restores: ReadonlyArray<{
      readonly checkpoint: CheckpointShown
      readonly steps: number
      readonly owes: ReadonlyArray<OwedShown>
      readonly irreversible: ReadonlyArray<string>
      readonly unsettled: ReadonlyArray<string>
    }>
  }
}

/** An undoing that is under way: the checkpoint that it leads to, if it has one, and how far it has come. */
export interface UndoingShown {
  readonly checkpoint?: CheckpointShown
  readonly isStopped: boolean
  readonly done: number
  readonly of: number
}

/** Shows an undoing that is under way. */
export const undoing = ({ checkpoint, done, status, steps }: UndoPlan.OpenPlan): UndoingShown => ({
  ...(checkpoint === undefined ? {} : { checkpoint: checkpointOf(RollbackPoint.read(checkpoint), false) }),
  isStopped: status === "stopped",
  done: done.length,
  of: steps.length
})

/** Lists the instances of a run, in the order in which they began. */
export const instances = ({ registry }: LiftedRun.LiftedRun): ReadonlyArray<InstanceShown> =>
  [...registry.entries.values()].map(({ effects, instance, phase, reads, state, steps, writes }) => ({
    instance: Instance.show(instance),
    phase,
    state,
    steps: steps.length,
    reads: [...reads.keys()].sort(),
    writes: [...writes.keys()].sort(),
    effects: effects.map(({ effect }) => effect)
  }))

/** Lists the checkpoints of a run, by instance, the latest of each last. */
export const checkpoints = ({ registry }: LiftedRun.LiftedRun): ReadonlyArray<CheckpointShown> =>
  [...registry.entries.values()].flatMap(({ checkpoints }) =>
    checkpoints.map((each, index) => checkpointOf(each, index === checkpoints.length - 1))
  )

const checkpointOf = ({ instance, kind, state, tick }: Checkpoint.Checkpoint, latest: boolean): CheckpointShown => ({
  instance: Instance.show(instance),
  kind,
  tick,
  state,
  latest
})

/** Shows what the recovery of a subtask of a stored run would be now. */
export const judged = Effect.fnUntraced(function* (run: Run, asked: SubtaskRecovery.SubtaskRequest) {
  const found = yield* SubtaskRecovery.judgeRun(run, asked)
  const { decided, joint } = found
  const owes = decided._tag === "Admitted" ? decided.owes : (joint?.restores ?? []).flatMap(({ owes }) => owes)
  return recovery(found, yield* UndoOutlook.known(run, named(owes)))
})

/** A recovery of a subtask of a run as it was judged, or the undoing that has to end before anything else goes back. */
export type Judgment = { readonly run: string } & (
  | RecoveryShown
  | { readonly admitted: false; readonly undoing: UndoingShown }
)

/** Shows what the recovery of a subtask of a stored run would be now, or the undoing that is under way. */
export const judgment = Effect.fn("SubtaskReport.judgment")(function* (
  run: Run,
  asked: SubtaskRecovery.SubtaskRequest
) {
  const open = yield* SubtaskRecovery.undoing(run)
  const judgment: Judgment =
    open === undefined
      ? { run: run.id, ...(yield* judged(run, asked)) }
      : { run: run.id, admitted: false, undoing: undoing(open) }
  return judgment
})

/** Shows what a recovery was judged to be, with the outlook of the undos that it counts on. */
export const recovery = (
  { decided, failure, joint, policy }: SubtaskRecovery.SubtaskVerdict,
  known: UndoOutlook.UndoFacts
): RecoveryShown => {
  const owed = (effects: ReadonlyArray<SubtaskEffect.Effect>) => effects.map((effect) => owedOf(effect, known))
  const under = { policy: RollbackPoint.policyOf(policy) }
  const signal = failure === undefined ? {} : { signal: failure.signal }
  const instance = decided.instance === undefined ? {} : { instance: Instance.show(decided.instance) }
  if (decided._tag === "Admitted") {
    const { checkpoint, judged, owes } = decided
    const latest = judged[0]?.checkpoint === checkpoint
    const point = { checkpoint: checkpointOf(checkpoint, latest), owes: owed(owes) }
    return { admitted: true, ...under, ...signal, ...instance, ...point }
  }
  const { fallback, reasons } = decided
  return {
    admitted: false,
    ...under,
    ...signal,
    ...instance,
    reasons: reasons.map(reasonOf),
    fallback,
    ...(joint === undefined
      ? {}
      : {
          joint: {
            ...joint,
            restores: joint.restores.map(({ checkpoint, irreversible, owes, steps, unsettled }) => ({
              checkpoint: checkpointOf(checkpoint, false),
              steps,
              owes: owed(owes),
              irreversible: named(irreversible),
              unsettled: named(unsettled)
            }))
          }
        })
  }
}

const owedOf = (
  { action, tool, undoEndsAt: endsAt }: SubtaskEffect.Effect,
  known: UndoOutlook.UndoFacts
): OwedShown => ({
  action,
  tool,
  ...UndoOutlook.of(known, { action, endsAt, tool })
})

const named = (effects: ReadonlyArray<SubtaskEffect.Effect>): ReadonlyArray<string> =>
  effects.map(({ action }) => action)

const reasonOf = (reason: RollbackAdmission.InadmissibleReason): ReasonShown => {
  const { code } = reason
  const shown = { code, instances: [], keys: [], effects: [] }
  switch (reason.code) {
    case "ambiguous_instance":
      return { ...shown, instances: reason.rivals.map(Instance.show) }
    case "overwritten_since":
      return { ...shown, instances: [Instance.show(reason.by)], keys: [reason.key] }
    case "committed_consumers_present":
    case "open_consumers_present":
      return {
        ...shown,
        instances: reason.consumers.map(({ instance }) => Instance.show(instance)),
        keys: [...new Set(reason.consumers.flatMap(({ keys }) => keys))]
      }
    case "effect_unsettled":
    case "irreversible_effect_policy":
    case "undo_window_closed":
      return { ...shown, effects: named(reason.effects) }
    default:
      return shown
  }
}
