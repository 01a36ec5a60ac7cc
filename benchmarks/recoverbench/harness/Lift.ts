/** Follows the lift of the run in which a trial goes on, including decisions that are not durable yet. */

import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as LiftedRun from "@backstitch/kernel/LiftedRun"
import * as RunLift from "@backstitch/kernel/RunLift"
import type * as Fold from "@backstitch/reducer/Fold"
import * as State from "@backstitch/reducer/State"
import * as History from "@backstitch/runtime/History"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import type { Transition } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"

/** The lift of one run. */
export class Lift {
  readonly lifted: LiftedRun.LiftedRun
  failure: RunLift.Failure | undefined
  millis = 0
  private state: State.State = State.empty

  constructor(pack: TaskPack.TaskPack) {
    const lifted = LiftedRun.make(pack)
    if (lifted === undefined) throw new Error(`${pack.id} declares no subtasks`)
    this.lifted = lifted
  }

  /** Takes in a transition. */
  take(transition: Transition, fold: Fold.Fold): void {
    const before = this.state
    this.state = fold.evolve(before, transition)
    const began = performance.now()
    const { failure } = RunLift.follow(this.lifted, { before, transition, after: this.state })
    this.millis += performance.now() - began
    this.failure = failure ?? this.failure
  }
}

/** Takes in the decided transitions of a run. */
export const follow = Effect.fnUntraced(function* (self: Lift, handle: RunHandle.RunHandle) {
  const { fold } = yield* History.History
  for (const transition of yield* handle.transitions(self.lifted.tick + 1)) self.take(transition, fold)
})
