/**
 * The `data` of a body as schemas: the pieces that payloads are made of, and the check of one that comes from outside.
 *
 * Each package declares the payloads of the types whose parts it folds, and the kernel the map of all. A payload is
 * checked where a trace enters, by `import` and `verify`, and trusted after.
 *
 * | a reader meets | it |
 * | --- | --- |
 * | a newer ontology in the header | refuses the file, and names the version that it needs |
 * | a type or a field that its ontology does not have | refuses the transition, by tick and field |
 * | a field that is missing, or of another form | refuses the transition, by tick and field |
 *
 * So a type or a field that is added raises the version of the ontology, and nobody folds what they do not understand.
 *
 * @source docs/ARCHITECTURE.md, "Packages"
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Canonical from "../bytes/Canonical.ts"
import * as Form from "../bytes/Form.ts"
import { Json, JsonObject } from "../bytes/Form.ts"
import type * as Ontology from "./Ontology.ts"
import type * as Transition from "./Transition.ts"

export { Json, JsonObject, Written } from "../bytes/Form.ts"

/** An object with the fields that are named, each with a schema; others are refused. */
export const closed = <const Fields extends Schema.Struct.Fields>(fields: Fields): Schema.Struct<Fields> => {
  const named = Schema.Struct(fields)
  // A struct without fields takes whatever there is: what is closed has none of it.
  return Object.keys(fields).length > 0 ? named : named.check(Schema.makeFilter(isEmpty, nothing))
}

const isEmpty = (value: unknown): boolean => Canonical.isObject(value) && Object.keys(value).length === 0

const nothing = { message: "Expected an object without fields" }

/** An object with the fields that are named, and others beside them, which a contract declares or a program knows. */
export const open = <const Fields extends Schema.Struct.Fields>(
  fields: Fields
): Schema.StructWithRest<Schema.Struct<Fields>, readonly [Schema.$Record<typeof Schema.String, typeof Json>]> =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Json)])

/** An object without fields. */
export const Nothing = Schema.declare(
  (input): input is { readonly [name: string]: never } => Canonical.isObject(input) && Object.keys(input).length === 0,
  { identifier: "nothing" }
)

/** A field that may be absent. */
export const optional = <S extends Schema.Constraint>(schema: S): Schema.optionalKey<S> => Schema.optionalKey(schema)

/** A schema of these words, under the name that FORMAT.md has for them. */
export const words = <const W extends string>(identifier: string, names: ReadonlyArray<W>): Schema.Decoder<W> =>
  Schema.Literals(names).annotate({ identifier, message: `Expected one of ${names.join(", ")}` })

/** Names, in the order in which they are given. */
export const Names = Schema.Array(Schema.String)

/** A mark that is present or absent. */
export const Mark = Schema.Literal(true)

/** Turns that are taken, by the action that is taken over or to be undone. */
export const Turns = Schema.Record(
  Schema.String,
  closed({ name: Form.Digest, ordinal: Schema.Natural }).annotate({ identifier: "turn" })
)

/**
 * The identity of an act without a key: the name under which it is counted, its number under that name, and the names
 * that it takes, by scope.
 */
export const Act = closed({
  name: Schema.String,
  ordinal: Schema.Natural,
  takes: Schema.Record(Schema.String, Form.Digest)
})

/** The fields of payloads from which names are claimed; the package of a whole payload repeats them. */
export const claiming = {
  "action.request": open({ turns: optional(Turns) }),
  "action.result": open({ delivery: optional(Schema.String) }),
  "action.started": open({ act: optional(Act) }),
  "recovery.decided": open({ turns: optional(Turns) })
} as const

/** Payloads by type. */
export interface Schemas {
  readonly [type: string]: Schema.Decoder<unknown>
}

/** The body of a type, with the payload that the type has. Where every field may be absent, so may the payload. */
export type BodyOf<P extends Schemas, T> = T extends keyof P & string
  ? Omit<Transition.Body, "data" | "type"> & { readonly type: T } & Data<P[T]["Type"]>
  : Omit<Transition.Body, "type"> & { readonly type: T }

/**
 * A body whose type says which payload it has, as far as the payloads of `P` go. A body of an embedder is none of these
 * cases: whoever goes through them leaves it to the last.
 */
export type Body<P extends Schemas> = BodyOf<P, keyof P & string> | BodyOf<P, Exclude<Ontology.Type, keyof P>>

type Data<A> = Record<never, never> extends A ? { readonly data?: A } : { readonly data: A }

/**
 * Makes the way to read bodies by some payloads. It costs nothing and checks nothing: a body was held against its
 * schema where it entered.
 */
export const reader =
  <const P extends Schemas>(_: P) =>
  (body: Transition.Body): Body<P> =>
    body as Body<P>

/**
 * Makes the way to ask a body for the payload of one type: nothing where it is of another. It checks as little. What a
 * proposal says is read the same way, once it was held against the schema.
 */
export const getter =
  <const P extends Schemas>(_: P) =>
  <T extends keyof P & string>(
    body: { readonly data?: Canonical.JsonObject | undefined; readonly type?: string | undefined },
    type: T
  ): P[T]["Type"] | undefined =>
    body.type === type ? body.data : undefined

/** As much as is read of payloads that others declare. Whoever declares the whole of them has it the same there. */
export const views = {
  "run.fork": open({
    at: Schema.Natural,
    child: Schema.String,
    link: Schema.String,
    pack: optional(Schema.String),
    parent: Schema.String
  }),
  "run.migrated": open({ pack: optional(Schema.String) }),
  "run.started": open({
    format: Schema.Natural,
    initial: Schema.String,
    namespaces: optional(JsonObject),
    ontology: Schema.Natural,
    pack: optional(Schema.String),
    tenant: Schema.String
  }),
  "sealed.erased": open({ values: Schema.Array(Schema.String) })
} as const

/** The payload of a body, where it is of one type. */
export const of = getter(views)

/** A body that does not fit its type: the path of the field, and what is wrong there. */
export interface Problem {
  readonly path: string
  readonly problem: string
}

/** Says where a body does not fit its type. */
export const told = (type: string, { path, problem }: Problem): string =>
  `${path} does not fit ${type}: ${problem[0]?.toLowerCase()}${problem.slice(1)}`

/** Makes the check of a value that stands `at` a place, in the body of a transition perhaps: nothing where it fits. */
export const checker = (
  schema: Schema.Decoder<unknown>,
  at: ReadonlyArray<string> = []
): ((value: unknown) => Problem | undefined) => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  return (value) => {
    const read = decode(value)
    if (Result.isSuccess(read)) return undefined
    const [first] = format(read.failure.issue).issues
    const path = (first?.path ?? []).map((key) => String(typeof key === "object" ? key.key : key))
    return { path: [...at, ...path].join("."), problem: first?.message ?? read.failure.message }
  }
}

/** The place of a payload in a body. */
export const place = ["data"] as const

const format = SchemaIssue.makeFormatterStandardSchemaV1()
