/**
 * The recovery that the loop of an agent carries out by itself, if its pack has the section `recovery`.
 *
 * | the failure | what follows |
 * | --- | --- |
 * | is of one subtask, and a checkpoint is admissible | the checkpoint is restored, and the planner is asked again |
 * | is blocked, or the tries of its subtask are used up | the run is held, or its task is to be done again in a fork |
 * | is of no subtask, a refusal, or an intent that lacks an input | the planner is told, as without recovery |
 *
 * A block commits nothing: it follows from the trace, and is found again when the run is resumed.
 *
 * @source docs/decisions/0054
 */

import type * as FailureEvent from "@backstitch/admissibility/FailureEvent"
import * as Instance from "@backstitch/admissibility/Instance"
import * as Localization from "@backstitch/admissibility/Localization"
import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import type * as SelfRecovery from "@backstitch/contracts/SelfRecovery"
import * as Finding from "@backstitch/kernel/Finding"
import type * as LiftedRun from "@backstitch/kernel/LiftedRun"
import type { Held, Outcome } from "@backstitch/kernel/Outcome"
import type { LiftedFailure } from "@backstitch/kernel/RunLift"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import type * as RunHandle from "../run/RunHandle.ts"
import * as SubtaskRecovery from "../run/SubtaskRecovery.ts"

/** The signals that a planner answers itself: nothing was begun. */
const told: ReadonlySet<FailureEvent.Signal> = new Set<FailureEvent.Signal>(["denied", "missing_input"])

/**
 * Recovers from a failure after a tick: answers the outcome of the restore, or the hold that takes its place.
 * `undefined` if nothing has failed there that is recovered from.
 */
export const recover = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  { blocked, policy: name, tries }: SelfRecovery.SelfRecovery,
  since: number
) {
  const self = yield* handle.subtasks
  const failure: LiftedFailure | undefined = self?.failure
  if (self === undefined || failure === undefined || failure.tick <= since || told.has(failure.signal)) return undefined
  const localized = Localization.localize(self.registry, failure)
  if (localized._tag === "Abstained" && localized.rivals.length === 0) return undefined
  const policy = RecoveryPolicy.policies[name]
  const isAgain = blocked === "rerun" && (yield* mayRerun(handle))
  if (localized._tag === "Identified") {
    const { instance } = localized.entry
    const gone = self.restores.get(Instance.idOf(instance)) ?? 0
    if (gone >= tries) {
      const fallback = isAgain ? RollbackAdmission.fallback(self.registry) : "person"
      return held(self, failure, { fallback, instance: Instance.show(instance), reasons: [], tries: gone })
    }
  }
  const { action = "", signal, tool } = failure
  const because = Finding.make("cause.failed", { action, error: signal, tool })
  const { judged, outcome } = yield* SubtaskRecovery.restore(handle, { because, failure, policy })
  if (outcome !== undefined) return outcome satisfies Outcome
  if (judged?.decided._tag !== "Blocked") return undefined
  const { fallback, instance, reasons } = judged.decided
  return held(self, failure, {
    fallback: isAgain ? fallback : "person",
    reasons: reasons.map(({ code }) => code),
    ...(instance === undefined ? {} : { instance: Instance.show(instance) })
  })
})

/** A task is done again once: a fork of the beginning of a run is held in its turn. */
const mayRerun = Effect.fnUntraced(function* ({ run }: RunHandle.RunHandle) {
  const history = yield* History.History
  const { parent } = yield* history.info(run)
  return parent?.tick !== beginning
})

/** The tick from which a task is done again: the beginning of its run. */
export const beginning = 1

/** Tells whether the task of a run is to be done again, by the outcome of its loop. */
export const isRerun = (outcome: Outcome | undefined): boolean => {
  if (outcome?._tag !== "Held" || outcome.why.code !== "subtask.blocked") return false
  return outcome.why.args.fallback === "rerun"
}

const held = (
  { tick }: LiftedRun.LiftedRun,
  { action = "", tool }: LiftedFailure,
  blocked: Omit<Finding.Args<"subtask.blocked">, "tool">
): Held => ({ _tag: "Held", tick, action, why: Finding.make("subtask.blocked", { ...blocked, tool }) })
