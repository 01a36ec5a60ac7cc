/** The words of a resume plan: the way in which a run continues after a crash. */
import type { Resumption } from "../../said/Words.ts"

/** The sentences of a resume plan. */
export const resumption: Resumption = {
  reasons: {
    answered: "its answer is on record, and is read back",
    asked: "the system of record is asked what became of its key",
    compensable: "it can be neither asked about nor sent again; once its outcome is known it can be undone",
    deferred: "nothing of it was sent: what is there is read again before",
    due: "it undoes another action: what is left of that one is asked before it is sent",
    frozen: "a person decides about it: nothing is asked or sent before",
    harmless: "it changes nothing, so it is called again",
    held: "it waits for a person",
    keyed: "its key is honoured: sent again, it is the same act",
    neither: "it can be neither asked about, nor sent again, nor undone: a person has to look",
    obliged: "it was refused, and its subtask has to be completed: it is sent again",
    planned: "it belongs to an undoing or a completion, which goes on",
    read: "its record is read: an effect that it shows as its own counts, and anything else is held",
    resend: "a person found that it did not happen: it is sent again",
    settled: "what is on record about it settles it",
    transaction: "what it left open ended with its process; whether it was committed is read",
    unstarted: "its effect has not started, so nothing is repeated",
    untimed: 'the system of record is asked about its key; "not found" would prove nothing, and is held'
  },
  settled: (tick) => `what was settled by tick ${tick} is on record and is not done again`
}
