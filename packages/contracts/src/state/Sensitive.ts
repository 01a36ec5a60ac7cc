/**
 * The sensitive values of a record: their places, their subjects, and the facts about them that are committed in
 * clear.
 *
 * Only code at the edges calls this, on values that are not sealed yet. The kernel and the fold see their
 * replacements: {@link neededBy} lists these.
 */

import * as Expression from "@backstitch/expressions/Expression"
import * as Field from "@backstitch/expressions/Field"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as Result from "effect/Result"
import * as Quantise from "./Quantise.ts"

/** A sensitive value and its place. `name` is its field, if it is a field of the outermost record. */
export interface SensitiveValue {
  readonly field: Field.Field
  readonly declared: Field.Sensitive
  readonly value: Json
  readonly name: string | undefined
  readonly bindings: Expression.Bindings
}

/** Tells whether a field, or one within it, is sensitive. */
export const isIn = (field: Field.Field): boolean =>
  field.sensitive !== undefined || (field.type === "object" ? isAmong(field.fields) : inner(field).some(isIn))

/** The answers are cached for the fields that a contract declares, whatever object groups them. */
const isAmong = (fields: Field.Fields): boolean => {
  const known = memory.get(fields)
  if (known !== undefined) return known
  const answer = Object.values(fields).some(isIn)
  memory.set(fields, answer)
  return answer
}

const memory = new WeakMap<Field.Fields, boolean>()

/**
 * Tells whether a field, or one within it, accepts any value and is not sensitive, so that personal data in it would
 * be unknown.
 */
export const hasAny = (field: Field.Field): boolean =>
  field.sensitive === undefined && (field.type === "json" || inner(field).some(hasAny))

/** Lists the declarations of the sensitive fields within a field, itself included. */
export const declaredIn = (field: Field.Field): ReadonlyArray<Field.Sensitive> =>
  field.sensitive === undefined ? inner(field).flatMap(declaredIn) : [field.sensitive]

/** The part of a pack that declares the fields through which values enter a run. */
export interface Entries {
  readonly fields: { readonly world: Field.Fields; readonly working: Field.Fields }
  readonly tools: Readonly<Record<string, { readonly input: Field.Fields; readonly output?: Field.Field }>>
  readonly transitions: Readonly<Record<string, { readonly data?: Field.Fields }>>
}

/**
 * Lists the fields through which values enter a run under a pack: inputs and outputs of tools, data, and the
 * state.
 */
export const entriesOf = ({ fields, tools, transitions }: Entries): ReadonlyArray<Field.Field> => [
  ...Object.values(tools).flatMap(({ input, output }) => [...Object.values(input), ...(output ? [output] : [])]),
  ...Object.values(transitions).flatMap(({ data = {} }) => Object.values(data)),
  ...Object.values(fields.world),
  ...Object.values(fields.working)
]

/** The sensitive arguments of all tools, by name. A call with a misspelt tool may contain any of them. */
export const argumentsOf = ({ tools }: Pick<Entries, "tools">): Field.Fields =>
  Object.fromEntries(
    Object.values(tools).flatMap(({ input }) => Object.entries(input).filter(([, field]) => isIn(field)))
  )

const inner = (field: Field.Field): ReadonlyArray<Field.Field> => {
  switch (field.type) {
    case "object":
      return Object.values(field.fields)
    case "table":
      return [field.row]
    case "list":
      return [field.item]
    default:
      return []
  }
}

/**
 * Lists the sensitive values of a record, in the order in which {@link replace} takes their replacements.
 *
 * **Details**
 *
 * `bindings` are the names in scope of subjects and facts; a row of a table adds `row` and `key`. A value is rounded
 * as its field declares. Null is not sensitive.
 */
export const find = (field: Field.Field, json: Json, bindings: Expression.Bindings): ReadonlyArray<SensitiveValue> => {
  const found: Array<SensitiveValue> = []
  walk(field, json, { bindings, name: undefined, depth: 0 }, (each) => {
    found.push(each)
    return each.value
  })
  return found
}

/** The fields of a tool through which it is given values in clear. */
export interface ToolFields {
  readonly input: Field.Fields
  readonly output?: Field.Field | undefined
}

/** Lists the commitments that have to be opened for a tool: in its arguments, and in the answer that it has given. */
export const neededBy = (
  { input, output = { type: "json" } }: ToolFields,
  { observed = null, params }: { readonly params: Json; readonly observed?: Json | undefined }
): ReadonlyArray<Digest> => {
  const values = [...find(Field.object(input), params, {}), ...find(output, observed, {})]
  return [...new Set(values.flatMap(({ value }) => (SealedValue.isSealedValue(value) ? [value.$sealed] : [])))]
}

/** Replaces the sensitive values of a record. */
export const replace = (field: Field.Field, json: Json, by: ReadonlyArray<Json>): Json => {
  let index = 0
  return walk(field, json, { bindings: {}, name: undefined, depth: 0 }, (each) => by[index++] ?? each.value)
}

interface Place {
  readonly bindings: Expression.Bindings
  readonly name: string | undefined
  readonly depth: number
}

const walk = (field: Field.Field, json: Json, place: Place, visit: (found: SensitiveValue) => Json): Json => {
  const { bindings, depth, name } = place
  if (json === null || !isIn(field)) return json
  if (field.sensitive !== undefined) {
    const value = SealedValue.isSealedValue(json) ? json : Quantise.value(field, json)
    return visit({ field, declared: field.sensitive, value, name, bindings })
  }
  if (Array.isArray(json)) {
    if (field.type !== "list") return json
    return json.map((item: Json) => walk(field.item, item, { ...place, name: undefined, depth: depth + 1 }, visit))
  }
  if (!Canonical.isObject(json)) return json
  const next: Record<string, Json> = {}
  for (const [key, value] of Object.entries(json) as ReadonlyArray<[string, Json | undefined]>) {
    if (value === undefined) continue
    const at = field.type === "object" && Object.hasOwn(field.fields, key) ? field.fields[key] : undefined
    if (field.type === "table") {
      const within = { bindings: { ...bindings, row: value, key }, name: undefined, depth: depth + 1 }
      next[key] = walk(field.row, value, within, visit)
    } else if (at === undefined) next[key] = value
    else next[key] = walk(at, value, { bindings, name: depth === 0 ? key : undefined, depth: depth + 1 }, visit)
  }
  return next
}

/** Names the subject of a value, or the reason why it is unknown. */
export const subjectOf = ({
  bindings,
  declared
}: Pick<SensitiveValue, "bindings" | "declared">): Result.Result<string, string> => {
  const subject = Result.flatMap(compiled(declared.subject), (expression) => Expression.evaluate(expression, bindings))
  if (Result.isFailure(subject)) return Result.fail(`${declared.subject} names no subject`)
  const name = typeof subject.success === "number" ? String(subject.success) : subject.success
  return typeof name === "string" && name !== "" ? Result.succeed(name) : Result.fail(`${declared.subject} is no name`)
}

/** The facts about a value that a contract commits in clear. A fact that cannot be evaluated is null. */
export const factsOf = ({ bindings, declared, value }: SensitiveValue): JsonObject | undefined => {
  if (declared.facts === undefined) return undefined
  const facts: Record<string, Json> = {}
  for (const [name, source] of Object.entries(declared.facts)) {
    const fact = Result.flatMap(compiled(source), (read) => Expression.evaluate(read, { ...bindings, value }))
    facts[name] = Result.getOrElse(fact, () => null)
  }
  return facts
}

/** Tells whether a value fits its field. */
export const isFit = ({ field, value }: SensitiveValue): boolean =>
  Field.check(field, value, { plain: true }).length === 0

/** Seals the values of a record with a public salt. Only for tests of a pack, whose values belong to nobody. */
export const pretend = (field: Field.Field, json: Json, bindings: Expression.Bindings): Json =>
  replace(
    field,
    json,
    find(field, json, bindings).map((found) =>
      SealedValue.isSealedValue(found.value)
        ? (found.value as Json)
        : sealedAs(found, SealedValue.commit("0".repeat(64), found.value))
    )
  )

/** The sealed value for a value, with its commitment. `unfit` means that the value does not fit its field. */
export const sealedAs = (
  found: SensitiveValue,
  commitment: SealedValue.SealedValue["$sealed"],
  {
    identity,
    unfit = false
  }: { readonly identity?: SealedValue.SealedIdentity | undefined; readonly unfit?: boolean } = {}
): Json => {
  const facts = factsOf(found)
  return {
    $sealed: commitment,
    ...(facts === undefined ? {} : { facts }),
    ...(identity === undefined ? {} : { identity: { ...identity } }),
    ...(isFit(found) && !unfit ? {} : { unfit: true })
  }
}

/** Names that a subject and facts may use. Which of them have a value depends on the place. */
export const names = { args: "any", row: "any", key: "any", observed: "any", actual: "any", value: "any" } as const

const compiled = (source: string): ReturnType<typeof Expression.compile> => {
  const known = expressions.get(source) ?? Expression.compile(source, { names, plain: true })
  expressions.set(source, known)
  return known
}

const expressions = new Map<string, ReturnType<typeof Expression.compile>>()
