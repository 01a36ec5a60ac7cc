/** Says in the words of the command line what a revision lacks, and which flags give it. */
import type * as RevisionReading from "@backstitch/runtime/RevisionReading"
import type * as StoredRevision from "@backstitch/runtime/StoredRevision"
import { Usage } from "../../terminal/Failure.ts"
import * as RevisionFlags from "./RevisionFlags.ts"

/** An error of a revision that a flag or an agent mends. */
export type RevisionProblem =
  | RevisionReading.WordsUnread
  | StoredRevision.AnswerUnasked
  | StoredRevision.GoalReached
  | StoredRevision.GoalUndeclared
  | StoredRevision.RevisionEmpty

/** Words a problem as wrong usage. */
export const usage = (problem: RevisionProblem): Usage => new Usage({ problem: textOf(problem) })

const textOf = (problem: RevisionProblem): string => {
  switch (problem._tag) {
    case "AnswerUnasked": {
      const { action, open } = problem
      const asked = open.length === 0 ? "contracts decide about each" : `these acts are: ${open.join(", ")}`
      return `--keep answers for an act about which its contract does not decide, and ${action} is none: ${asked}`
    }
    case "GoalReached":
      return `The goal of run ${problem.run} is reached: name its agent with --agent, and a run that follows it is begun`
    case "GoalUndeclared":
      return problem.message
    case "RevisionEmpty":
      return problem.isDue ? `${problem.message}, or here with --agent` : `${problem.message}: ${RevisionFlags.named}`
    case "WordsUnread":
      return unread(problem)
  }
}

const unread = ({ because, found, words }: RevisionReading.WordsUnread): string => {
  switch (because) {
    case "empty": {
      const said = `nothing in "${words}" was read as a change: say it in other words, or give the changes`
      return `${said} with ${RevisionFlags.named}`
    }
    case "failed":
      return `what the user said was not read: ${found}`
    case "malformed":
      return RevisionFlags.malformed("what reads the words answered", found)
    case "unheard": {
      const said = `nothing here turns "${words}" into changes: name a --model, or an agent that exports revise`
      return `${said}, or give the changes with ${RevisionFlags.named}`
    }
  }
}
