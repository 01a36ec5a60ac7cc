/**
 * The payloads of a trace as one JSON Schema (draft 2020-12), for an implementation in any language to check bodies.
 *
 * `node tooling/src/PayloadSchema.ts` prints docs/payloads.schema.json.
 */
import { frame, parts, payloads } from "@backstitch/kernel/Payload"
import * as Form from "@backstitch/trace/Form"
import * as Ontology from "@backstitch/trace/Ontology"
import type * as SchemaAST from "effect/SchemaAST"

/**
 * The document: a body has one of the types, or a type of an embedder. `$defs` has the fields beside a payload, the
 * payload of each type, the named forms, and each finding by its code.
 */
export const document = (): Json => {
  const forms: Forms = new Map()
  const types = Object.entries(Ontology.types).flatMap(([type]) => {
    const { ast } = payloads[type as Ontology.Type]
    return ast._tag === "Never" ? [] : [[type, bare(ast, forms)] as const]
  })
  const body = bodyOf(forms)
  const definitions = [
    ["body", body] as const,
    ...types,
    ...[...forms].sort(([left], [right]) => (left < right ? -1 : 1))
  ]
  const names = new Set(definitions.map(([name]) => name))
  if (names.size < definitions.length) throw new Error("A form has the name of a type")
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `Bodies of version ${Ontology.version} of the ontology`,
    $ref: "#/$defs/body",
    oneOf: [...types.map(([type, payload]) => ofType(type as Ontology.Type, payload)), foreign],
    $defs: Object.fromEntries(definitions)
  }
}

/** The document as text, with a line for each value. */
export const text = (): string => `${JSON.stringify(document(), undefined, 2)}\n`

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }
type Forms = Map<string, Json>

const ofType = (type: Ontology.Type, payload: Json): Json => ({
  properties: {
    author: { enum: [...Ontology.types[type].authors] },
    data: { $ref: `#/$defs/${type}` },
    type: { const: type }
  },
  required: ["author", ...(isEmpty(payload) ? [] : ["data"]), "type", ...(parts[type] ?? [])]
})

/** A type of an embedder, whose payload its vocabulary declares. */
const foreign: Json = {
  properties: {
    author: { enum: ["agent", "institution", "user"] },
    type: {
      maxLength: 80,
      pattern: `^(?!(?:${Ontology.segments.join("|")})\\.)[a-z][a-z0-9_]{0,39}(?:\\.[a-z][a-z0-9_]*)+$`
    }
  }
}

/** Draws the fields of any body, with any type, because the types are drawn separately. */
const bodyOf = (forms: Forms): Json => {
  const { propertySignatures } = frame.ast
  const fields = propertySignatures.filter(({ name }) => name !== "type")
  const drawn = objectOf({ indexSignatures: [], propertySignatures: fields }, forms) as {
    readonly [name: string]: Json
  }
  return {
    ...drawn,
    properties: { ...(drawn["properties"] as { readonly [name: string]: Json }), type: { type: "string" } },
    required: ["author", "type"]
  }
}

/** Tells whether a payload may be absent: none of its fields is required. */
const isEmpty = (payload: Json): boolean =>
  typeof payload === "object" && payload !== null && !Object.hasOwn(payload, "required")

const formOf = (ast: SchemaAST.AST, forms: Forms): Json => {
  if (ast._tag === "Suspend") return formOf(ast.thunk(), forms)
  const name = ast.annotations?.["identifier"]
  if (typeof name !== "string" || ast._tag === "Declaration") return bare(ast, forms)
  if (!forms.has(name)) {
    // It is entered while it is drawn, so that a form may refer to itself.
    forms.set(name, {})
    forms.set(name, bare(ast, forms))
  }
  return { $ref: `#/$defs/${name}` }
}

const bare = (ast: SchemaAST.AST, forms: Forms): Json => {
  switch (ast._tag) {
    case "Arrays":
      return { type: "array", items: anyOf(ast.rest, forms) }
    case "Boolean":
      return { type: "boolean" }
    case "Declaration":
      return declared(String(ast.annotations?.["identifier"]), forms)
    case "Literal":
      return { const: ast.literal as string | number | boolean }
    case "Null":
      return { type: "null" }
    case "Number":
    case "String":
      return Object.assign({ type: ast._tag.toLowerCase() }, ...(ast.checks ?? []).map(keywordOf))
    case "Objects":
      return objectOf(ast, forms)
    case "Union":
      return anyOf(ast.types, forms)
    default:
      throw new Error(`A payload has a form that the schema has no word for: ${ast._tag}`)
  }
}

const whole: Json = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

const moneyOf = (forms: Forms): Json => formOf(Form.Money.ast, forms)

const declared = (name: string, forms: Forms): Json => {
  switch (name) {
    case "nothing":
      return { type: "object", additionalProperties: false }
    case "object":
      return { type: "object" }
    case "value":
      return {}
    case "amounts":
      return { type: "object", patternProperties: { "^money(?:\\.|$)": moneyOf(forms) }, additionalProperties: whole }
    default:
      throw new Error(`A payload has a declaration that the schema has no word for: ${name}`)
  }
}

/** A check in JSON Schema. A check without a keyword is an error, not left out silently. */
const keywordOf = (check: SchemaAST.Check<never>): { readonly [keyword: string]: Json } => {
  const { id, payload } = {
    ...(check.annotations?.["representation"] as { readonly id: string; readonly payload: never })
  }
  switch (id) {
    case "effect/schema/isFinite":
      return {}
    case "effect/schema/isBetween":
    case "effect/schema/isGreaterThanOrEqualTo":
    case "effect/schema/isLessThanOrEqualTo":
      return payload
    case "effect/schema/isInt":
      return { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
    case "effect/schema/isPattern":
      return { pattern: payload["source"] }
    default:
      throw new Error(`A payload has a check that the schema has no word for: ${id}`)
  }
}

const anyOf = (members: ReadonlyArray<SchemaAST.AST>, forms: Forms): Json => {
  const words = members.flatMap((each) => (each._tag === "Literal" ? [each.literal as string | number] : []))
  if (words.length === members.length) return words.length === 1 ? { const: words[0]! } : { enum: words }
  const drawn = members.map((member) => formOf(member, forms))
  return drawn.length === 1 ? drawn[0]! : { anyOf: drawn }
}

const objectOf = (
  { indexSignatures, propertySignatures }: Pick<SchemaAST.Objects, "indexSignatures" | "propertySignatures">,
  forms: Forms
): Json => {
  const fields = [...propertySignatures].sort((left, right) => (String(left.name) < String(right.name) ? -1 : 1))
  const required = fields.flatMap(({ name, type }) => (type.context?.isOptional === true ? [] : [String(name)]))
  const [rest] = indexSignatures
  return {
    type: "object",
    ...(fields.length === 0
      ? {}
      : { properties: Object.fromEntries(fields.map(({ name, type }) => [String(name), formOf(type, forms)])) }),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: rest === undefined ? false : formOf(rest.type, forms)
  }
}

if (import.meta.main) process.stdout.write(text())
