/**
 * The values that a user gives to the clauses of a specification, held against the contract before a run begins.
 *
 * A clause may declare the type of its value. Where it does not, its default
 * shows the type; without one, the value has to fit wherever the contract
 * uses the clause: the contract is read again with the type that was given.
 *
 * @since 0.1.0
 */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as Field from "./Field.ts"
import * as Quantise from "./Quantise.ts"
import type * as Specification from "./Specification.ts"
import * as Spelling from "./Spelling.ts"
import * as TaskPack from "./TaskPack.ts"

/**
 * One value that the contract does not take, with what it takes instead.
 *
 * @category models
 * @since 0.1.0
 */
export interface Unfit extends Field.Mismatch {
  readonly clause: string
  readonly hint?: string
}

/**
 * Lists the values that a contract does not take; empty when all fit.
 *
 * **Example** (Finding a slip)
 *
 * ```ts import.meta.vitest
 * import { ClauseValues, TaskPack } from "@backstitch/contracts"
 * import { Result } from "effect"
 *
 * const pack = Result.getOrThrow(
 *   TaskPack.make({
 *     pack: "acme.trips",
 *     version: "1.0.0",
 *     state: { world: { spent: "int" } },
 *     specification: { max_total: { holds: "world.spent <= clause.max_total", value: "int", default: 600 } }
 *   })
 * )
 * ClauseValues.check(pack, { max_totl: 100 }).map(({ hint }) => hint) // => ["Did you mean max_total?"]
 * ```
 *
 * @category comparisons
 * @since 0.1.0
 */
export const check = (pack: TaskPack.TaskPack, given: JsonObject): ReadonlyArray<Unfit> => {
  return Object.entries(given).flatMap(([name, value]) => {
    const clause = Object.hasOwn(pack.specification, name) ? pack.specification[name] : undefined
    if (clause === undefined) return [unknown(pack.specification, name, value)]
    const field = clause.value ?? kindOf(clause.default)
    return field === undefined ? unusable(pack, name, value) : mismatches(field, name, value)
  })
}

/**
 * Keeps the values that a contract takes, of those that a run had under another one.
 *
 * @category conversions
 * @since 0.1.0
 */
export const fitting = (pack: TaskPack.TaskPack, given: JsonObject): JsonObject => {
  const unfit = new Set(check(pack, given).map(({ clause }) => clause))
  return Object.fromEntries(Object.entries(given).filter(([name]) => !unfit.has(name)))
}

const unknown = (specification: Specification.Specification, name: string, value: unknown): Unfit => {
  const known = Object.keys(specification)
  const near = Spelling.nearest(name, known)
  const expected = known.length === 0 ? "no clause: the contract has none" : `one of the clauses ${known.join(", ")}`
  return {
    clause: name,
    path: name,
    found: `${Field.nameOf(value)} for a clause that the contract does not have`,
    expected,
    ...(near === undefined ? {} : { hint: `Did you mean ${near}?` })
  }
}

const mismatches = (field: Field.Field, clause: string, value: unknown): ReadonlyArray<Unfit> =>
  Field.check(field, Quantise.value(field, value as Json), { closed: true }).map((issue) => ({
    ...issue,
    clause,
    path: issue.path === "" || issue.path.startsWith("[") ? `${clause}${issue.path}` : `${clause}.${issue.path}`
  }))

/** A value without a declared type is held against the expressions that use it. */
const unusable = (pack: TaskPack.TaskPack, clause: string, value: unknown): ReadonlyArray<Unfit> => {
  const field = kindOf(value)
  if (field === undefined) return []
  const issue = issueWith(pack, clause, Number.isInteger(value) ? "int" : field.type)
  if (issue === undefined) return []
  const found = `${Field.nameOf(value)}, which makes of ${issue.path} ${issue.found}`
  return [{ clause, path: clause, found, expected: issue.expected }]
}

const issueWith = (pack: TaskPack.TaskPack, name: string, value: string) => {
  const specification = pack.definition["specification"] as { readonly [name: string]: Json }
  const written = specification[name]
  const isFull = typeof written === "object" && written !== null && !("function" in written)
  const typed = { ...(isFull ? (written as JsonObject) : { holds: written as Json }), value }
  const read = TaskPack.fromJson({ ...pack.definition, specification: { ...specification, [name]: typed } })
  return Result.isFailure(read) ? read.failure.issues[0] : undefined
}

/** Kinds alone are compared: a whole number fits where the default has digits. */
const kindOf = (value: unknown): Field.Field | undefined => {
  switch (typeof value) {
    case "string":
      return { type: "string" }
    case "number":
      return { type: "float" }
    case "boolean":
      return { type: "bool" }
    default:
      return undefined
  }
}
