/**
 * An expression that a person types after the run, as a predicate over its states.
 *
 * In scope are `world`, `working`, `kernel`, both states of the step as `before` and `after`, and `state`, which has
 * the fields of both `working` and `world`.
 */
import * as Expression from "@backstitch/expressions/Expression"
import type * as Rules from "@backstitch/reducer/Rules"
import * as Result from "effect/Result"

/**
 * Compiles an expression.
 *
 * **Details**
 *
 * `names` gives the fields that the pack declares, so that an undeclared field is refused at once, with its place in
 * the expression. Names that it leaves out may have any value, and fail when they are evaluated.
 */
export const compile = (
  source: string,
  options: { readonly names?: Expression.Names } = {}
): Result.Result<Rules.Predicate, Expression.ExpressionInvalid> =>
  Result.map(
    Expression.compile(source, { names: { ...anything, ...options.names }, expects: "bool" }),
    (expression): Rules.Predicate => ({
      id: source,
      scope: undefined,
      window: "after",
      reads: expression.reads.flatMap(fieldsOf),
      each: undefined,
      monotone: "lift",
      holds: ({ after, before, state }) => Result.getOrThrow(Expression.test(expression, { ...state, before, after }))
    })
  )

const anything: Expression.Names = {
  after: "any",
  before: "any",
  kernel: "any",
  state: "any",
  working: "any",
  world: "any"
}

/** The fields for a path of an expression: `state.total` may be in either section. */
const fieldsOf = (path: string): ReadonlyArray<string> => {
  const [root, name] = path.split(".")
  if (root === "state" && name !== undefined) return [`working.${name}`, `world.${name}`]
  return (root === "world" || root === "working") && name !== undefined ? [`${root}.${name}`] : []
}
