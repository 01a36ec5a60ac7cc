/** Decisions of people about calls that wait, and about actions that are held. */

/** The decision of a person. */
export interface DecidedBy {
  readonly by: string
  /** The role in which they decide, one of those that the call needs. */
  readonly role?: string | undefined
  readonly reason?: string | undefined
  /**
   * The digest of the question that the person saw, which is `digest` of a `PendingApproval` and `question` of an
   * adapter's `ApprovalRequest`: if another question waits by then, nothing is decided.
   */
  readonly digest?: string | undefined
}

/** The settlement of a held action by a person. */
export interface Settlement {
  /** The verdict. With `resent` it did not happen, and is sent again. */
  readonly as: "success" | "failure" | "abandoned" | "reopened" | "resent" | "noted"
  readonly by: string
  /** The evidence for it, in words. */
  readonly evidence: string
  /** The record of the system, if nobody has read the effect of a success. */
  readonly record?: unknown
}
