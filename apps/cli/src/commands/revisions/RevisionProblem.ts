/** Adds the flags that mend a revision to the message of its error. */
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
  | StoredRevision.NothingPending
  | StoredRevision.RevisionEmpty

/** Words a problem as wrong usage. */
export const usage = (problem: RevisionProblem): Usage =>
  new Usage({ problem: `${problem.message}${flagsFor(problem)}` })

const flagsFor = (problem: RevisionProblem): string => {
  switch (problem._tag) {
    case "AnswerUnasked":
      return problem.open.length === 0 ? ". Leave out --keep" : ". Name one of those with --keep"
    case "GoalReached":
      return ". Name it with --agent"
    case "GoalUndeclared":
      return ""
    case "NothingPending":
      return `: ${RevisionFlags.named}`
    case "RevisionEmpty":
      return problem.isDue ? ", or here with --agent" : `: ${RevisionFlags.named}`
    case "WordsUnread":
      return /^(?:empty|unheard)$/.test(problem.because) ? ` with ${RevisionFlags.named}` : ""
  }
}
