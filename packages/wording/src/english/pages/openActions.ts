/** The words about an open action: its situation, and the reason of an emergency start. */
import type { OpenActionWords } from "../../said/RunWords.ts"
import { choices } from "../terms/steps.ts"

const verdicts = { approved: "has accepted", denied: "did not accept" } as const

/** The sentences about an open action. Each situation completes a sentence that begins with its name. */
export const openActions: OpenActionWords = {
  glass: ({ by, decidedBy, needs, reason, review, verdict }) => {
    const after =
      verdict === null ? `${choices.names(needs)} reviews it (${review})` : `${decidedBy} ${verdicts[verdict]} it`
    return `${by} broke the glass: ${reason}. ${after}`
  },
  refusedMove: ({ by, from, needs, permitted, to }) => {
    if (needs !== null) return `An action cannot go from ${from} to ${to} by ${by}: that is for ${needs} to decide`
    const rest = permitted.length === 0 ? "it is terminal" : `it may go to ${permitted.join(", ")}`
    return `An action cannot go from ${from} to ${to}: ${rest}. Record the evidence and settle it from where it is`
  },
  stands: {
    accepted: () => "was accepted and is not known to be done",
    answered: () => "has answered, which nothing has confirmed",
    begun: () => "was begun, and nobody has heard whether it was sent",
    given_back: () => "was refused whenever it was sent, and remains to be done",
    glass_broken: ({ why }) => `waits: ${why}`,
    requested: () => "was asked for and not sent",
    resent: () => "did not happen, as a person found, and is sent again",
    reversal_due: ({ undoes }) => `is sent again once ${undoes} can be read`,
    sent: () => "was sent, and nobody knows what came of it",
    unmet: () => "was read back, and does not meet its contract",
    unread: () => "was not sent: what is there could not be read",
    unsettled: () => "was read back and is not settled",
    values_gone: ({ stands }) => `${stands}; a value that it needs was erased, so it is neither sent nor asked about`,
    withheld: ({ again, undoes }) => `was not sent${again ? " again" : ""}: ${undoes} is not as it was`
  }
}
