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
    erased: "it stays: a value that its undoing needs was erased. Undo it by hand",
    forbidden: "it stays: its subtask may not be undone by a machine. Undo it by hand",
    irreversible: "it stays: nothing undoes it",
    late: "it stays: it is too late to undo it",
    owner: "it stays: the run that was forked did it, and alone may undo it",
    pivot:
      "it stays: a pivot lies behind it. Undo it by hand, or permit it with `undo_behind_pivot` in a pack for new runs",
    relied: "it stays: another run relies on it. Decide what becomes of both runs",
    undoing: "it stays: its undoing was begun, and is not known to be complete. Find out what is left of it",
    unverifiable: "it stays: nobody could tell whether its undoing worked. Undo it by hand"
  },
  discarded: "no longer built on",
  stale: "it stays, although it no longer fits"
}
