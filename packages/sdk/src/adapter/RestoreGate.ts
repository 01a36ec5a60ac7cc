/** The reasons against putting the whole state of an agent back to an earlier tick, for frameworks that do so. */

import * as Instance from "@backstitch/admissibility/Instance"
import type * as RollbackAdmission from "@backstitch/admissibility/RollbackAdmission"
import * as SubtaskRecovery from "@backstitch/runtime/SubtaskRecovery"
import * as Effect from "effect/Effect"
import { BackstitchError } from "../failures/Failures.ts"
import type { Backstitch } from "../run/openStore.ts"
import * as OpenSession from "./openSession.ts"

/** One reason against a restore, with all that it names. */
export interface Obstacle {
  readonly code: string
  /** Subtasks that would lose committed work, and the keys that they have written since. */
  readonly subtasks: ReadonlyArray<{ readonly subtask: string; readonly keys: ReadonlyArray<string> }>
  /** Actions whose effects would be left behind. */
  readonly actions: ReadonlyArray<{ readonly action: string; readonly tool: string }>
}

/** A restore: everything after the tick is taken away, for the sake of a subtask if one is named. */
export interface AskedRestore {
  readonly tick: number
  readonly subtask?: string | undefined
}

/** Lists the reasons against a restore of a run; none if it may be done. */
export const obstacles = (
  backstitch: Backstitch,
  run: string,
  { subtask, tick }: AskedRestore
): Promise<ReadonlyArray<Obstacle>> => {
  const { session } = OpenSession.of(backstitch)
  const against = SubtaskRecovery.againstWhole(session.name(run), { tick, instance: subtask })
  return session.run(
    Effect.flatMap(against, (reasons) => {
      if (reasons !== undefined) return Effect.succeed(reasons.map(obstacleOf))
      const message = `Run ${run} has no subtask ${subtask}. Name one of its subtasks, or none for a restore of everything`
      return Effect.fail(new BackstitchError({ code: "subtask_unknown", message, run }))
    })
  )
}

const obstacleOf = (reason: RollbackAdmission.InadmissibleReason): Obstacle => ({
  code: reason.code,
  subtasks:
    "consumers" in reason
      ? reason.consumers.map(({ instance, keys }) => ({ subtask: Instance.show(instance), keys }))
      : [],
  actions: "effects" in reason ? reason.effects.map(({ action, tool }) => ({ action, tool })) : []
})
