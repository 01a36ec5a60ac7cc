/**
 * The cost of a tool's call to the budgets: an estimate before the call, and the real amount after it.
 *
 * The estimate is reserved before the call begins, so that calls at the same time cannot exceed the budget together.
 * The answer gives the real amount.
 *
 * @source Crash Recovery, "Worked example"; docs/decisions/0038
 */

import * as Expression from "@backstitch/expressions/Expression"
import * as Result from "effect/Result"
import * as Amount from "./Amount.ts"

/**
 * The cost of a call. `money` names the budget from which `amount` is taken.
 *
 * **Details**
 *
 * `amount` and `tokens` are evaluated over the arguments and the state, before the call. `actual` may also read
 * `observed`, the answer; without it the call costs its reserved amount.
 */
export interface Cost {
  readonly money: string
  readonly amount?: Expression.Expression
  readonly actual?: Expression.Expression
  readonly tokens?: Expression.Expression
}

/** Evaluates the expected cost of a call; fails with the reason if it cannot be evaluated. */
export const expected = (self: Cost, bindings: Expression.Bindings): Result.Result<Amount.Amounts, string> => {
  const money = self.amount === undefined ? none : amountOf(self.amount, bindings, Amount.money)
  if (Result.isFailure(money)) return Result.fail(money.failure)
  const tokens = self.tokens === undefined ? none : amountOf(self.tokens, bindings, whole)
  if (Result.isFailure(tokens)) return Result.fail(tokens.failure)
  return Result.succeed({
    ...(money.success === undefined ? {} : { [self.money]: money.success }),
    ...(tokens.success === undefined ? {} : { tokens: tokens.success })
  })
}

/** The cost of a call by its answer, or the reserved amount if the answer does not give it. */
export const actual = (self: Cost, bindings: Expression.Bindings, reserved: Amount.Amounts): Amount.Amounts => {
  if (self.actual === undefined) return reserved
  const money = amountOf(self.actual, bindings, Amount.money)
  return Result.isFailure(money) || money.success === undefined
    ? reserved
    : { ...reserved, [self.money]: money.success }
}

const none = Result.succeed(undefined)

const whole = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? Number(value) : undefined)

const amountOf = <A extends Amount.Amount>(
  expression: Expression.Expression,
  bindings: Expression.Bindings,
  read: (value: unknown) => A | undefined
): Result.Result<A | undefined, string> => {
  const value = Expression.evaluate(expression, bindings)
  if (Result.isFailure(value)) return Result.fail(value.failure.message)
  const amount = read(value.success)
  if (amount === undefined || Amount.compare(amount, 0) < 0) {
    return Result.fail(`${expression.source} is ${JSON.stringify(value.success)}, which is no amount`)
  }
  return Result.succeed(amount)
}
