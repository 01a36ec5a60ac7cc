/**
 * The values that a user gives for the clauses of a specification, checked against the pack before a run begins.
 *
 * A clause declares the type of its value, or its default shows the type. A clause with neither accepts no value,
 * because nothing says which values are valid.
 */

import * as Field from "@backstitch/expressions/Field"
import * as NearestName from "@backstitch/expressions/NearestName"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Contents } from "../grammar/pack/packGrammar.ts"
import type * as Specification from "../rules/Specification.ts"
import * as Quantise from "../state/Quantise.ts"

/** The part of a pack that says which values are valid. */
type Specified = Pick<Contents, "specification">

/** A value that the pack does not accept, with the accepted form. */
export interface UnfitValue extends Pick<Field.Mismatch, "expected" | "found" | "path"> {
  readonly clause: string
  readonly hint?: string
}

/**
 * Lists the values that a pack does not accept; empty if all fit.
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
 */
export const check = ({ specification }: Specified, given: JsonObject): ReadonlyArray<UnfitValue> =>
  Object.entries(given).flatMap(([name, value]) => {
    const clause = Object.hasOwn(specification, name) ? specification[name] : undefined
    if (clause === undefined) return [unknown(specification, name, value)]
    const field = clause.value ?? kindOf(clause.default)
    return field === undefined ? [untyped(name, value)] : mismatches(field, name, value)
  })

/** Keeps the values that a pack accepts, among those that a run had under another pack. */
export const fitting = (pack: Specified, given: JsonObject): JsonObject => {
  const unfit = new Set(check(pack, given).map(({ clause }) => clause))
  return Object.fromEntries(Object.entries(given).filter(([name]) => !unfit.has(name)))
}

const unknown = (specification: Specification.Specification, name: string, value: unknown): UnfitValue => {
  const known = Object.keys(specification)
  const near = NearestName.nearest(name, known)
  const expected = known.length === 0 ? "no clause: the pack has none" : `one of the clauses ${known.join(", ")}`
  return {
    clause: name,
    path: name,
    found: `${Field.nameOf(value)} for a clause that the pack does not have`,
    expected,
    ...(near === undefined ? {} : { hint: `Did you mean ${near}?` })
  }
}

const mismatches = (field: Field.Field, clause: string, value: unknown): ReadonlyArray<UnfitValue> =>
  Field.check(field, Quantise.value(field, value as Json), { closed: true }).map((issue) => ({
    ...issue,
    clause,
    path: issue.path === "" || issue.path.startsWith("[") ? `${clause}${issue.path}` : `${clause}.${issue.path}`
  }))

const untyped = (clause: string, value: unknown): UnfitValue => ({
  clause,
  path: clause,
  found: `${Field.nameOf(value)} for a clause without a type`,
  expected: "no value",
  hint: "The pack has to say with value: what it may be"
})

/**
 * The type that a value shows, if it is a word, a number or a truth value. Only kinds are compared: a whole number
 * fits a default with decimal digits.
 */
export const kindOf = (value: unknown): Field.Field | undefined => {
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
