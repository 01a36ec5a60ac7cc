/**
 * The language of packs, made of parts. Each part gives the type, the JSON Schema and the reading of a value in one
 * place.
 *
 * A grammar gives the type of a value as it is written (`WrittenOf`), its JSON Schema, its keys, and the value that is
 * read from it. Two kinds of rules are code beside the grammar: names that have to be declared elsewhere, and parts
 * that contradict each other.
 *
 * **Details**
 *
 * Reading continues after a mistake, so that one pass finds all of them. A value that could not be read is left out,
 * so all parts of an object are optional.
 *
 * @source docs/decisions/0052-a-pack-is-defined-once.md; JSON Schema, draft 2020-12
 */
import type * as Expression from "@backstitch/expressions/Expression"
import type { Node } from "./definitionReader.ts"

/** A JSON Schema, as far as packs use the language. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** A schema that other schemas refer to by its name, with the schemas that it refers to itself. */
export interface NamedSchema {
  readonly name: string
  readonly schema: () => JsonSchema
  readonly uses: () => ReadonlyArray<NamedSchema>
}

/** A part of the language with a schema, which is read by separate code. */
export interface Described<out Written> {
  readonly schema: JsonSchema
  readonly uses: () => ReadonlyArray<NamedSchema>
  /** Type of the value as it is written. It exists only at compile time. */
  readonly written?: Written
}

/** A part of the language. */
export interface Grammar<out Written, out Read> extends Described<Written> {
  readonly read: (node: Node, names: Expression.Names) => Read | undefined
}

/** Type of a value as it is written. */
export type WrittenOf<G> = G extends Described<infer W> ? W : never

/** Type of the value that is read. */
export type ReadOf<G> = G extends Grammar<unknown, infer R> ? R : never

// biome-ignore lint/suspicious/noExplicitAny: a part of any type
type Any = Described<any>

/** A required property. If it is missing, `expected` describes it; by default its grammar does. */
export interface Needed {
  readonly isNeeded: true
  readonly expected: string | undefined
}

/** A span of time, which is read as milliseconds, under a name that ends in `Millis`. */
export interface Duration extends Grammar<string, number> {
  readonly isDuration: true
}

/** A property with the sentence that editors show for it, and that the reference of packs lists. */
export interface Key {
  readonly about: string
}

/** Properties of an object, by their keys. */
export interface Properties {
  readonly [key: string]: Any & Key
}

type Flat<T> = { readonly [K in keyof T]: T[K] }
type NeededKeys<P> = { [K in keyof P]: P[K] extends { readonly isNeeded: true } ? K : never }[keyof P]

/** Type of an object as it is written. */
export type WrittenObject<P extends Properties> = Flat<
  { readonly [K in NeededKeys<P>]: WrittenOf<P[K]> } & {
    readonly [K in Exclude<keyof P, NeededKeys<P>>]?: WrittenOf<P[K]>
  }
>

/** The parts of an object that could be read. Spans of time have names that end in `Millis`. */
export type Parts<P extends Properties> = {
  readonly [K in keyof P as P[K] extends { readonly isDuration: true } ? `${K & string}Millis` : K]?: Exclude<
    ReadOf<P[K]>,
    undefined
  >
}

/** An object with known keys. */
export interface ObjectGrammar<P extends Properties> extends Grammar<WrittenObject<P>, Parts<P>> {
  readonly properties: P
  readonly keys: ReadonlyArray<string>
}

/** Makes a grammar of single values. */
export const leaf = <W, R>(schema: JsonSchema, read: Grammar<W, R>["read"]): Grammar<W, R> => ({
  schema,
  uses: () => [],
  read
})

/** Text that is not empty. */
export const text: Grammar<string, string> = leaf({ type: "string" }, (node) => node.text())

/** True or false. */
export const flag: Grammar<boolean, boolean> = leaf({ type: "boolean" }, (node) => node.flag())

/** Any value. */
export const any = <W>(): Grammar<W, unknown> => leaf({}, (node) => node.value)

/** A number that only the code beside the grammar reads. */
export const number = (schema: JsonSchema = {}): Grammar<number, unknown> =>
  leaf({ type: "number", ...schema }, (node) => node.value)

/** A whole number from zero up to an optional maximum. */
export const count = (max?: number): Grammar<number, number> =>
  leaf({ type: "integer", minimum: 0, ...(max === undefined ? {} : { maximum: max }) }, (node) => node.count(max))

/**
 * A whole number that is not below a minimum, because nothing could work under it. A stored definition keeps what it
 * has, and is warned about.
 */
export const countFrom = (minimum: number): Grammar<number, number> =>
  leaf({ type: "integer", minimum }, (node) => {
    const read = node.count()
    if (read !== undefined && read < minimum) {
      node.unfit({ found: String(read), expected: `a whole number, ${minimum} or more` })
    }
    return read
  })

/** Exactly one word. */
export const word = <const W extends string>(value: W): Grammar<W, W> =>
  leaf({ const: value }, (node) => node.oneOf([value]))

/** One of several words. */
export const oneOf = <const W extends ReadonlyArray<string>>(words: W): Grammar<W[number], W[number]> =>
  leaf({ type: "string", enum: words }, (node) => node.oneOf(words))

/** A list of texts. A single text is read as a list with one item. */
export const texts: Grammar<ReadonlyArray<string>, ReadonlyArray<string>> = leaf(
  { type: "array", items: text.schema },
  (node) => node.texts()
)

/** A text, or a list of texts. */
export const textOrTexts: Grammar<string | ReadonlyArray<string>, ReadonlyArray<string>> = leaf(
  { anyOf: [text.schema, texts.schema] },
  (node) => node.texts()
)

/** The grammar of a list of items. */
export const list = <W, R>(item: Grammar<W, R>): Grammar<ReadonlyArray<W>, ReadonlyArray<R>> => ({
  schema: { type: "array", items: item.schema },
  uses: item.uses,
  read: (node, names) => node.items().flatMap((each) => item.read(each, names) ?? [])
})

/** A value, or a list of values. */
export const oneOrMany = <W, R>(item: Grammar<W, R>): Grammar<W | ReadonlyArray<W>, ReadonlyArray<R>> => ({
  schema: { anyOf: [item.schema, { type: "array", items: item.schema }] },
  uses: item.uses,
  read: (node, names) => nodesOf(node).flatMap((each) => item.read(each, names) ?? [])
})

/** The nodes of one value, or of a list of values. */
export const nodesOf = (node: Node): ReadonlyArray<Node> =>
  Array.isArray(node.value) ? node.items() : node.isAbsent ? [] : [node]

/** Values by name. */
export const record = <W, R>(
  value: Grammar<W, R>
): Grammar<Readonly<Record<string, W>>, Readonly<Record<string, R>>> => ({
  schema: { type: "object", additionalProperties: value.schema },
  uses: value.uses,
  read: (node, names) => {
    const found: Record<string, R> = {}
    for (const [name, child] of node.entries()) {
      const read = value.read(child, names)
      if (read !== undefined) found[name] = read
    }
    return found
  }
})

/** A mapping, or otherwise a bare value. */
export const bareOr = <W, R, V, S>(bare: Grammar<W, R>, full: Grammar<V, S>): Grammar<W | V, R | S> => ({
  schema: { anyOf: [bare.schema, full.schema] },
  uses: () => [...bare.uses(), ...full.uses()],
  read: (node, names) => (node.isRecord() ? full : bare).read(node, names)
})

/** A value, or null, as an empty section of a pack is in YAML. */
export const emptied = <W, R>(grammar: Grammar<W, R>): Grammar<W | null, R> => ({
  ...grammar,
  schema: { anyOf: [grammar.schema, { type: "null" }] }
})

/** A required property, described by `expected` if it is missing. */
export const needed = <G extends Any>(grammar: G, expected?: string): G & Needed => ({
  ...grammar,
  isNeeded: true,
  expected
})

/** A property of an object, with a sentence about it. */
export const key = <G extends Any>(about: string, grammar: G): G & Key => ({ ...grammar, about })

/** A schema that other schemas refer to by its name. */
export const named = <W, R>(name: string, grammar: Grammar<W, R>): Grammar<W, R> => ({
  ...described(name, grammar),
  read: grammar.read
})

/** A schema that other schemas refer to by its name, for a part that its grammar does not read. */
export const described = <W>(name: string, { schema, uses }: Described<W>): Described<W> => ({
  schema: { $ref: `#/$defs/${name}` },
  uses: () => [{ name, schema: () => schema, uses }]
})

/** An object with known keys, without a name of its own in the schema. */
export const inline = <const P extends Properties>(
  description: string | undefined,
  properties: P
): ObjectGrammar<P> => {
  const keys = Object.keys(properties)
  const required = keys.filter((key) => "isNeeded" in properties[key]!)
  return {
    schema: {
      type: "object",
      ...(description === undefined ? {} : { description }),
      properties: Object.fromEntries(keys.map((key) => [key, shownSchema(properties[key]!)])),
      additionalProperties: false,
      ...(required.length === 0 ? {} : { required })
    },
    uses: () => Object.values(properties).flatMap((property) => property.uses()),
    read: (node, names) => (node.hasKeysOf(keys) ? parts(properties, node, names, keys) : undefined),
    properties,
    keys
  }
}

const shownSchema = ({ about, schema }: Any & Key): JsonSchema => ({ ...schema, description: about })

/** An object with known keys. */
export const object = <const P extends Properties>(
  name: string,
  description: string,
  properties: P
): ObjectGrammar<P> => {
  const grammar = inline(description, properties)
  return { ...grammar, ...named(name, grammar) }
}

/** A grammar whose reading is completed by code: defaults, references and contradictions. */
export const complete = <W, R, S>(
  grammar: Grammar<W, R>,
  finish: (read: R, node: Node, names: Expression.Names) => S | undefined
): Grammar<W, S> => ({
  schema: grammar.schema,
  uses: grammar.uses,
  read: (node, names) => {
    const read = grammar.read(node, names)
    return read === undefined ? undefined : finish(read, node, names)
  }
})

/** Reads some of the properties of an object, with the names in scope. */
export const pick = <P extends Properties, K extends keyof P & string>(
  { properties }: ObjectGrammar<P>,
  node: Node,
  names: Expression.Names,
  ...keys: ReadonlyArray<K>
): Parts<Pick<P, K>> => parts(properties as Pick<P, K>, node, names, keys)

const parts = <P extends Properties>(
  properties: P,
  node: Node,
  names: Expression.Names,
  keys: ReadonlyArray<string>
): Parts<P> => {
  const found: Record<string, unknown> = {}
  for (const key of keys) {
    const property = properties[key]!
    if (!isRead(property)) continue
    const value = readProperty(property, node.at(key), names)
    if (value !== undefined) found["isDuration" in property ? `${key}Millis` : key] = value
  }
  return found as Parts<P>
}

const isRead = (property: Any): property is Grammar<unknown, unknown> => "read" in property

const readProperty = (property: Grammar<unknown, unknown>, node: Node, names: Expression.Names): unknown => {
  if (!("isNeeded" in property)) return node.isAbsent ? undefined : property.read(node, names)
  const { expected } = property as typeof property & Needed
  if (node.isAbsent && expected !== undefined) return node.fail({ found: "nothing", expected })
  return property.read(node, names)
}

/** Lists the named schemas that a grammar refers to, each once, in the order of their first use. */
export const definitionsOf = (grammar: Any): ReadonlyArray<NamedSchema> => {
  const found = new Map<string, NamedSchema>()
  const visit = (definition: NamedSchema): void => {
    if (found.has(definition.name)) return
    found.set(definition.name, definition)
    definition.uses().forEach(visit)
  }
  grammar.uses().forEach(visit)
  return [...found.values()]
}
