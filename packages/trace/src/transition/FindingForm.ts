/**
 * A code with its arguments: the form in which a trace keeps a finding, a reason, or an obstacle.
 *
 * No sentence is committed. A program acts on the code. The words for people are made from the code and its arguments
 * when somebody reads them, in any language, without a change of a stored byte. Each package declares the codes that
 * it commits, with a schema for the arguments of each.
 *
 * @source docs/decisions/0027
 */
import * as Schema from "effect/Schema"
import * as Canonical from "../bytes/Canonical.ts"
import * as Limits from "../Limits.ts"

/** A code with its arguments. */
export interface AnyFinding extends Canonical.JsonObject {
  readonly code: string
  readonly args: Canonical.JsonObject
}

/** Codes by name, each with the schema of its arguments. */
export interface Codes {
  readonly [code: string]: Schema.Decoder<Canonical.JsonObject>
}

/** The arguments of a code. */
export type Args<C extends Codes, K extends keyof C> = C[K]["Type"]

/** A finding with one of the given codes. */
export type Of<C extends Codes> = {
  [K in keyof C & string]: AnyFinding & { readonly code: K; readonly args: C[K]["Type"] }
}[keyof C & string]

/** Lower-case words separated by points. The first names the subject. */
const pattern = /^[a-z]+(?:_[a-z]+)*(?:\.[a-z]+(?:_[a-z]+)*)+$/

/** Tells whether a text has the form of a code. */
export const isCode = (text: string): boolean => pattern.test(text)

/** Tells whether a value has the form of a finding, with any code. */
export const isFinding = (value: unknown): value is AnyFinding =>
  Canonical.isObject(value) &&
  Object.keys(value).length === 2 &&
  typeof value["code"] === "string" &&
  isCode(value["code"]) &&
  Canonical.isObject(value["args"])

/** A finding with any code: an argument of another finding, or a finding of a higher package. */
export const AnyFinding = Schema.declare(isFinding, { identifier: "finding" })

/** Makes the constructor of findings with the given codes. */
export const maker =
  <const C extends Codes>(_: C) =>
  <K extends keyof C & string>(
    code: K,
    args: Args<C, K>
  ): AnyFinding & { readonly code: K; readonly args: Args<C, K> } =>
    ({ args, code }) as AnyFinding & { readonly code: K; readonly args: Args<C, K> }

/**
 * The schema of findings with the given codes. Each has its own arguments, and is named `finding.CODE` in drawn
 * schemas; `identifier` names all of them together.
 */
export const schema = <const C extends Codes>(codes: C, identifier = "finding"): Schema.Decoder<Of<C>> => {
  const members = Object.entries(codes).map(([code, args]) =>
    Schema.Struct({ args, code: Schema.Literal(code) }).annotate({ identifier: `finding.${code}` })
  )
  const named =
    members.length > Limits.showing.expectedCodesMax ? "a code that is known" : Object.keys(codes).join(", ")
  const message = `Expected a finding by ${named}`
  return Schema.Union(members).annotate({ identifier, message }) as Schema.Decoder<unknown> as Schema.Decoder<Of<C>>
}
