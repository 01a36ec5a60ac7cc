/** The words of plans in English. */
import type { RevisionWords } from "../../said/RevisionWords.ts"

/** The sentences about the acts of a plan. */
export const plans: RevisionWords = {
  conflicts: {
    unanswered: "no contract decides whether it fits, and nobody said that it does",
    unfit: "it no longer fits"
  },
  elsewhere: "it no longer fits: no plan undoes it, and the agent may by its tools",
  lost: {
    barred: "it stays: another run relies on it, a pivot lies behind it, or its undoing failed or cannot be verified",
    irreversible: "it stays: nothing undoes it",
    late: "it stays: it is too late to undo it",
    owner: "it stays: the run that was forked did it, and alone may undo it"
  },
  discarded: "no longer built on",
  stale: "it stays, although it no longer fits"
}
