/**
 * Guards refuse an intent before anything happens.
 *
 * A guard is evaluated after the contract and before the budget. It sees the arguments and the state. If it holds, or
 * cannot be evaluated, the intent is refused.
 *
 * @see ViolationPredicate for conditions that report a committed violation
 */

import type * as Expression from "@backstitch/expressions/Expression"
import * as Result from "effect/Result"
import * as Condition from "../state/Condition.ts"

/** A condition under which intents for some tools or transition types are refused. */
export interface Guard {
  readonly id: string
  readonly name: string
  /** Tools and transition types that the guard checks. */
  readonly on: ReadonlyArray<string>
  readonly refuseIf: Condition.Condition
}

/** The refusal of a guard, with its reason. */
export interface GuardRefusal {
  readonly guard: string
  readonly condition: string
  /** The reason why the guard could not be evaluated, if that is why it refused. */
  readonly failure?: string
}

/** Evaluates the guards of a tool or transition type, and answers every refusal. */
export const refusals = (
  guards: ReadonlyArray<Guard>,
  subject: string,
  bindings: Expression.Bindings
): ReadonlyArray<GuardRefusal> => {
  const found: Array<GuardRefusal> = []
  for (const guard of guards) {
    if (!guard.on.includes(subject)) continue
    const answer = Condition.holds(guard.refuseIf, bindings)
    const refusal = { guard: guard.id, condition: Condition.source(guard.refuseIf) }
    if (Result.isFailure(answer)) found.push({ ...refusal, failure: answer.failure.reason })
    else if (answer.success) found.push(refusal)
  }
  return found
}
