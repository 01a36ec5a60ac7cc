/** When a person has to say yes before a tool is used. */

import type * as Expression from "@backstitch/expressions/Expression"
import * as Result from "effect/Result"
import * as Condition from "../state/Condition.ts"

/** The rule of one tool. Without `when`, every use is asked about. */
export interface Approval {
  readonly tool: string
  readonly when?: Condition.Condition
  /** Roles of which one has to approve. */
  readonly by: ReadonlyArray<string>
  /** Time for which an answer is good. */
  readonly expiresMillis?: number
}

/** Tells whether a use needs the approval. A condition without an answer asks: silence is not permission. */
export const isNeeded = (self: Approval, bindings: Expression.Bindings): boolean => {
  if (self.when === undefined) return true
  const answer = Condition.holds(self.when, bindings)
  return Result.isFailure(answer) || answer.success
}
