/**
 * Errors that this package throws, each with the steps that may be taken next.
 *
 * **Details**
 *
 * `instanceof` recognises an error by its brand and not by its class, so it also holds for an error of another copy
 * of this package.
 */
import * as Branded from "@backstitch/trace/Branded"
import * as ShownText from "@backstitch/wording/ShownText"
import type { Json } from "../values/Json.ts"
import type { NextStep } from "../values/NextStep.ts"
import type * as Outcome from "../values/Outcome.ts"

/** The facts of an error. */
export interface Facts {
  readonly code: string
  readonly message: string
  readonly run?: string | undefined
  readonly action?: string | undefined
  readonly next?: ReadonlyArray<NextStep> | undefined
  readonly cause?: unknown
}

/**
 * An error of this package.
 *
 * **Details**
 *
 * `code` names it for programs. `run` and `action` say what it is about, and `next` lists the steps that may be taken.
 * The message is for people: a terminal obeys nothing of the names and texts in it, which are escaped.
 */
export class BackstitchError extends Error {
  readonly code: string
  readonly run: string | undefined
  readonly action: string | undefined
  readonly next: ReadonlyArray<NextStep>

  constructor(facts: Facts) {
    super(ShownText.shown(facts.message, "\n"), facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.run = facts.run
    this.action = facts.action
    this.next = facts.next ?? []
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isBackstitchError(value)
  }
}

/** Error for a call whose outcome nobody knows yet. It was begun, and nothing is sent again before it is settled. */
export class OutcomeUnknown extends BackstitchError {
  declare readonly run: string
  readonly outcome: Outcome.Held

  constructor(outcome: Outcome.Held, tool: string) {
    const said = outcome.said === undefined ? "" : ` (it said: ${outcome.said})`
    super(factsOf("outcome_unknown", `Nobody knows whether ${tool} was done${said}`, outcome))
    this.outcome = outcome
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isOutcomeUnknown(value)
  }
}

/** Error for a call that waits for a person. Nothing of it was sent. */
export class ApprovalRequired extends BackstitchError {
  declare readonly run: string
  readonly outcome: Outcome.Parked
  readonly review: string
  readonly needs: ReadonlyArray<string>

  constructor(outcome: Outcome.Parked, tool: string) {
    super(factsOf("approval_required", `${tool} waits for a person, and nothing was sent`, outcome))
    this.outcome = outcome
    this.review = outcome.review
    this.needs = outcome.needs
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isApprovalRequired(value)
  }
}

/** Error for a call that its contract does not permit. Nothing of it was sent. */
export class CallRefused extends BackstitchError {
  declare readonly run: string
  readonly outcome: Outcome.Refused

  constructor(outcome: Outcome.Refused, tool: string) {
    super(factsOf("call_refused", `${tool} was refused, and nothing was sent`, outcome))
    this.outcome = outcome
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isCallRefused(value)
  }
}

/**
 * Error for a call that ended without success. `detail` is what the tool said, and `outcome.effect` says whether it may
 * have happened nevertheless.
 */
export class CallFailed extends BackstitchError {
  declare readonly run: string
  readonly outcome: Outcome.Failed
  readonly detail: Json

  constructor(outcome: Outcome.Failed, tool: string) {
    super(factsOf("call_failed", `${tool} ${failures[outcome.effect]}`, outcome))
    this.outcome = outcome
    this.detail = outcome.error
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isCallFailed(value)
  }
}

/** Tells whether a value is an error of this package, of whichever copy. */
export const isBackstitchError: (value: unknown) => value is BackstitchError = Branded.guard(
  BackstitchError,
  "sdk/BackstitchError@1"
)
const isOutcomeUnknown = Branded.guard(OutcomeUnknown, "sdk/OutcomeUnknown@1")
const isApprovalRequired = Branded.guard(ApprovalRequired, "sdk/ApprovalRequired@1")
const isCallRefused = Branded.guard(CallRefused, "sdk/CallRefused@1")
const isCallFailed = Branded.guard(CallFailed, "sdk/CallFailed@1")

/** An outcome that is no success, as an error. */
export const ofOutcome = (outcome: Exclude<Outcome.Outcome, Outcome.Done>, tool: string): BackstitchError => {
  switch (outcome.status) {
    case "held":
      return new OutcomeUnknown(outcome, tool)
    case "parked":
      return new ApprovalRequired(outcome, tool)
    case "refused":
      return new CallRefused(outcome, tool)
    case "failed":
      return new CallFailed(outcome, tool)
  }
}

const failures = {
  none: "was not done",
  undone: "was done, and is undone since",
  unknown: "may have been done, or not"
} as const

const factsOf = (code: string, headline: string, outcome: Exclude<Outcome.Outcome, Outcome.Done>): Facts => {
  const why = outcome.why === "" ? "" : `: ${outcome.why}`
  const next = outcome.next.map(({ call, say }) => `  next: ${call === undefined ? say : `${call} (${say})`}`)
  return {
    code,
    // Each line is escaped alone, so that no text of a tool or a name looks like one of them.
    message: [`${headline}${why}`, ...next].map((line) => ShownText.shown(line)).join("\n"),
    run: outcome.run,
    action: outcome.action,
    next: outcome.next
  }
}
