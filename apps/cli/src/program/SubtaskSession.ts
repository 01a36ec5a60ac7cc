/** The subtasks of a run, for the commands that show or recover them. */
import * as RecoveryPolicy from "@backstitch/admissibility/RecoveryPolicy"
import * as SubtaskRecovery from "@backstitch/runtime/SubtaskRecovery"
import * as SubtaskReport from "@backstitch/runtime/SubtaskReport"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as RecoveryView from "../output/RecoveryView.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import { Usage } from "../terminal/Failure.ts"
import * as Printer from "../terminal/Printer.ts"
import * as Spelling from "../terminal/Spelling.ts"

/** The subtask that is asked about, and the kinds of checkpoints that may be restored. */
export interface Asked {
  readonly instance?: string | undefined
  readonly policy: keyof typeof RecoveryPolicy.policies
}

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
  return Printer.answer(
    { run: run.id, admitted: false, undoing },
    () => RecoveryView.undoing(run.id, undoing),
    ExitCode.failure
  )
})

/** Judges the recovery of a subtask, as a document. */
export const judged = (run: Run, input: Asked) =>
  Effect.catchTag(SubtaskReport.judged(run, asked(input)), ["NoSubtasks", "NoSuchSubtask"], missing)

/** Says in the words of the command line that there is no subtask to show or to judge. */
export const missing = (error: SubtaskRecovery.NoSubtasks | SubtaskRecovery.NoSuchSubtask): Usage => {
  if (error._tag === "NoSubtasks") return new Usage({ problem: error.message })
  const leads = error.instance === undefined ? " with --instance" : `. \`${Spelling.all(error.next)}\` lists them`
  return new Usage({ problem: `${error.message}${leads}` })
}
