/**
 * Types of transitions that an embedder declares, in a namespace of theirs.
 *
 * A name begins with its namespace, which is none of the segments of the ontology, so names of embedders never
 * collide with those of the ontology. A run pins the namespaces of its kernel, each with a version. A type is
 * proposed like any other: the kernel checks its author and its payload against its declaration.
 *
 * | a reader meets | the reader |
 * | --- | --- |
 * | a type of a namespace that it has | checks author and payload against the declaration |
 * | a type that is declared nowhere here | keeps it, folds it through no part, and reports it as unknown |
 *
 * @source docs/decisions/0029
 */
import * as Schema from "effect/Schema"
import * as Ontology from "./Ontology.ts"
import * as Payload from "./Payload.ts"
import type { Body } from "./Transition.ts"

/** Declaration of one type. `since` is the first version of the vocabulary that has it; default 1. */
export interface TypeDeclaration {
  readonly authors: ReadonlyArray<Exclude<Ontology.Author, "kernel">>
  readonly payload: Schema.Decoder<unknown>
  readonly since?: number | undefined
}

/** Types by name. */
export interface Types {
  readonly [type: string]: TypeDeclaration
}

/** The types of a namespace. The version rises when a type or a field is added; no name changes its meaning. */
export interface Vocabulary<T = Types> {
  readonly namespace: string
  readonly version: number
  readonly types: T
}

/** The payloads of a vocabulary by type, in the form for parts. */
export type Payloads<V> =
  V extends Vocabulary<infer T>
    ? { readonly [K in keyof T]: T[K] extends TypeDeclaration ? T[K]["payload"] : never }
    : never

/** Error for a vocabulary whose names collide with others, or with the ontology. */
export class VocabularyInvalid extends Schema.TaggedError<VocabularyInvalid>("@backstitch/trace/VocabularyInvalid")(
  "VocabularyInvalid",
  {
    namespace: Schema.String,
    reason: Schema.Literals(["name", "reserved", "taken", "type", "version"]),
    type: Schema.optionalKey(Schema.String)
  }
) {
  override get message(): string {
    return `The namespace ${JSON.stringify(this.namespace)} ${problems[this.reason](JSON.stringify(this.type))}`
  }
}

const problems = {
  name: () => "cannot be called so. Begin with a letter, and use a-z, 0-9 and _, at most 40 of them",
  reserved: () => "is kept for the ontology. Choose the name of your company or product",
  taken: () => "has two vocabularies. Give one of them another name, or declare the types of both in one",
  type: (type: string | undefined) =>
    `cannot have the type ${type}. Name it as in acme.shipped, with authors, of whom the kernel is none, and a version ` +
    "that the vocabulary has reached",
  version: () => "needs a version: a whole number from 1"
} as const

/**
 * Makes a vocabulary. Throws {@link VocabularyInvalid}.
 *
 * **Example** (Declaring a type)
 *
 * ```ts import.meta.vitest
 * import { Payload, Vocabulary } from "@backstitch/trace"
 * import * as Schema from "effect/Schema"
 *
 * const acme = Vocabulary.make("acme", {
 *   version: 1,
 *   types: { "acme.shipped": { authors: ["user"], payload: Payload.closed({ parcel: Schema.String }) } }
 * })
 *
 * Vocabulary.pins([acme]) // => { acme: 1 }
 * ```
 */
export const make = <const N extends string, const T extends { readonly [K in `${N}.${string}`]: TypeDeclaration }>(
  namespace: N,
  { types, version }: { readonly version: number; readonly types: T }
): Vocabulary<T> => {
  if (!Ontology.isNamespace(namespace)) throw new VocabularyInvalid({ namespace, reason: "name" })
  if (Ontology.isReserved(namespace)) throw new VocabularyInvalid({ namespace, reason: "reserved" })
  const isVersion = (number: number) => Number.isInteger(number) && number >= 1
  if (!isVersion(version)) throw new VocabularyInvalid({ namespace, reason: "version" })
  for (const [type, { authors, since = 1 }] of Object.entries<TypeDeclaration>(types)) {
    const isNamed = Ontology.isForeign(type) && Ontology.segmentOf(type) === namespace
    const isAuthored = authors.length > 0 && !(authors as ReadonlyArray<Ontology.Author>).includes("kernel")
    if (!isNamed || !isAuthored || !isVersion(since) || since > version) {
      throw new VocabularyInvalid({ namespace, reason: "type", type })
    }
  }
  return { namespace, version, types }
}

/** Combines vocabularies. Throws {@link VocabularyInvalid} if two have the same namespace. */
export const all = (vocabularies: ReadonlyArray<Vocabulary>): ReadonlyArray<Vocabulary> => {
  const names = vocabularies.map(({ namespace }) => namespace)
  const namespace = names.find((name, index) => names.indexOf(name) !== index)
  if (namespace !== undefined) throw new VocabularyInvalid({ namespace, reason: "taken" })
  return vocabularies
}

/** Finds the declaration of a type; `undefined` if no vocabulary has it. */
export const find = (vocabularies: ReadonlyArray<Vocabulary>, type: string): TypeDeclaration | undefined => {
  const own = vocabularies.find(({ types }) => Object.hasOwn(types, type))
  return own?.types[type]
}

/** The versions of some vocabularies by namespace, as `run.started` pins them. */
export const pins = (vocabularies: ReadonlyArray<Vocabulary>): { readonly [namespace: string]: number } =>
  Object.fromEntries(vocabularies.map(({ namespace, version }) => [namespace, version]))

/** Lists the authors of a type. A type of an unknown namespace may have any author except the kernel. */
export const authorsOf = (
  vocabularies: ReadonlyArray<Vocabulary>,
  type: Ontology.TypeName
): ReadonlyArray<Ontology.Author> =>
  Ontology.isType(type)
    ? Ontology.types[type].authors
    : (find(vocabularies, type)?.authors ?? ["agent", "user", "institution"])

/** Tells whether a type belongs to an embedder and is not declared here. */
export const isUnknown = (vocabularies: ReadonlyArray<Vocabulary>, type: string): boolean =>
  !Ontology.isType(type) && Ontology.isForeign(type) && find(vocabularies, type) === undefined

/**
 * Checks the payload of a body against the declaration of its type. Nothing if it fits, or if there is no
 * declaration.
 */
export const misfit = (
  vocabularies: ReadonlyArray<Vocabulary>,
  { data = {}, type }: Pick<Body, "data" | "type">
): Payload.PayloadFault | undefined => {
  const definition = find(vocabularies, type)
  if (definition === undefined) return undefined
  const check = checkers.get(definition) ?? Payload.checker(definition.payload, Payload.place)
  checkers.set(definition, check)
  return check(data)
}

const checkers = new WeakMap<TypeDeclaration, ReturnType<typeof Payload.checker>>()
