/**
 * The types of fields: of a state, of arguments and answers, of the rows of a table.
 *
 * A field language of ten words instead of a full schema language, because a
 * reviewer has to read it, expressions have to be checked against it, numbers
 * have to be rounded by it, and sensitive values have to be found in it.
 * `json` holds anything that none of the others describes.
 */

import type { Json } from "@backstitch/trace/Canonical"
import * as List from "@backstitch/trace/List"
import * as SealedValue from "@backstitch/trace/SealedValue"
import * as Table from "@backstitch/trace/Table"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"
import { isList, isRecord, isTable } from "./Container.ts"
import * as Decimal from "./Decimal.ts"

/**
 * The person whom a value is about, and the facts of it that stand in clear.
 *
 * **Details**
 *
 * `subject` names the person whose key seals the value. `facts` are
 * expressions over `value` that are evaluated when it is sealed and stand in
 * clear beside it. With `planner` a planner is shown the value itself.
 */
export interface Sensitive {
  readonly subject: string
  readonly facts?: Readonly<Record<string, string>>
  readonly planner?: boolean
}

/**
 * Facts that any field may declare.
 *
 * **Details**
 *
 * `nullable`: present, but may be null. `optional`: may be absent.
 * `sensitive`: sealed under the key of the subject that the expression names;
 * expressions may compare it for equality and copy it, nothing else.
 * `initial`: the value of a state field before anything is committed.
 */
export interface Common {
  readonly nullable?: boolean
  readonly optional?: boolean
  readonly sensitive?: Sensitive
  readonly initial?: Json
  readonly description?: string
}

/** The type of a value, with the facts that its field declares. */
export type Field =
  | (Common & { readonly type: "string" | "int" | "bool" | "json" })
  | (Common & { readonly type: "float"; readonly precision?: number })
  | (Common & { readonly type: "decimal"; readonly precision: number })
  | (Common & { readonly type: "enum"; readonly values: ReadonlyArray<string> })
  | (Common & { readonly type: "object"; readonly fields: Fields })
  | (Common & { readonly type: "table"; readonly key: string; readonly row: Field })
  | (Common & { readonly type: "list"; readonly item: Field })

/** Fields by name. */
export interface Fields {
  readonly [name: string]: Field
}

/** A value that a state holds: JSON, or a canonical table or list. */
export type Value = Json | Table.Table<Json> | List.List<Json>

/** One way in which a value is not what its field declares. */
export interface Mismatch {
  readonly path: string
  readonly found: string
  readonly expected: string
  readonly has: Seen
  readonly wants: Shape
}

/** Names of the types that a field may have. */
export const types = ["string", "int", "float", "decimal", "bool", "json", "enum", "object", "table", "list"] as const

/**
 * A field as data: its type, and what else decides whether a value fits. `fields` are those of an object that takes no
 * others.
 */
export const Shape = Schema.Struct({
  fields: Schema.optionalKey(Schema.Array(Schema.String)),
  nullable: Schema.optionalKey(Schema.Literal(true)),
  precision: Schema.optionalKey(Schema.Natural),
  sealed: Schema.optionalKey(Schema.Literal(true)),
  type: Schema.Literals(types),
  values: Schema.optionalKey(Schema.Array(Schema.String))
}).annotate({ identifier: "shape" })

/** A field as data. */
export type Shape = typeof Shape.Type

/**
 * Names of what a value was seen to be: those of values that are no JSON among them, and for what is sealed or should
 * be, whether it is.
 */
const kinds = [
  "array",
  "bigint",
  "boolean",
  "clear",
  "function",
  "list",
  "nothing",
  "null",
  "number",
  "object",
  "sealed",
  "sealed_mismatch",
  "string",
  "symbol",
  "table"
] as const

/** A value as data: its type, and the value itself where that is short. */
export const Seen = Schema.Struct({
  type: Schema.Literals(kinds),
  value: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
}).annotate({ identifier: "seen" })

/** A value as data. */
export type Seen = typeof Seen.Type

/** Groups fields into an object. */
export const object = (fields: Fields): Field & { readonly type: "object" } => ({ type: "object", fields })

/** Tells whether values of a field can be calculated with. */
export const isNumeric = (field: Field): boolean =>
  field.type === "int" || field.type === "float" || field.type === "decimal"

/** The kind of values that those of a field can be compared with; `undefined` where all of them can. */
export const kindOf = (field: Field): "number" | "text" | "bool" | "list" | "object" | undefined => {
  switch (field.type) {
    case "int":
    case "float":
    case "decimal":
      return "number"
    case "string":
    case "enum":
      return "text"
    case "bool":
    case "list":
      return field.type
    case "object":
    case "table":
      return "object"
    case "json":
      return undefined
  }
}

/** The shape of a field. */
export const shapeOf = (field: Field): Shape => ({
  ...(field.nullable === true ? { nullable: true } : {}),
  ...(field.type === "decimal" ? { precision: field.precision } : {}),
  type: field.type,
  ...(field.type === "enum" ? { values: field.values } : {})
})

/** Describes a field in the words of a reviewer, such as `decimal with 2 digits or null`. */
export const describe = (field: Field): string => inWords(shapeOf(field))

/** Describes a shape in the words of a reviewer. */
export const inWords = ({ fields, nullable, precision, sealed, type, values }: Shape): string => {
  const text = (() => {
    switch (type) {
      case "decimal":
        return `a decimal with ${precision} digits`
      case "enum":
        return `one of ${(values ?? []).join(", ")}`
      case "int":
        return "a whole number"
      case "float":
        return "a number"
      case "bool":
        return "true or false"
      case "json":
        return "any JSON value"
      case "object":
        return fields === undefined ? "an object" : `one of the declared fields: ${fields.join(", ")}`
      default:
        return `a ${type}`
    }
  })()
  const whole = nullable === true ? `${text} or null` : text
  return sealed === true ? `${whole}, sealed` : whole
}

/** A value as data: a long one by its type alone. */
export const seen = (value: unknown): Seen => {
  if (value === undefined) return { type: "nothing" }
  if (value === null) return { type: "null" }
  if (isTable(value)) return { type: "table" }
  if (isList(value)) return { type: "list" }
  if (Array.isArray(value)) return { type: "array" }
  if (SealedValue.isSealedValue(value)) return { type: "sealed" }
  if (typeof value === "object") return { type: "object" }
  const kind = typeof value as Seen["type"]
  const text = JSON.stringify(value)
  const isShort = text !== undefined && text.length <= Limits.deciding.quotedCharactersMax
  return isShort && (typeof value !== "number" || Number.isFinite(value))
    ? { type: kind, value: value as string | number | boolean }
    : { type: kind }
}

/** Names a value: its type, and the value itself where that is short. */
export const nameOf = (value: unknown): string => named(seen(value))

/** Names for values that are sealed, or should be: none of them shows the value. */
const sealings: Readonly<Record<string, string>> = {
  clear: "a value in clear",
  sealed: "a sealed value",
  sealed_mismatch: "a sealed value that is something else"
}

/** Names a value that is kept as data. */
export const named = ({ type, value }: Seen): string => {
  if (value !== undefined) return `${type} ${JSON.stringify(value)}`
  if (type === "nothing" || type === "null") return type
  if (Object.hasOwn(sealings, type)) return sealings[type] as string
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

/**
 * Lists every way in which a value is not what its field declares; empty when it fits.
 *
 * **Details**
 *
 * Objects are open unless `closed` says otherwise: what a field language does
 * not name passes, as tools often answer more than anybody declared. State is
 * checked closed. A sensitive value fits when it is sealed; with `plain`, which
 * is for code at the edges, when it is what is to be sealed.
 *
 * **Example** (Finding what does not fit)
 *
 * ```ts import.meta.vitest
 * import { Field } from "@backstitch/expressions"
 *
 * const row = Field.object({ status: { type: "string" }, price: { type: "decimal", precision: 2 } })
 * Field.check(row, { status: 7, price: "12.30" }).map((issue) => issue.path) // => ["status"]
 * ```
 */
export const check = (
  field: Field,
  value: unknown,
  options?: { readonly closed?: boolean; readonly plain?: boolean }
): ReadonlyArray<Mismatch> => {
  const issues: Array<Mismatch> = []
  visit(field, value, "", { closed: options?.closed === true, plain: options?.plain === true, issues })
  return issues
}

/** The value of a state field before anything is committed: its `initial`, else null, zero, empty or false. */
export const initial = (field: Field): Value => {
  switch (field.type) {
    case "table":
      return isRecord(field.initial) ? Table.from(Object.entries(field.initial) as Array<[string, Json]>) : Table.empty
    case "list":
      return Array.isArray(field.initial) ? List.from(field.initial as ReadonlyArray<Json>) : List.empty
    default:
      return initialJson(field)
  }
}

const initialJson = (field: Field): Json => {
  if (field.initial !== undefined) return field.initial
  if (field.nullable === true || field.sensitive !== undefined) return null
  switch (field.type) {
    case "int":
    case "float":
      return 0
    case "decimal":
      return Decimal.format(new Decimal.Decimal(0n, field.precision))
    case "bool":
      return false
    case "string":
      return ""
    case "enum":
      return field.values[0] ?? ""
    case "list":
      return []
    case "json":
      return null
    default:
      return field.type === "object"
        ? Object.fromEntries(Object.entries(field.fields).map(([name, inner]) => [name, initialJson(inner)]))
        : {}
  }
}

/** A value that is not of the shape that is wanted. */
export const mismatch = (path: string, value: unknown, wants: Shape): Mismatch => differing(path, seen(value), wants)

const differing = (path: string, has: Seen, wants: Shape): Mismatch => ({
  expected: inWords(wants),
  found: named(has),
  has,
  path,
  wants
})

const join = (path: string, name: string | number): string =>
  typeof name === "number" ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`

interface Checking {
  readonly closed: boolean
  readonly plain: boolean
  readonly issues: Array<Mismatch>
}

const visit = (field: Field, value: unknown, path: string, checking: Checking): void => {
  const { issues, plain } = checking
  if (value === null && field.nullable === true) return
  if (value === undefined && field.optional === true) return
  if (field.sensitive !== undefined && !plain) {
    visitSealed(field, value, path, issues)
    return
  }
  if (value === undefined || value === null || !fits(field, value)) {
    if (field.type === "json" && value !== undefined) return
    issues.push(mismatch(path, value, shapeOf(field)))
    return
  }
  if (field.type === "object") visitObject(field.fields, value as Readonly<Record<string, unknown>>, path, checking)
  else if (field.type === "table") {
    const rows = isTable(value) ? value.entries() : Object.entries(value as object)
    for (const [key, row] of rows) visit(field.row, row, join(path, key), checking)
  } else if (field.type === "list") {
    let index = 0
    for (const item of value as Iterable<unknown>) visit(field.item, item, join(path, index++), checking)
  }
}

/** Nothing of a value that should have been sealed is said of it. */
const visitSealed = (field: Field, value: unknown, path: string, issues: Array<Mismatch>): void => {
  const isSealed = SealedValue.isSealedValue(value)
  if (isSealed && value.unfit !== true) return
  const has: Seen = isSealed ? { type: "sealed_mismatch" } : value == null ? seen(value) : { type: "clear" }
  issues.push(differing(path, has, { ...shapeOf(field), sealed: true }))
}

const visitObject = (
  fields: Fields,
  value: Readonly<Record<string, unknown>>,
  path: string,
  checking: Checking
): void => {
  const { closed, issues } = checking
  for (const name of Object.keys(fields)) {
    visit(fields[name] as Field, Object.hasOwn(value, name) ? value[name] : undefined, join(path, name), checking)
  }
  if (!closed) return
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(fields, name) || value[name] === undefined) continue
    issues.push(mismatch(join(path, name), value[name], { fields: Object.keys(fields), type: "object" }))
  }
}

const fits = (field: Field, value: unknown): boolean => {
  switch (field.type) {
    case "string":
      return typeof value === "string"
    case "int":
      return typeof value === "number" && Number.isSafeInteger(value)
    case "float":
      return typeof value === "number" && Number.isFinite(value)
    case "decimal":
      return (typeof value === "string" || typeof value === "number") && Decimal.from(value) !== undefined
    case "bool":
      return typeof value === "boolean"
    case "enum":
      return typeof value === "string" && field.values.includes(value)
    case "json":
      return true
    case "object":
      return isRecord(value) && !SealedValue.isSealedValue(value)
    case "table":
      return isTable(value) || isRecord(value)
    case "list":
      return isList(value) || Array.isArray(value)
  }
}
