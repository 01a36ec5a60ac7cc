/**
 * Recovery of a failed subtask: the checkpoint that may be restored, the reasons against every other, and the restore
 * itself.
 *
 * A judgment reads the trace and changes nothing. An admitted restore is carried out: effects after the checkpoint
 * are undone by the undo plan of the run, and the fields that the subtask wrote since go back. A block names its
 * consumers and effects, the fallback, and the joint rollback that would be admissible. The joint rollback is never
 * carried out automatically.
 *
 * @source docs/decisions/0054
 */

import type { Entry } from "@backstitch/admissibility/Entry"
import type * as FailureEvent from "@backstitch/admissibility/FailureEvent"
import * as Instance from "@backstitch/admissibility/Instance"
import * as JointRollback from "@backstitch/admissibility/JointRollback"
import * as Localization from "@backstitch/admissibility/Localization"
import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import * as WholeRestore from "@backstitch/admissibility/WholeRestore"
import type * as Finding from "@backstitch/kernel/Finding"
import type * as LiftedRun from "@backstitch/kernel/LiftedRun"
import { isOutdated, type Outcome } from "@backstitch/kernel/Outcome"
import * as RollbackPoint from "@backstitch/kernel/RollbackPoint"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { Run } from "@backstitch/trace/Run"
import type { Next } from "@backstitch/wording/Next"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as SubtaskLift from "../history/subtaskLift.ts"
import type * as RunHandle from "./RunHandle.ts"

/**
 * The subtask to judge: the instance with the given name, or that of the last failure of the run. `policy` lists the
 * checkpoints that may be restored; by default entry and commit. The rule about consumers is that of the pack, if it
 * names one.
 */
export interface SubtaskRequest {
  readonly failure?: FailureEvent.FailureEvent | undefined
  readonly instance?: string | undefined
  readonly policy?: RecoveryPolicy.RecoveryPolicy | undefined
}

/** A subtask as people ask for it: by the names of the instance, and of the latest kind of checkpoint to restore. */
export interface SubtaskNames {
  readonly instance?: string | undefined
  readonly policy?: RecoveryPolicy.PolicyName | undefined
}

/** Reads a question. */
export const askedOf = ({ instance, policy = "commit" }: SubtaskNames): SubtaskRequest => ({
  instance,
  policy: RecoveryPolicy.policies[policy]
})

/** A judgment under a policy, with the joint rollback that would be admissible in place of a block. */
export interface SubtaskVerdict {
  readonly policy: RecoveryPolicy.RecoveryPolicy
  readonly failure?: FailureEvent.FailureEvent | undefined
  readonly decided: RollbackAdmission.Admitted | RollbackAdmission.Blocked
  readonly joint?: JointRollback.JointRollback | undefined
}

/** Error for a run whose pack declares no subtasks or no states of its agent. */
export class NoSubtasks extends Schema.TaggedError<NoSubtasks>("@backstitch/runtime/NoSubtasks")("NoSubtasks", {
  run: Schema.String
}) {
  override get message(): string {
    return `Run ${this.run} has no subtasks: its pack declares no machine with skeletons, or did not when the run began`
  }
}

/** Error for a subtask that a run does not have; without an `instance`, for a run in which none has failed. */
export class NoSuchSubtask extends Schema.TaggedError<NoSuchSubtask>("@backstitch/runtime/NoSuchSubtask")(
  "NoSuchSubtask",
  { run: Schema.String, instance: Schema.optional(Schema.String) }
) {
  override get message(): string {
    return this.instance === undefined
      ? `No subtask of run ${this.run} has failed, or each that did went back already. Name one`
      : `Run ${this.run} has no subtask ${this.instance}`
  }

  /** Steps that show the subtasks there are. */
  get next(): ReadonlyArray<Next> {
    return [{ run: this.run, verb: "subtasks" }]
  }
}

/** Lifts a stored run. */
export const lift = Effect.fnUntraced(function* (run: Run) {
  const lifted = yield* lifting(run)
  return lifted ?? (yield* new NoSubtasks({ run: run.id }))
})

const lifting = Effect.fnUntraced(function* (run: Run) {
  const history = yield* History.History
  const { head } = yield* history.info(run)
  return yield* SubtaskLift.of(history, run, head.tick)
})

/**
 * Lists the reasons against a restore of the whole state of an agent to a tick, as a framework does it that undoes
 * nothing. `instance` names the subtask for whose sake it is; the answer is `undefined` if there is none of that name.
 */
export const againstWhole = Effect.fnUntraced(function* (
  run: Run,
  asked: { readonly tick: number; readonly instance?: string | undefined }
) {
  const history = yield* History.History
  const { head } = yield* history.info(run)
  const self = yield* SubtaskLift.whole(history.stored, run, head.tick)
  if (self === undefined) return []
  const of = asked.instance === undefined ? undefined : named(self, asked.instance)
  if (asked.instance !== undefined && of === undefined) return undefined
  return WholeRestore.judge(self.registry, { tick: asked.tick, of }, yield* Clock.currentTimeMillis)
})

/**
 * Judges the recovery of a subtask at a time in epoch milliseconds; `undefined` if there is no subtask of that name,
 * or none has failed.
 */
export const judge = (self: LiftedRun.LiftedRun, asked: SubtaskRequest, now: number): SubtaskVerdict | undefined => {
  const { instance } = asked
  const policy = RecoveryPolicy.judging(asked.policy ?? RecoveryPolicy.policies.commit, self.pack.recovery?.consumers)
  const options = { policy, now }
  if (instance !== undefined) {
    const entry = named(self, instance)
    if (entry === undefined) return undefined
    return { policy, ...judged(self, entry, RollbackAdmission.restore(self.registry, entry, options), options) }
  }
  const failure = asked.failure ?? self.failure
  if (failure === undefined) return undefined
  const localized = Localization.localize(self.registry, failure)
  const decided = RollbackAdmission.decide(self.registry, failure, options)
  return localized._tag === "Abstained"
    ? { policy, failure, decided }
    : { policy, failure, ...judged(self, localized.entry, decided, options) }
}

/** Judges the recovery of a subtask of a stored run now. */
export const judgeRun = Effect.fnUntraced(function* (run: Run, asked: SubtaskRequest) {
  const found = judge(yield* lift(run), asked, yield* Clock.currentTimeMillis)
  return found ?? (yield* new NoSuchSubtask({ run: run.id, instance: asked.instance }))
})

/** Reads the undoing of a stored run that is under way. Nothing else goes back before it has ended. */
export const undoing = Effect.fnUntraced(function* (run: Run) {
  const history = yield* History.History
  return UndoPlan.open((yield* history.at(run)).state)
})

/** Tells whether the subtask of the last failure of a stored run may go back to a checkpoint by the standard policy. */
export const isAdmissible = Effect.fnUntraced(function* (run: Run) {
  const lifted = yield* lifting(run)
  const found = lifted === undefined ? undefined : judge(lifted, {}, yield* Clock.currentTimeMillis)
  return found?.decided._tag === "Admitted"
})

/** Finds an instance by the name under which it is shown. */
export const named = ({ registry }: LiftedRun.LiftedRun, name: string): Entry | undefined =>
  [...registry.entries.values()].find((entry) => Instance.show(entry.instance) === name)

const judged = (
  { registry }: LiftedRun.LiftedRun,
  entry: Entry,
  decided: SubtaskVerdict["decided"],
  options: RollbackAdmission.Options
): Pick<SubtaskVerdict, "decided" | "joint"> => {
  const target = decided.judged[0]?.checkpoint
  if (decided._tag === "Admitted" || target === undefined) return { decided }
  return { decided, joint: JointRollback.propose(registry, entry, target, options) }
}

/** A judgment, and the outcome of the restore if one was admitted. */
export interface Restored {
  readonly judged: SubtaskVerdict | undefined
  readonly outcome?: Outcome | undefined
}

/**
 * Restores the latest admissible checkpoint of a subtask. If another process has committed meanwhile, the recovery is
 * judged again. If nothing has changed since the checkpoint, nothing is committed.
 */
export const restore = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  asked: SubtaskRequest & { readonly because: string | Finding.Finding }
): Effect.fn.Return<Restored, RunHandle.RunError> {
  while (true) {
    const self = yield* handle.subtasks
    const found = self === undefined ? undefined : judge(self, asked, yield* Clock.currentTimeMillis)
    if (self === undefined || found?.decided._tag !== "Admitted") return { judged: found }
    const { checkpoint, instance, owes } = found.decided
    const entry = self.registry.entries.get(Instance.idOf(instance))
    if (entry === undefined) return { judged: found }
    const { state } = yield* handle.position
    const { masks, ...rollback } = RollbackPoint.rollback(self, entry, { checkpoint, state })
    const actions = owes.map(({ action }) => action).toReversed()
    // A subtask that stands at its checkpoint, and has not failed there, is not put back once more.
    const later = entry.steps.filter((tick) => tick > checkpoint.tick)
    const isThere = actions.length + later.length + rollback.patch.length === 0
    if (isThere && self.failure === undefined) return { judged: found, outcome: unchanged(self.tick) }
    const policy = RollbackPoint.policyOf(found.policy)
    const outcome = yield* handle.rollBack({ actions, because: asked.because, masks }, { ...rollback, policy })
    if (!isOutdated(outcome)) return { judged: found, outcome }
  }
})

const unchanged = (tick: number): Outcome => ({ _tag: "Done", tick, output: { undone: [] }, basis: "recorded" })
