/** The subtasks of a run, for the commands that show or recover them. */
import * as SubtaskRecovery from "@backstitch/runtime/SubtaskRecovery"
import * as SubtaskReport from "@backstitch/runtime/SubtaskReport"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import { Usage } from "../terminal/Failure.ts"
import * as Spelling from "../terminal/Spelling.ts"

/** Judges the recovery of a subtask, as a document. */
export const judgment = (run: Run, question: SubtaskRecovery.SubtaskNames) =>
  Effect.catchTag(
    SubtaskReport.judgment(run, SubtaskRecovery.askedOf(question)),
    ["NoSubtasks", "NoSuchSubtask"],
    missing
  )

/** Says in the words of the command line that there is no subtask to show or to judge. */
export const missing = (error: SubtaskRecovery.NoSubtasks | SubtaskRecovery.NoSuchSubtask): Usage => {
  if (error._tag === "NoSubtasks") return new Usage({ problem: error.message })
  const leads = error.instance === undefined ? " with --instance" : `. \`${Spelling.all(error.next)}\` lists them`
  return new Usage({ problem: `${error.message}${leads}` })
}
