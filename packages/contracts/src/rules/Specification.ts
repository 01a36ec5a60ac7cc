/**
 * The goal as named clauses, all of which have to hold.
 *
 * A clause is a condition over state and over values that the user gives, revises or withdraws (`clause.max_total`).
 * Tools name the clauses that they assume, so most conflicts of a revision are found by evaluation, without asking a
 * model.
 */

import type * as Expression from "@backstitch/expressions/Expression"
import type * as Field from "@backstitch/expressions/Field"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as Condition from "../state/Condition.ts"
import * as Quantise from "../state/Quantise.ts"

/** One named condition of the goal. */
export interface Clause {
  readonly name: string
  readonly holds: Condition.Condition
  /** The declared type of the clause's value, if there is one. */
  readonly value?: Field.Field
  /** The value if the user gives none. */
  readonly default?: Json
  readonly description?: string
}

/** All clauses by name. */
export interface Specification {
  readonly [name: string]: Clause
}

/** The verdict on one clause. */
export interface JudgedClause {
  readonly clause: string
  readonly holds: boolean | "unknown"
  readonly reason?: string
}

/** The values in force: the given ones, rounded as declared, and the defaults of the others. */
export const values = (self: Specification, given: JsonObject): JsonObject => {
  const found: Record<string, Json> = {}
  for (const clause of Object.values(self)) if (clause.default !== undefined) found[clause.name] = clause.default
  for (const [name, value] of Object.entries(given)) {
    const field = Object.hasOwn(self, name) ? self[name]?.value : undefined
    found[name] = field === undefined ? (value as Json) : Quantise.value(field, value as Json)
  }
  return found
}

/** Evaluates every clause. The verdict on a clause that cannot be evaluated is unknown, with the reason. */
export const evaluate = (self: Specification, bindings: Expression.Bindings): ReadonlyArray<JudgedClause> =>
  Object.values(self).map((clause) => {
    const answer = Condition.holds(clause.holds, bindings)
    return Result.isSuccess(answer)
      ? { clause: clause.name, holds: answer.success }
      : { clause: clause.name, holds: "unknown", reason: answer.failure.reason }
  })
