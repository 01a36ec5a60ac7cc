/** Restores an instance within its run as a strategy says: by the gate of the runtime, or by force. */

import type * as Checkpoint from "@backstitch/admissibility/Checkpoint"
import type { Entry } from "@backstitch/admissibility/Entry"
import type { FailureEvent } from "@backstitch/admissibility/FailureEvent"
import type * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as RollbackPoint from "@backstitch/kernel/RollbackPoint"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as SubtaskRecovery from "@backstitch/runtime/SubtaskRecovery"
import * as Effect from "effect/Effect"
import type * as Strategy from "./Strategy.ts"

/** The answer of the gate, where it was asked, and the checkpoint that was restored. */
export interface Restored {
  readonly decided?: RollbackAdmission.Admitted | RollbackAdmission.Blocked | undefined
  readonly checkpoint?: Checkpoint.Checkpoint | undefined
  /** The kernel refused what the gate admitted: it does not undo the effects after the checkpoint. */
  readonly isRefused?: boolean | undefined
}

const because = "a step failed"

/**
 * Restores the checkpoint that a strategy chooses; a strategy that leaves the run restores none.
 *
 * **Details**
 *
 * The checkpoint is restored by force if a gate lacks a conjunct and the kernel refuses what it admits.
 */
export const restore = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  {
    failure,
    strategy,
    target
  }: {
    readonly failure: FailureEvent
    readonly strategy: Strategy.Strategy
    readonly target: Entry | undefined
  }
): Effect.fn.Return<Restored, RunHandle.RunError> {
  if (strategy._tag === "Force") {
    const checkpoint = target?.checkpoints.findLast(({ kind }) => kind === strategy.kind)
    if (checkpoint !== undefined && target !== undefined) yield* force(handle, target, checkpoint)
    return { checkpoint }
  }
  if (strategy._tag !== "Gate") return {}
  const { policy } = strategy
  const { judged, outcome } = yield* SubtaskRecovery.restore(handle, { because, failure, policy })
  const decided = judged?.decided
  if (decided?._tag !== "Admitted") return { decided }
  const { checkpoint } = decided
  const isRefused = policy.without.size > 0 && outcome?._tag === "Refused"
  if (isRefused && target !== undefined) yield* force(handle, target, checkpoint)
  else yield* done(outcome)
  return { checkpoint, decided, isRefused }
})

/** Puts an instance back and leaves every effect as it is. */
const force = Effect.fnUntraced(function* (
  handle: RunHandle.RunHandle,
  target: Entry,
  checkpoint: Checkpoint.Checkpoint
) {
  const lifted = yield* handle.subtasks
  if (lifted === undefined) return
  const { state } = yield* handle.position
  const { masks, ...rollback } = RollbackPoint.rollback(lifted, target, { checkpoint, state })
  yield* done(yield* handle.rollBack({ actions: [], because, masks }, rollback))
})

const done = (outcome: Outcome | undefined): Effect.Effect<void> =>
  outcome?._tag === "Done" ? Effect.void : Effect.die(new Error(`not restored: ${JSON.stringify(outcome)}`))
