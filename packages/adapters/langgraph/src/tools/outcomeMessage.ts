/** Outcomes of calls as the content of messages that a model reads. */
import type { BackstitchError, NextStep, Outcome } from "@backstitch/sdk"
import type { ApprovalRequest } from "./GraphApproval.ts"

/** A verdict that does not count for the call that waits. */
export interface Unfit {
  readonly status: "unfit"
  readonly request: ApprovalRequest
  readonly why: string
  readonly next: ReadonlyArray<NextStep>
}

/** The end of a call, or the reason why it did not begin. */
export type Became = Outcome | Unfit

/** The content of a message about a call; `artifact` has the whole of what became of it, for programs. */
export interface Content {
  readonly content: string
  readonly status: "error" | "success"
  readonly artifact: unknown
}

/** Tells what became of a call: the output of one that is done, and else what a model may do about it. */
export const ofOutcome = (became: Became): Content => {
  const { next, status, why } = became
  if (status === "done") {
    const content = typeof became.output === "string" ? became.output : JSON.stringify(became.output)
    return { content, status: "success", artifact: became }
  }
  const error = status === "failed" ? { error: became.error, effect: became.effect } : {}
  const steps = next.map(({ say }) => say)
  const facts = { status: status === "unfit" ? "refused" : status, sent: sent[status], why, ...error, steps }
  return told(facts, status === "failed" ? failures[became.effect] : advice[status], became)
}

/** Tells that a call could not be recorded. */
export const ofError = ({ code, message }: BackstitchError): Content =>
  told({ status: "failed", code, why: message }, advice.error, { code, message })

const sent = { failed: "yes", held: "perhaps", parked: "no", refused: "no", unfit: "no" } as const

const advice = {
  error: "Do not claim that this was done. Tell the user that it could not be recorded.",
  held:
    "Nobody knows yet whether this was done. Do not claim that it was done or failed, and do not call it with other " +
    "arguments. The same call again asks what happened, and sends nothing twice.",
  parked: "It waits for a person. Do not claim that it was done.",
  refused: "It was not permitted. Do not claim that it was done.",
  unfit: "It was not approved. Do not claim that it was done. Called again, it asks a person again."
} as const

const failures = {
  none: "It has no effect. Do not claim that it was done.",
  undone: "It was done, and is undone since. Do not claim that it stands.",
  unknown:
    "A person gave this up, and it may have happened, or stand in part. Do not claim that it was done or failed, and do " +
    "not do the same in another way."
} as const

const told = (facts: Readonly<Record<string, unknown>>, note: string, artifact: unknown): Content => ({
  content: JSON.stringify({ ...facts, note }),
  status: "error",
  artifact
})
