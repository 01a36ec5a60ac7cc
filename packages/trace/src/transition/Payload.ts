/**
 * The `data` of a body as schemas: the building blocks of payloads, and the check of a payload from outside.
 *
 * Each package declares the payloads of the types whose parts it folds, and the kernel collects all of them. A
 * payload is checked where a trace enters, by `import` and `verify`, and trusted later.
 *
 * | a reader meets | the reader |
 * | --- | --- |
 * | a newer ontology in the header | refuses the file, and names the version that it needs |
 * | a type or a field that its ontology does not have | refuses the transition, by tick and field |
 * | a field that is missing, or of another form | refuses the transition, by tick and field |
 *
 * So a new type or field raises the version of the ontology, and no reader folds data that it does not understand.
 *
 * @source docs/ARCHITECTURE.md, "Packages"
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Canonical from "../bytes/Canonical.ts"
import * as Form from "../bytes/Form.ts"
import { Json, JsonObject } from "../bytes/Form.ts"
import * as Ontology from "./Ontology.ts"
import type * as Transition from "./Transition.ts"

export { Json, JsonObject, Written } from "../bytes/Form.ts"

/** An object with exactly the named fields, each with a schema; other fields are refused. */
export const closed = <const Fields extends Schema.Struct.Fields>(fields: Fields): Schema.Struct<Fields> => {
  const named = Schema.Struct(fields)
  // A struct without fields would accept any; a closed one has none.
  return Object.keys(fields).length > 0 ? named : named.check(Schema.makeFilter(isEmpty, nothing))
}

const isEmpty = (value: unknown): boolean => Canonical.isObject(value) && Object.keys(value).length === 0

const nothing = { message: "Expected an object without fields" }

/** An object with the named fields and others, which a contract declares or a program knows. */
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

/** A schema of the given words, under its name in FORMAT.md. */
export const words = <const W extends string>(identifier: string, names: ReadonlyArray<W>): Schema.Decoder<W> =>
  Schema.Literals(names).annotate({ identifier, message: `Expected one of ${names.join(", ")}` })

/** Names, in the given order. */
export const Names = Schema.Array(Schema.String)

/** A mark that is present or absent. */
export const Mark = Schema.Literal(true)

/** Turns that are claimed, by the action that is taken over or undone. */
export const Turns = Schema.Record(
  Schema.String,
  closed({ name: Form.Digest, ordinal: Schema.Natural }).annotate({ identifier: "turn" })
)

/**
 * The identity of an act without a key: the name under which it is counted, its number, and the names that it claims,
 * by scope.
 */
export const Act = closed({
  name: Schema.String,
  ordinal: Schema.Natural,
  takes: Schema.Record(Schema.String, Form.Digest)
})

/** The fields of payloads from which names are claimed. The package that declares a whole payload repeats them. */
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

/** The body of a type, with the payload of that type. If every field is optional, so is the payload. */
export type BodyOf<P extends Schemas, T> = T extends keyof P & string
  ? Omit<Transition.Body, "data" | "type"> & { readonly type: T } & Data<P[T]["Type"]>
  : Omit<Transition.Body, "type"> & { readonly type: T }

/**
 * A body whose type determines its payload, as far as `P` declares it. A body of an embedder's type is none of these
 * cases, and falls to the last one.
 */
export type Body<P extends Schemas> = BodyOf<P, keyof P & string> | BodyOf<P, Exclude<Ontology.Type, keyof P>>

type Data<A> = Record<never, never> extends A ? { readonly data?: A } : { readonly data: A }

/**
 * Makes a function that reads bodies by the given payloads. It costs nothing and checks nothing: a body was checked
 * against its schema where it entered.
 */
export const reader =
  <const P extends Schemas>(_: P) =>
  (body: Transition.Body): Body<P> =>
    body as Body<P>

/**
 * Makes a function that answers the payload of a body of one type; nothing for another type, or without a payload.
 * It checks nothing. Proposals are read in the same way, after a check against the schema.
 */
export const getter =
  <const P extends Schemas>(_: P) =>
  <T extends keyof P & string>(
    body: { readonly data?: Canonical.JsonObject | undefined; readonly type?: string | undefined },
    type: T
  ): P[T]["Type"] | undefined =>
    body.type === type ? body.data : undefined

/**
 * The fields that this package reads of payloads which others declare in full. The full declarations agree with them.
 */
export const views = {
  "run.fork": open({
    at: Schema.Natural,
    child: Schema.String,
    link: Schema.String,
    pack: optional(Schema.String),
    parent: Schema.String
  }),
  "recovery.decided": open({ plan: optional(open({ checkpoint: optional(JsonObject) })) }),
  "action.reconciled": open({ undo: optional(open({ endsAt: optional(Schema.Number) })) }),
  "recovery.restored": open({ checkpoint: optional(JsonObject) }),
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

/** The payload of a body, if the body is of the given type and has one. */
export const of = getter(views)

/**
 * The version of the ontology that a body needs: the first, or the one that introduced its payload.
 *
 * **Details**
 *
 * The second introduced checkpoints and failures of subtasks, plans that put a subtask back to a checkpoint, and
 * effects that can be undone for a limited time.
 */
export const ontologyOf = (body: Pick<Transition.Body, "data" | "type">): number => {
  const back = of(body, "recovery.decided")?.plan ?? of(body, "recovery.restored")
  const endsAt = of(body, "action.reconciled")?.undo?.endsAt
  return back?.checkpoint !== undefined || endsAt !== undefined ? 2 : Ontology.introducedIn(body.type)
}

/** A body that does not fit its type: the path of the field, and the mistake. */
export interface PayloadFault {
  readonly path: string
  readonly problem: string
}

/** Describes where a body does not fit its type. */
export const told = (type: string, { path, problem }: PayloadFault): string =>
  `${path} does not fit ${type}: ${problem[0]?.toLowerCase()}${problem.slice(1)}`

/** Makes the check of a value, with its place `at`, for example in the body of a transition: nothing if it fits. */
export const checker = (
  schema: Schema.Decoder<unknown>,
  at: ReadonlyArray<string> = []
): ((value: unknown) => PayloadFault | undefined) => {
  // The search for fields that no schema has takes most of the time of a check. Without the search such fields are
  // left out of the read value, so a value that lost no field has none of them.
  const reads = Schema.decodeUnknownResult(schema)
  const checks = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  return (value) => {
    const kept = reads(value)
    if (Result.isSuccess(kept) && isWhole(kept.success, value)) return undefined
    const read = checks(value)
    if (Result.isSuccess(read)) return undefined
    const [first] = format(read.failure.issue).issues
    const path = (first?.path ?? []).map((key) => String(typeof key === "object" ? key.key : key))
    return { path: [...at, ...path].join("."), problem: first?.message ?? read.failure.message }
  }
}

/** Tells whether a value lost nothing when it was read. Values that are no objects are read unchanged. */
const isWhole = (kept: unknown, value: unknown): boolean => {
  if (kept === value || typeof kept !== "object" || typeof value !== "object") return true
  if (kept === null || value === null) return true
  const names = Object.keys(value)
  if (Object.keys(kept).length !== names.length) return false
  for (const name of names) {
    if (!isWhole((kept as Canonical.JsonObject)[name], (value as Canonical.JsonObject)[name])) return false
  }
  return true
}

/** The place of a payload in a body. */
export const place = ["data"] as const

const format = SchemaIssue.makeFormatterStandardSchemaV1()
