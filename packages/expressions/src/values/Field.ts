/**
 * The types of fields: of a state, of arguments and answers, of the rows of a table.
 *
 * The language of fields has ten words and is no full schema language. A reviewer has to read it, expressions are
 * checked against it, numbers are rounded by it, and sensitive values are found with it. `json` accepts any value.
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
 * The subject of a sensitive value, and the facts about it that are in clear.
 *
 * **Details**
 *
 * `subject` is an expression for the person under whose key the value is sealed. `facts` are expressions over `value`
 * that are evaluated when it is sealed and are stored in clear. With `planner`, a planner is shown the value itself.
 */
export interface Sensitive {
  readonly subject: string
  readonly facts?: Readonly<Record<string, string>>
  readonly planner?: boolean
}

/**
 * Properties that any field may declare.
 *
 * **Details**
 *
 * `nullable`: present, but may be null. `optional`: may be absent. `sensitive`: sealed under the key of its subject;
 * expressions may only compare it for equality and copy it. `initial`: the value of a state field before anything is
 * committed.
 */
export interface Common {
  readonly nullable?: boolean
  readonly optional?: boolean
  readonly sensitive?: Sensitive
  readonly initial?: Json
  readonly description?: string
}

/** The type of a value, with the properties that its field declares. */
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

/** A difference between a value and the declaration of its field. */
export interface Mismatch {
  readonly path: string
  readonly found: string
  readonly expected: string
  readonly has: Seen
  readonly wants: FieldShape
}

/** Names of the types that a field may have. */
export const types = ["string", "int", "float", "decimal", "bool", "json", "enum", "object", "table", "list"] as const

/**
 * A field as data: its type, and the other properties that decide whether a value fits. `fields` are those of a
 * closed object.
 */
export const FieldShape = Schema.Struct({
  fields: Schema.optionalKey(Schema.Array(Schema.String)),
  nullable: Schema.optionalKey(Schema.Literal(true)),
  precision: Schema.optionalKey(Schema.Natural),
  sealed: Schema.optionalKey(Schema.Literal(true)),
  type: Schema.Literals(types),
  values: Schema.optionalKey(Schema.Array(Schema.String))
}).annotate({ identifier: "shape" })

/** A field as data. */
export type FieldShape = typeof FieldShape.Type

/** Names of the kinds of values, including kinds outside of JSON, and whether a sensitive value is sealed. */
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

/** A value as data: its type, and the value itself if it is short. */
export const Seen = Schema.Struct({
  type: Schema.Literals(kinds),
  value: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
}).annotate({ identifier: "seen" })

/** A value as data. */
export type Seen = typeof Seen.Type

/** Groups fields into an object. */
export const object = (fields: Fields): Field & { readonly type: "object" } => ({ type: "object", fields })

/** Tells whether values of a field can be used in calculations. */
export const isNumeric = (field: Field): boolean =>
  field.type === "int" || field.type === "float" || field.type === "decimal"

/** The kind of values with which values of a field can be compared; `undefined` if there is no restriction. */
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
export const shapeOf = (field: Field): FieldShape => ({
  ...(field.nullable === true ? { nullable: true } : {}),
  ...(field.type === "decimal" ? { precision: field.precision } : {}),
  type: field.type,
  ...(field.type === "enum" ? { values: field.values } : {})
})

/** Describes a field in words for a reviewer, such as `decimal with 2 digits or null`. */
export const describe = (field: Field): string => inWords(shapeOf(field))

/** Describes a shape in words for a reviewer. */
export const inWords = ({ fields, nullable, precision, sealed, type, values }: FieldShape): string => {
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

/** A value as data; a long value by its type alone. */
export const seen = (value: unknown): Seen => {
  if (value === undefined) return { type: "nothing" }
  if (value === null) return { type: "null" }
  if (isTable(value)) return { type: "table" }
  if (isList(value)) return { type: "list" }
  if (Array.isArray(value)) return { type: "array" }
  if (SealedValue.isSealedValue(value)) return { type: "sealed" }
  if (typeof value === "object") return { type: "object" }
  const kind = typeof value as Seen["type"]
  // JSON has no bigint, and throws for it.
  const text = typeof value === "bigint" ? undefined : JSON.stringify(value)
  const isShort = text !== undefined && text.length <= Limits.deciding.quotedCharactersMax
  return isShort && (typeof value !== "number" || Number.isFinite(value))
    ? { type: kind, value: value as string | number | boolean }
    : { type: kind }
}

/** Names a value: its type, and the value itself if it is short. */
export const nameOf = (value: unknown): string => named(seen(value))

/** Names for values that are sealed, or should be. None of them reveals the value. */
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
 * Lists every difference between a value and the declaration of its field; empty if it fits.
 *
 * **Details**
 *
 * Objects are open unless `closed` is set: undeclared fields pass, as tools often answer more than is declared. State
 * is checked with `closed`. A sensitive value fits if it is sealed; with `plain`, for code at the edges, if it is
 * ready to be sealed.
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

/** The value of a state field before anything is committed: its `initial`, otherwise null, zero, empty or false. */
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

/** A value that does not have the expected shape. */
export const mismatch = (path: string, value: unknown, wants: FieldShape): Mismatch =>
  differing(path, seen(value), wants)

const differing = (path: string, has: Seen, wants: FieldShape): Mismatch => ({
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

/** A value that should have been sealed is not quoted. */
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
