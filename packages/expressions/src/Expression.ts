/**
 * Conditions and values that a pack decides in advance, in a profile of CEL.
 *
 * An expression reads only its given names: it has no clock, no random source, no input or output, no regular
 * expressions, and a limit on its steps. So it always ends, and the same values give the same answer on every
 * platform. The grammar is CEL's, read by cel-js. Names and types are checked against the pack's declarations before
 * anything runs.
 *
 * **Details**
 *
 * There is one number type, as in JSON: `state.a + 1` works whether `a` is whole or not, and `7 / 2` is 3.5, as
 * `state.a / state.b` is. A whole number beyond 2^53 would not be exact, and is a failure. Fields declared as
 * decimals are calculated exactly. Tables and lists are read in place. The words `and`, `or` and `not` are accepted
 * and rewritten, and `rewritten` tells so.
 *
 * @source Common Expression Language, without what is not deterministic
 */

import type { Json } from "@backstitch/trace/Canonical"
import { Environment, ParseError } from "@marcbachmann/cel-js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Checker from "./cel/checker.ts"
import { Compiler } from "./cel/compiler.ts"
import type { Evaluate } from "./cel/evaluation.ts"
import { Frame, isRaised, toJson } from "./cel/operators.ts"
import { foreignIn, rewrite } from "./cel/wordOperators.ts"
import * as Limits from "./Limits.ts"
import type * as Field from "./values/Field.ts"

/** The parser and the profile that give expressions their meaning. Runs pin it. */
export const engine = "cel-js@8.0.0/profile.1"

/** Every engine that a run may pin. Its meaning never changes: a new meaning is a new version of the profile. */
export const engines: ReadonlyArray<string> = [engine]

/** The declared type of a name in scope, or `any`. */
export type ScopeType = Field.Field | "any"

/** The names in scope of an expression. */
export interface Names {
  readonly [name: string]: ScopeType
}

/** Values of the names in one evaluation: JSON, or sections with tables and lists in them. */
export interface Bindings {
  readonly [name: string]: unknown
}

/** A mistake or a warning in an expression, with its place in the source. */
export type Remark = Checker.Remark

/**
 * A checked expression, ready to be evaluated.
 *
 * **Details**
 *
 * `reads` lists every field that an evaluation may read, such as `world.bookings`, or a whole name if the field is
 * not known in advance.
 */
export interface Expression {
  readonly source: string
  readonly reads: ReadonlyArray<string>
  readonly type: Field.Field | undefined
  readonly rewritten: boolean
  readonly warnings: ReadonlyArray<Remark>
  /** The sealed value that it answers, if it copies one. */
  readonly sealed?: string
  /** The compiled form, for {@link evaluate}. */
  readonly run: Evaluate
  /** Variables of comprehensions, for {@link evaluate}. */
  readonly slots: number
}

const RemarkSchema = Schema.Struct({
  start: Schema.Number,
  end: Schema.Number,
  found: Schema.String,
  expected: Schema.String,
  hint: Schema.optionalKey(Schema.String)
})

/** Error for text that is no expression of the profile, with every mistake in it. */
export class ExpressionInvalid extends Schema.TaggedError<ExpressionInvalid>(
  "@backstitch/expressions/ExpressionInvalid"
)("ExpressionInvalid", { source: Schema.String, remarks: Schema.Array(RemarkSchema) }) {
  override get message(): string {
    const lines = this.remarks.map(
      ({ expected, found, hint, start }) =>
        `  at ${start + 1}: found ${found}, expected ${expected}${hint === undefined ? "" : ` (${hint})`}`
    )
    return `The expression ${this.source} is invalid\n${lines.join("\n")}`
  }
}

/** Error for an expression that could not be evaluated with its given names. */
export class ExpressionFailed extends Schema.TaggedError<ExpressionFailed>("@backstitch/expressions/ExpressionFailed")(
  "ExpressionFailed",
  { source: Schema.String, position: Schema.Number, reason: Schema.String }
) {
  override get message(): string {
    const part = this.source.slice(this.position, this.position + 40)
    return `The expression ${this.source} has no value: ${this.reason}, at "${part}". Check what it was given`
  }
}

let environment: Environment | undefined

/** The parser of cel-js, made for the first expression: its making takes as long as the import of a small package. */
const parser = (): Environment => {
  environment ??= new Environment({
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: Limits.deciding.expressionNodesMax, maxDepth: Limits.deciding.expressionLevelsMax }
  })
  return environment
}

/**
 * Reads and checks an expression against the names in scope.
 *
 * **Details**
 *
 * `expects` is the required type of the whole. `plain` allows reading into sensitive values, which only code at the
 * edges may do. With `copies` the whole may be a sensitive value, since its answer is copied without being read.
 * `engine` is that of the run, if it is an older one; throws for an unknown one.
 *
 * **Example** (Reading a field that the pack declares)
 *
 * ```ts import.meta.vitest
 * import { Expression, Field } from "@backstitch/expressions"
 * import { Result } from "effect"
 *
 * const world = Field.object({ spent: { type: "decimal", precision: 2 } })
 * const names = { world, args: "any" } as const
 * const over = Result.getOrThrow(Expression.compile("world.spent + args.price > 600", { names }))
 *
 * over.reads // => ["args.price", "world.spent"]
 * Result.getOrThrow(Expression.evaluate(over, { world: { spent: "590.00" }, args: { price: 40.5 } })) // => true
 * ```
 */
export const compile = (
  source: string,
  options: {
    readonly names: Names
    readonly expects?: "bool" | "string"
    readonly plain?: boolean
    readonly copies?: boolean
    readonly engine?: string
  }
): Result.Result<Expression, ExpressionInvalid> => {
  const words = rewrite(source)
  const place = (remark: Remark): Remark => ({
    ...remark,
    start: words.origin(remark.start),
    end: Math.max(words.origin(remark.start) + 1, words.origin(remark.end - 1) + 1)
  })
  const parsed = parse(words.text)
  if (Result.isFailure(parsed)) {
    return Result.fail(new ExpressionInvalid({ source, remarks: [place(parsed.failure)] }))
  }
  const { engine: asked = engine } = options
  if (!engines.includes(asked)) throw new RangeError(`There is no expression engine ${asked}: ${engines.join(", ")}`)
  const compiler = new Compiler(options.names, options.plain === true)
  const part = options.copies === true ? compiler.compile(parsed.success) : compiler.operand(parsed.success)
  if (options.expects !== undefined) compiler.expect(parsed.success, part, options.expects)
  if (compiler.errors.length > 0) {
    return Result.fail(new ExpressionInvalid({ source, remarks: distinct(compiler.errors).map(place) }))
  }
  return Result.succeed({
    source,
    reads: [...compiler.reads].sort(),
    type: part.type,
    rewritten: words.rewritten,
    warnings: distinct(compiler.warnings).map(place),
    ...(part.sealed === undefined ? {} : { sealed: part.sealed }),
    run: part.run,
    slots: compiler.slots
  })
}

/** An expression that always has the same value. */
export const constant = (value: Json): Expression => ({
  source: JSON.stringify(value),
  reads: [],
  type: undefined,
  rewritten: false,
  warnings: [],
  run: () => value,
  slots: 0
})

/** Evaluates an expression to JSON. */
export const evaluate = (self: Expression, bindings: Bindings): Result.Result<Json, ExpressionFailed> => {
  try {
    return Result.succeed(toJson(self.run(new Frame(bindings, self.slots, Limits.deciding.evaluationStepsMax)), 0))
  } catch (error) {
    return Result.fail(failed(self, error))
  }
}

/**
 * Evaluates an expression to JSON; throws {@link ExpressionFailed}.
 *
 * **When to use** in a fold, where a success should allocate nothing.
 */
export const evaluateUnsafe = (self: Expression, bindings: Bindings): Json => {
  try {
    return toJson(self.run(new Frame(bindings, self.slots, Limits.deciding.evaluationStepsMax)), 0)
  } catch (error) {
    throw failed(self, error)
  }
}

/** Evaluates a condition. A result that is neither true nor false is a failure. */
export const test = (self: Expression, bindings: Bindings): Result.Result<boolean, ExpressionFailed> => {
  const value = evaluate(self, bindings)
  if (Result.isFailure(value)) return Result.fail(value.failure)
  if (typeof value.success === "boolean") return Result.succeed(value.success)
  const reason = `a condition has to be true or false, and is ${JSON.stringify(value.success)}`
  return Result.fail(new ExpressionFailed({ source: self.source, position: 0, reason }))
}

const failed = (self: Expression, error: unknown): ExpressionFailed => {
  if (!isRaised(error)) throw error
  // Positions refer to the text that was parsed; its words are as long as those of the source that they replace.
  const position = self.rewritten ? rewrite(self.source).origin(error.start) : error.start
  return new ExpressionFailed({ source: self.source, position, reason: error.reason })
}

const parse = (text: string) => {
  try {
    return Result.succeed(parser().parse(text).ast)
  } catch (error) {
    // The parser counts nodes when it has made them, and recurses for each sign before that.
    if (error instanceof RangeError) {
      const expected = `at most ${Limits.deciding.expressionNodesMax} parts`
      return Result.fail<Remark>({ start: 0, end: text.length, found: "an expression that nests too deeply", expected })
    }
    if (!(error instanceof ParseError)) throw error
    const { start = 0, end = text.length } = error.range ?? {}
    const expected = "an expression of CEL"
    const known = foreignIn(text)
    const remark: Remark = known === undefined ? { start, end, found: error.summary, expected } : { ...known, expected }
    return Result.fail(remark)
  }
}

const distinct = (remarks: ReadonlyArray<Remark>): ReadonlyArray<Remark> => {
  const seen = new Map<string, Remark>()
  for (const remark of remarks) seen.set(`${remark.start} ${remark.found}`, remark)
  return [...seen.values()].sort((left, right) => left.start - right.start)
}
