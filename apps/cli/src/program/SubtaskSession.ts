/** The subtasks of a run, for the commands that show or recover them. */
import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import * as SubtaskRecovery from "@backstitch/runtime/SubtaskRecovery"
import * as SubtaskReport from "@backstitch/runtime/SubtaskReport"
import * as UndoOutlook from "@backstitch/runtime/UndoOutlook"
import type { Run } from "@backstitch/trace/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as RecoveryView from "../output/RecoveryView.ts"
import { Usage } from "../terminal/Failure.ts"
import * as Printer from "../terminal/Printer.ts"

/** The subtask that is asked about, and the kinds of checkpoints that may be restored. */
export interface Asked {
  readonly instance?: string | undefined
  readonly policy: keyof typeof RecoveryPolicy.policies
}

/** The lift of a run; fails where its pack declares no subtasks. */
export const lift = Effect.fnUntraced(function* (run: Run) {
  const lift = yield* SubtaskRecovery.lift(run)
  if (lift !== undefined) return lift
  const needs = "its pack declares no machine with skeletons, or did not when the run began"
  return yield* new Usage({ problem: `Run ${run.id} has no subtasks: ${needs}` })
})

/** Reads the flags as recovery takes them. */
export const asked = ({ instance, policy }: Asked): SubtaskRecovery.Asked => ({
  instance,
  policy: RecoveryPolicy.policies[policy]
})

/** The answer about a run in which an undoing is under way; `undefined` if there is none. */
export const undoing = Effect.fnUntraced(function* (run: Run) {
  const open = yield* SubtaskRecovery.undoing(run)
  if (open === undefined) return undefined
  const undoing = SubtaskReport.undoing(open)
  return Printer.answer({ run: run.id, admitted: false, undoing }, () => RecoveryView.undoing(run.id, undoing), 1)
})

/** Judges the recovery of a subtask; fails where none of that name is there, or none failed. */
export const judged = Effect.fnUntraced(function* (run: Run, input: Asked) {
  const now = yield* Clock.currentTimeMillis
  const judged = SubtaskRecovery.judge(yield* lift(run), asked(input), now)
  if (judged === undefined) return yield* nothing(run, input)
  const { decided, joint } = judged
  const owes = decided._tag === "Admitted" ? decided.owes : (joint?.restores ?? []).flatMap(({ owes }) => owes)
  const known = yield* UndoOutlook.known(
    run,
    owes.map(({ action }) => action)
  )
  return SubtaskReport.recovery(judged, known)
})

/** Says that there is no subtask to judge. */
export const nothing = (run: Run, { instance }: Asked): Usage =>
  new Usage({
    problem:
      instance === undefined
        ? `No subtask of run ${run.id} has failed since one went back last. Name one with --instance`
        : `Run ${run.id} has no subtask ${instance}. \`backstitch instances ${run.id}\` lists them`
  })
