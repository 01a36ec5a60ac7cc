/**
 * Arguments checked by a JSON Schema.
 *
 * Each keyword is checked, describes only, or is refused by its name and place: none is left out in silence.
 *
 * @source JSON Schema 2020-12
 */
import { BackstitchError } from "../failures/Failures.ts"
import type { Issue, StandardSchema } from "./StandardSchema.ts"

type Schema = Readonly<Record<string, unknown>>

/** Says what is wrong with a value at a place. */
type Check = (value: unknown, path: ReadonlyArray<string>) => ReadonlyArray<Issue>

/** Makes the check of a keyword; `undefined` if it is written as nothing that can be checked. */
type Keyword = (given: unknown, at: At) => Check | undefined

/** A schema within the whole, and its place. */
interface At {
  readonly schema: Schema
  readonly place: string
  readonly whole: Whole
}

/** The whole schema, and the checks of its parts that are referred to, which may refer to themselves. */
interface Whole {
  readonly schema: Schema
  readonly referred: Map<string, Check>
}

/** The schema as one of a library. Throws an error that names a keyword that cannot be checked. */
export const schemaOf = (schema: Schema): StandardSchema => {
  const check = checkOf(schema, "#", { schema, referred: new Map() })
  const validate = (value: unknown) => {
    const issues = check(value, [])
    return issues.length === 0 ? { value } : { issues }
  }
  return { "~standard": { version: 1, vendor: "JSON Schema", validate } }
}

const describing = new Set(
  "$schema $id $comment $defs definitions title description default examples deprecated readOnly writeOnly".split(" ")
)

const checkOf = (schema: unknown, place: string, whole: Whole): Check => {
  if (schema === true) return () => []
  if (schema === false) return issueIf(() => true, "is not permitted")
  if (!isObject(schema)) throw unchecked(place, "is no schema")
  const checks = Object.entries(schema).flatMap(([name, given]) => {
    if (describing.has(name) || given === undefined) return []
    const keyword = Object.hasOwn(keywords, name) ? keywords[name] : undefined
    const at = `${place}/${name}`
    if (keyword === undefined) throw unchecked(at, "is a keyword that is not checked here")
    const check = keyword(given, { schema, place: at, whole })
    if (check === undefined) throw unchecked(at, `cannot be checked as ${JSON.stringify(given)}`)
    return [check]
  })
  return (value, path) => checks.flatMap((check) => check(value, path))
}

const unchecked = (place: string, what: string): BackstitchError =>
  new BackstitchError({
    code: "contract_invalid",
    message:
      `The JSON Schema of the input has ${place}, which ${what}. Remove it, or give the schema as one of a library, ` +
      "such as Zod, which checks it"
  })

const issueIf =
  (isWrong: (value: unknown) => boolean, message: string): Check =>
  (value, path) =>
    isWrong(value) ? [{ message, path }] : []

/** A keyword with a number, about values of one type that are measured by a number. */
const measured =
  (
    measure: (value: unknown) => number | undefined,
    fits: (found: number, given: number) => boolean,
    says: string
  ): Keyword =>
  (given) => {
    if (typeof given !== "number") return undefined
    const isWrong = (value: unknown): boolean => {
      const found = measure(value)
      return found !== undefined && !fits(found, given)
    }
    return issueIf(isWrong, `must ${says} ${given}`)
  }

const atLeast = (found: number, given: number): boolean => found >= given
const atMost = (found: number, given: number): boolean => found <= given
const size = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)
const characters = (value: unknown): number | undefined => (typeof value === "string" ? [...value].length : undefined)
const items = (value: unknown): number | undefined => (Array.isArray(value) ? value.length : undefined)
const members = (value: unknown): number | undefined => (isObject(value) ? Object.keys(value).length : undefined)

const isMultiple = (found: number, given: number): boolean => {
  const times = found / given
  return Math.abs(times - Math.round(times)) < 1e-9
}

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  null: (value) => value === null,
  number: (value) => typeof value === "number",
  object: (value) => isObject(value),
  string: (value) => typeof value === "string"
}

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
  "date-time": (text) => /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) && !Number.isNaN(Date.parse(text)),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: URL.canParse,
  uuid: (text) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
}

/** Checks alternatives: how many of them fit decides. */
const alternatives =
  (fits: (count: number, of: number) => boolean, message: string): Keyword =>
  (given, { place, whole }) => {
    if (!Array.isArray(given)) return undefined
    const checks = given.map((each, index) => checkOf(each, `${place}/${index}`, whole))
    return (value, path) =>
      fits(checks.filter((check) => check(value, path).length === 0).length, checks.length) ? [] : [{ message, path }]
  }

const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (isObject(one) &&
    isObject(other) &&
    Object.keys(one).length === Object.keys(other).length &&
    Object.keys(one).every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))) ||
  (Array.isArray(one) &&
    Array.isArray(other) &&
    one.length === other.length &&
    one.every((each, index) => isSame(each, other[index])))

const keywords: Readonly<Record<string, Keyword>> = {
  type: (given) => {
    const names = Array.isArray(given) ? given : [given]
    const known = names.map((name) => (Object.hasOwn(types, String(name)) ? types[String(name)] : undefined))
    if (known.includes(undefined)) return undefined
    return issueIf((value) => !known.some((is) => is?.(value)), `must be of type ${names.join(" or ")}`)
  },
  enum: (given) =>
    Array.isArray(given)
      ? issueIf((value) => !given.some((each) => isSame(each, value)), `must be one of ${JSON.stringify(given)}`)
      : undefined,
  const: (given) => issueIf((value) => !isSame(given, value), `must be ${JSON.stringify(given)}`),
  minimum: measured(size, atLeast, "be at least"),
  maximum: measured(size, atMost, "be at most"),
  exclusiveMinimum: measured(size, (found, given) => found > given, "be more than"),
  exclusiveMaximum: measured(size, (found, given) => found < given, "be less than"),
  multipleOf: measured(size, isMultiple, "be a multiple of"),
  minLength: measured(characters, atLeast, "have a number of characters of at least"),
  maxLength: measured(characters, atMost, "have a number of characters of at most"),
  minItems: measured(items, atLeast, "have a number of items of at least"),
  maxItems: measured(items, atMost, "have a number of items of at most"),
  minProperties: measured(members, atLeast, "have a number of fields of at least"),
  maxProperties: measured(members, atMost, "have a number of fields of at most"),
  pattern: (given) => {
    const pattern = regExpOf(given)
    return pattern && issueIf((value) => typeof value === "string" && !pattern.test(value), `must match ${given}`)
  },
  format: (given) => {
    const isFormat = Object.hasOwn(formats, String(given)) ? formats[String(given)] : undefined
    return isFormat && issueIf((value) => typeof value === "string" && !isFormat(value), `must be of format ${given}`)
  },
  required: (given) =>
    Array.isArray(given)
      ? (value, path) =>
          given
            .filter((name) => isObject(value) && value[name] === undefined)
            .map((name) => ({ message: "is missing", path: [...path, String(name)] }))
      : undefined,
  properties: (given, { place, whole }) => {
    if (!isObject(given)) return undefined
    const checks = Object.entries(given).map(
      ([name, each]) => [name, checkOf(each, `${place}/${name}`, whole)] as const
    )
    return (value, path) =>
      isObject(value)
        ? checks.flatMap(([name, check]) => (value[name] === undefined ? [] : check(value[name], [...path, name])))
        : []
  },
  additionalProperties: (given, { place, schema, whole }) => {
    const known = isObject(schema["properties"]) ? schema["properties"] : {}
    const check = checkOf(given, place, whole)
    return (value, path) =>
      Object.entries(isObject(value) ? value : {}).flatMap(([name, each]) =>
        Object.hasOwn(known, name) || each === undefined ? [] : check(each, [...path, name])
      )
  },
  propertyNames: (given, { place, whole }) => {
    const check = checkOf(given, place, whole)
    return (value, path) => (isObject(value) ? Object.keys(value).flatMap((name) => check(name, [...path, name])) : [])
  },
  items: (given, { place, whole }) => {
    if (Array.isArray(given)) return undefined
    const check = checkOf(given, place, whole)
    return (value, path) =>
      Array.isArray(value) ? value.flatMap((each, index) => check(each, [...path, String(index)])) : []
  },
  allOf: alternatives((count, of) => count === of, "must fit each schema of allOf"),
  anyOf: alternatives((count) => count > 0, "must fit a schema of anyOf"),
  oneOf: alternatives((count) => count === 1, "must fit exactly one schema of oneOf"),
  not: (given, { place, whole }) => {
    const check = checkOf(given, place, whole)
    return issueIf((value) => check(value, []).length === 0, "must not fit the schema of not")
  },
  $ref: (given, { whole }) => (typeof given === "string" ? referredBy(given, whole) : undefined)
}

/** The check of a part of the schema, which is made once and may need itself. */
const referredBy = (pointer: string, whole: Whole): Check | undefined => {
  const check: Check = (value, path) => whole.referred.get(pointer)?.(value, path) ?? []
  if (whole.referred.has(pointer)) return check
  const [root, ...names] = pointer.split("/").map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))
  if (root !== "#") return undefined
  const found = names.reduce<unknown>(
    (at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    whole.schema
  )
  if (found === undefined) return undefined
  whole.referred.set(pointer, () => [])
  whole.referred.set(pointer, checkOf(found, pointer, whole))
  return check
}

const regExpOf = (given: unknown): RegExp | undefined => {
  try {
    return typeof given === "string" ? new RegExp(given, "u") : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)
