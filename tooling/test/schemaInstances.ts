/** Bodies that are generated from the JSON Schema of payloads, and variants of a body that differ in one place. */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"

export type Schema = { readonly [keyword: string]: unknown }

export interface Document extends Schema {
  readonly oneOf: ReadonlyArray<Schema>
  readonly $defs: { readonly [name: string]: Schema }
}

const isObject = (value: unknown): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Draws a whole number below a limit: the same ones for the same seed. */
export type Draw = (limit: number) => number

export const drawing = (seed: number): Draw => {
  let state = seed
  return (limit) => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

/** A body of a type, with any of the fields that it may have. */
export const ofType = (document: Document, type: string, draw: Draw): JsonObject => {
  const alternative = document.oneOf.find((each) => propertiesOf(each)["type"]!["const"] === type)!
  const { author, data } = propertiesOf(alternative) as { readonly author: Schema; readonly data: Schema }
  const body = document.$defs["body"]!
  const properties = { ...propertiesOf(body), author, data, type: { const: type } }
  return valueOf(document, { ...body, properties, required: alternative["required"] }, draw, 0) as JsonObject
}

const propertiesAt = (schema: Schema, keyword: "patternProperties" | "properties") =>
  schema[keyword] as { readonly [name: string]: Schema } | undefined

const propertiesOf = (schema: Schema) => propertiesAt(schema, "properties")!

const anything: ReadonlyArray<Json> = [null, true, 0, -1.5, "text", "", [], [1], {}, { a: { b: [null] } }]

const texts = [
  "",
  "a2",
  "two words",
  "0",
  "12.05",
  "0".repeat(64),
  `list:${"af".repeat(32)}`,
  "af".repeat(32),
  `bs_${"0a".repeat(20)}`
]

/** Below this depth only required fields are generated, because a form may contain itself. */
const depthMax = 8

const valueOf = (document: Document, schema: Schema, draw: Draw, depth: number): Json => {
  const one = <A>(values: ReadonlyArray<A>): A => values[draw(values.length)]!
  const within = (each: Schema) => valueOf(document, each, draw, depth + 1)
  const { $ref, anyOf, enum: words, items, maximum = Infinity, minimum = -Infinity, pattern = "", type } = schema
  const isWithin = (each: number) => each >= Number(minimum) && each <= Number(maximum)
  if (typeof $ref === "string") return within(document.$defs[$ref.slice("#/$defs/".length)]!)
  if (Array.isArray(anyOf)) return within(one(anyOf as ReadonlyArray<Schema>))
  if ("const" in schema) return schema["const"] as Json
  if (Array.isArray(words)) return one(words as ReadonlyArray<Json>)
  switch (type) {
    case "array":
      return Array.from({ length: depth > depthMax ? 0 : draw(3) }, () => within(items as Schema))
    case "boolean":
      return draw(2) === 0
    case "integer":
      return one([0, 1, 7, 2 ** 40, Number.MAX_SAFE_INTEGER].filter(isWithin))
    case "null":
      return null
    case "number":
      return one([0, 0.75, 1.5, -3].filter(isWithin))
    case "object":
      return objectOf(document, schema, draw, depth)
    case "string":
      return one(texts.filter((each) => new RegExp(String(pattern)).test(each)))
    default:
      return one(anything)
  }
}

const objectOf = (document: Document, schema: Schema, draw: Draw, depth: number): Json => {
  const { additionalProperties = {} } = schema
  const required = (schema["required"] ?? []) as ReadonlyArray<string>
  const named = Object.entries(propertiesOf(schema) ?? {}).filter(
    ([name]) => required.includes(name) || (depth <= depthMax && draw(2) === 0)
  )
  const matched = Object.entries(propertiesAt(schema, "patternProperties") ?? {}).map(
    ([, each]) => ["money.CHF", each] as const
  )
  const more =
    additionalProperties !== false && draw(2) === 0 ? [["zeta", additionalProperties as Schema] as const] : []
  return Object.fromEntries(
    [...more, ...matched, ...named].map(([name, each]) => [name, valueOf(document, each, draw, depth + 1)])
  )
}

/** The fields of a body, and their kinds. */
export const outline = (value: Json): string => {
  if (Array.isArray(value)) return `[${[...new Set(value.map(outline))].join()}]`
  if (!isObject(value)) return value === null ? "null" : typeof value
  return `{${Object.keys(value)
    .sort()
    .map((name) => `${name}:${name === "type" || name === "code" ? value[name] : outline(value[name]!)}`)
    .join()}}`
}

const others: ReadonlyArray<Json> = [
  null,
  true,
  false,
  -1,
  0,
  1.5,
  2 ** 53,
  "",
  "no_such_word",
  "1.50",
  [],
  [[]],
  {},
  { args: {}, code: "no.code" }
]

/** All that differ in one place: a field less, a field more, another value, a word with one letter more. */
export const mutants = (value: Json): ReadonlyArray<Json> => {
  const here = others.filter((each) => JSON.stringify(each) !== JSON.stringify(value))
  if (typeof value === "string") return [...here, `${value}x`]
  if (Array.isArray(value)) {
    const within = value.flatMap((each, at) => mutants(each).map((other) => value.with(at, other)))
    return [...here, [...value, null], ...within]
  }
  if (!isObject(value)) return here
  const names = Object.keys(value)
  const less = names.map((name) => Object.fromEntries(Object.entries(value).filter(([each]) => each !== name)))
  const within = names.flatMap((name) => mutants(value[name]!).map((other) => ({ ...value, [name]: other })))
  return [...here, ...less, { ...value, nobody_declares_this: 1 }, ...within]
}

const altered = (document: Document, name: string, change: (schema: Schema) => Schema): Document => ({
  ...document,
  $defs: { ...document.$defs, [name]: change(document.$defs[name]!) }
})

export const without = (document: Document, name: string, word: string): Document =>
  altered(document, name, (schema) => ({
    ...schema,
    enum: (schema["enum"] as ReadonlyArray<string>).filter((each) => each !== word)
  }))

export const lenient = (document: Document, name: string): Document =>
  altered(document, name, ({ required: _, ...schema }) => schema)

export const opened = (document: Document, name: string): Document =>
  altered(document, name, ({ additionalProperties: _, ...schema }) => schema)
