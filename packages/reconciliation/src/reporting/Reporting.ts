/**
 * Reports an action to the user and to the planner: a total function of its reconciliation.
 *
 * Nothing else makes a success message. {@link Success} has no public constructor, and {@link isSuccess} recognises
 * only values that were made here (L8).
 *
 * `ReconciliationStatus` tells the status of an action, and its effect on planning.
 *
 * @source Action Verification, "Reporting Invariant"
 */

import type * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import type { Json } from "@backstitch/trace/Canonical"
import * as ReconciliationStatus from "./ReconciliationStatus.ts"

let succeed: (action: string) => Success
let recognise: (value: unknown) => value is Success

/** The message that an action succeeded. Only {@link report} makes it. */
export class Success {
  readonly _tag = "Success"
  readonly #made = true
  readonly action: string

  private constructor(action: string) {
    this.action = action
  }

  static {
    succeed = (action) => new Success(action)
    recognise = (value): value is Success =>
      typeof value === "object" && value !== null && #made in value && value.#made
  }
}

/** A message about anything but success. */
export interface Notice {
  readonly _tag: "Notice"
  readonly action: string
  readonly standing: Exclude<ReconciliationStatus.ReconciliationStatus, "success">
}

/** A report of an action: the statement for a user, and the evidence for the planner. */
export interface Report {
  readonly action: string
  readonly standing: ReconciliationStatus.ReconciliationStatus
  readonly user: Success | Notice
  readonly planner: PlannerLine
  /** The action that this one undoes, for a plan or for a planner. */
  readonly undoes?: string | undefined
}

/**
 * A line of the planner's context: verified state, unresolved discrepancies and pointers into the trace, without raw
 * output.
 */
export interface PlannerLine {
  readonly action: string
  readonly tool: string
  readonly may: ReadonlyArray<string>
  readonly state: Json
  readonly discrepancy: string | null
  readonly pointer: number
}

/** Tells whether a value is a success message made here. */
export const isSuccess = (value: unknown): value is Success => recognise(value)

/** Reports an action (L8). */
export const report = (self: ActionHistory.ActionHistory): Report => {
  const at = ReconciliationStatus.of(self)
  const adaptation = ReconciliationStatus.adapt(at, self)
  const undoes = self.undoes ?? self.reverses?.action
  return {
    action: self.id,
    standing: at,
    user: at === "success" ? succeed(self.id) : { _tag: "Notice", action: self.id, standing: at },
    planner: {
      action: self.id,
      tool: self.tool,
      may: ReconciliationStatus.adaptations[adaptation],
      state: at === "success" ? (self.verified?.outcome.output ?? null) : null,
      discrepancy: at === "success" ? null : (self.discrepancy ?? null),
      pointer: self.visited.at(-1)?.tick ?? self.proposed.tick
    },
    ...(undoes === undefined ? {} : { undoes })
  }
}

/** Reports a run, with its actions in the order of their requests. An action that a fork left to its parent is none. */
export const reportRun = (histories: ActionHistories.ActionHistories): ReadonlyArray<Report> =>
  [...histories.values()]
    .filter(({ class: sideEffect, left }) => sideEffect !== "read_only" && left === undefined)
    .map(report)

/**
 * The one status with which a whole run may be reported: the gravest of its actions.
 *
 * **Details**
 *
 * - Without mutations it is `not_attempted`.
 * - It is `partial` if the effect of one action stands, and another action failed, was given up or was absent.
 * - It is `reversed_in_part` if the effect of one action stands, and the effect of another was reversed.
 * - It is the status of the reversed actions if one action failed, and the effects of all others were reversed.
 *
 * Reversals are not counted: the status of the action that was reversed says how far its reversal was verified.
 */
export const overall = (reports: ReadonlyArray<Report>): ReconciliationStatus.ReconciliationStatus => {
  const reversed = new Set(
    reports.flatMap((each) => (ReconciliationStatus.isReversed(each.standing) ? [each.action] : []))
  )
  const telling = reports.filter(({ undoes }) => undoes === undefined || !reversed.has(undoes))
  const gravest = gravity.find((at) => telling.some((report) => report.standing === at)) ?? "not_attempted"
  if (gravest !== "abandoned" && !isWithoutEffect(gravest)) return gravest
  const stands = reports.some(({ standing, undoes }) => standing === "success" && undoes === undefined)
  if (stands) return ReconciliationStatus.isReversed(gravest) ? "reversed_in_part" : "partial"
  const became = gravity.find(
    (at) => ReconciliationStatus.isReversed(at) && reports.some(({ standing }) => standing === at)
  )
  return gravest === "failure" ? (became ?? gravest) : gravest
}

/**
 * Tells whether a status means that there is no effect. As the status of a run, it would hide the effect of another
 * action.
 */
const isWithoutEffect = (at: ReconciliationStatus.ReconciliationStatus): boolean =>
  ReconciliationStatus.isReversed(at) ||
  at === "failure" ||
  at === "rolled_back" ||
  at === "absent" ||
  at === "not_attempted"

/** The end of a run: whether it reached one, and whether it waits for a person. */
export interface RunEnding {
  /** The goal was declared reached, and nothing is held. */
  readonly isEnded: boolean
  readonly isWaiting: boolean
}

/**
 * Answers the status of a whole run, from its actions and from how it ended (L8).
 *
 * **Details**
 *
 * Without a goal that was declared reached, a run is at most partly done: a planner that failed, was refused or still
 * works has left the rest undone.
 */
export const ofRun = (
  reports: ReadonlyArray<Report>,
  { isEnded, isWaiting }: RunEnding
): ReconciliationStatus.ReconciliationStatus => {
  if (isWaiting) return "review_required"
  const at = overall(reports)
  return at === "success" && !isEnded ? "partial" : at
}

/**
 * The statuses by the order in which they decide that of a run: first those that need a person, last those that are
 * done.
 */
const gravity: ReadonlyArray<ReconciliationStatus.ReconciliationStatus> = [
  "review_required",
  "unknown",
  "attempted",
  "abandoned",
  "partial",
  "observed",
  "undoing",
  "pending",
  "verified",
  "unverified",
  "attested",
  "let_stand",
  "verified_in_part",
  "recorded",
  "reversed_in_part",
  "failure",
  "rolled_back",
  "compensation_attested",
  "compensated_in_part",
  "compensated",
  "absent",
  "not_attempted",
  "success"
]
