/**
 * The rule when a person has to approve the use of a tool: for which calls, by which roles, and how long an approval is
 * valid.
 *
 * One person with one of the roles is enough. A request that nobody decides has no end, and nobody else is asked.
 */

import type * as Expression from "@backstitch/expressions/Expression"
import * as Result from "effect/Result"
import * as Condition from "../state/Condition.ts"

/** The rule of one tool. Without `when`, every use needs an approval. */
export interface ApprovalRule {
  readonly tool: string
  readonly when?: Condition.Condition
  /** Roles, one of which has to approve. */
  readonly by: ReadonlyArray<string>
  /** The time for which an approval is valid. */
  readonly expiresMillis?: number
}

/** Tells whether a use needs the approval. A condition that cannot be evaluated requires it. */
export const isNeeded = (self: ApprovalRule, bindings: Expression.Bindings): boolean => {
  if (self.when === undefined) return true
  const answer = Condition.holds(self.when, bindings)
  return Result.isFailure(answer) || answer.success
}
