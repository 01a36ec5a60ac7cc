/**
 * A condition of a pack: an expression, or a function in the form of its source.
 *
 * Guards, violations and clauses of a specification are conditions over the names in scope, in one of the two
 * languages of a pack.
 */

import * as Expression from "@backstitch/expressions/Expression"
import * as FunctionSource from "@backstitch/functions/FunctionSource"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** An expression or a function over the names in scope. */
export type Condition =
  | { readonly _tag: "Expression"; readonly expression: Expression.Expression }
  | {
      readonly _tag: "Function"
      readonly function: FunctionSource.FunctionSource
      readonly run: FunctionSource.Compiled
    }

/** Error for a condition that could not be evaluated. */
export class ConditionFailed extends Schema.TaggedError<ConditionFailed>("@backstitch/contracts/ConditionFailed")(
  "ConditionFailed",
  { source: Schema.String, reason: Schema.String }
) {
  override get message(): string {
    return `The condition ${this.source} has no answer: ${this.reason}`
  }
}

/** The text of a condition. */
export const source = (self: Condition): string =>
  self._tag === "Expression" ? self.expression.source : self.function.source

/** The fields that a condition may read; `any` if they are unknown. */
export const reads = (self: Condition): ReadonlyArray<string> | "any" =>
  self._tag === "Expression" ? self.expression.reads : "any"

/** Tells whether the condition holds. */
export const holds = (self: Condition, bindings: Expression.Bindings): Result.Result<boolean, ConditionFailed> => {
  if (self._tag === "Expression") {
    const answer = Expression.test(self.expression, bindings)
    return Result.isSuccess(answer)
      ? Result.succeed(answer.success)
      : Result.fail(new ConditionFailed({ source: self.expression.source, reason: answer.failure.reason }))
  }
  const fail = (reason: string) => Result.fail(new ConditionFailed({ source: self.function.source, reason }))
  try {
    const answer = self.run(bindings)
    return typeof answer === "boolean" ? Result.succeed(answer) : fail(`it answered ${JSON.stringify(answer)}`)
  } catch (error) {
    if (FunctionSource.isExhausted(error)) throw error
    return fail(error instanceof Error ? error.message : String(error))
  }
}
