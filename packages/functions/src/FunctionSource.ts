/**
 * TypeScript in a pack: functions that are stored as source text and run from it.
 *
 * A pack's digest has to cover the behaviour of its reducers, and a stored trace has to fold in the same way on a
 * machine that never saw the original module. So a function is its source. Its free identifiers are collected, and
 * the text is compiled anew, without the scope in which it was written.
 *
 * **Gotchas**
 *
 * This catches accidents: a forgotten import, a clock, a cache outside the function. It is no sandbox: reducers are
 * reviewed code, like the rest of a pack.
 */
import * as Acorn from "acorn"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  counted,
  facades,
  guards,
  isExhaustion,
  isOverrun,
  isReachedOut,
  ready,
  seenScope
} from "./isolation/guards.ts"
import { instrument } from "./isolation/instrument.ts"
import { freeNames, unsafeSyntax } from "./isolation/syntax.ts"

/** Source text of one JavaScript function expression. */
export interface FunctionSource {
  readonly source: string
}

/** A function that {@link compile} made. */
export type Compiled = (...args: ReadonlyArray<unknown>) => unknown

/** Error for a function that may not run in a fold, with every reason. */
export class FunctionRefused extends Schema.TaggedError<FunctionRefused>("@backstitch/functions/FunctionRefused")(
  "FunctionRefused",
  { source: Schema.String, reasons: Schema.Array(Schema.String) }
) {
  override get message(): string {
    const head = this.source.length <= 60 ? this.source : `${this.source.slice(0, 60)}…`
    return `The function ${head} may not run in a fold: ${this.reasons.join("; ")}`
  }
}

/**
 * Names that a function may use without a declaration. None of them gives access to a clock, randomness, input or
 * output.
 */
const globals: ReadonlySet<string> = new Set([
  "Array",
  "Boolean",
  "Infinity",
  "JSON",
  "Map",
  "Math",
  "NaN",
  "Number",
  "Object",
  "Set",
  "String",
  "isFinite",
  "undefined"
])

/** The members of `Math` whose answers the ECMAScript standard fixes to the bit. */
const mathMembers: ReadonlySet<string> = new Set(["abs", "ceil", "floor", "max", "min", "round", "sign", "trunc"])

/** Takes the source of a function. Types were removed before it ran, so the text is JavaScript. */
export const of = (run: (...args: never) => unknown): FunctionSource => ({ source: methodAsFunction(String(run)) })

/**
 * Lists the identifiers that a function uses without declaring them, and that are not permitted globals.
 *
 * **Example** (Finding a forgotten constant)
 *
 * ```ts import.meta.vitest
 * import { FunctionSource } from "@backstitch/functions"
 *
 * FunctionSource.freeIdentifiers("(world) => world.spent > limit") // => ["limit"]
 * ```
 */
export const freeIdentifiers = (source: string): ReadonlyArray<string> => {
  const parsed = parse(source)
  return parsed === undefined ? [] : freeNames(parsed).filter((name) => !globals.has(name))
}

/** Lists every reason why a function may not run in a fold; empty if it may. */
export const reasons = (source: string): ReadonlyArray<string> => {
  const parsed = parse(source)
  if (parsed === undefined) return ["it is not the source of one function expression"]
  if (parsed.type !== "ArrowFunctionExpression" && parsed.type !== "FunctionExpression") {
    return ["it is not a function expression"]
  }
  const free = freeNames(parsed).filter((name) => !globals.has(name))
  return [
    ...free.map((name) => `it uses ${name}, which it does not declare: pass it in, or write it inside`),
    ...unsafeSyntax(parsed, mathMembers)
  ]
}

/**
 * Compiles a function from its source, in strict mode, with access to no scope but the global one.
 *
 * **Details**
 *
 * Some accidents depend on values and are guarded while the function runs: a computed key that leads out of the
 * function's own values, and a change of an object that other folds share. Both throw. Its loops and calls are
 * counted, so that it ends after the same step everywhere, and lists are sorted by one algorithm. Its arguments have
 * their keys in canonical order, as in a fold of the stored trace, and are frozen.
 */
export const compile = (source: string): Result.Result<Compiled, FunctionRefused> => {
  const found = reasons(source)
  if (found.length > 0) return Result.fail(new FunctionRefused({ source, reasons: found }))
  const { names, text } = instrument(source, parse(source)!, 1)
  const bound = [...Object.keys(facades), ...Object.values(names)]
  const build = new Function(...bound, `"use strict"; return (${text}\n)`)
  const given = Object.keys(names).map((name) => guards[name as keyof typeof guards])
  // Frozen, so that a function cannot keep anything on itself.
  const run = Object.freeze(build(...Object.values(facades), ...given) as Compiled)
  return Result.succeed((...args) => counted(() => run(...args.map(seenScope))))
}

/**
 * Prepares names in scope once for many calls of functions. Values that are added to a copy of it are taken as they
 * are, for example rows of a table, which are in order already.
 */
export const scope = <A extends object>(names: A): A => ({ ...(seenScope(names) as A), [ready]: true })

/** Tells whether a compiled function failed because it accessed values other than its own. */
export const hasReachedOut = (error: unknown): boolean => isReachedOut(error)

/** Tells whether a compiled function failed because it took too many steps, or had too many calls open. */
export const hasOverrun = (error: unknown): boolean => isOverrun(error)

/**
 * Tells whether a compiled function reached a limit of this engine. That says nothing about its arguments: a fold
 * stops there, because another engine could continue.
 */
export const isExhausted = (error: unknown): boolean => isExhaustion(error)

const parse = (source: string): Acorn.Expression | undefined => {
  try {
    const parsed = Acorn.parse(`(${source}\n)`, { ecmaVersion: 2024, sourceType: "module" })
    const statement = parsed.body[0]
    return parsed.body.length === 1 && statement?.type === "ExpressionStatement" ? statement.expression : undefined
  } catch {
    return undefined
  }
}

/** `check(state) { … }`, the text of a method, becomes a function expression with the word `function` before it. */
const methodAsFunction = (text: string): string =>
  parse(text) === undefined && parse(`function ${text}`) !== undefined ? `function ${text}` : text
