/**
 * The payloads of a trace as one JSON Schema (draft 2020-12), by which an implementation in any language checks bodies.
 *
 * `node tooling/src/PayloadSchema.ts` prints docs/payloads.schema.json.
 *
 * @since 0.1.0
 */
import { payloads } from "@backstitch/kernel/Payload"
import * as Ontology from "@backstitch/trace/Ontology"
import type * as SchemaAST from "effect/SchemaAST"

/**
 * The document: a body is one of its types, and `$defs` has the payload of each, and the forms that have a name.
 *
 * @category conversions
 * @since 0.1.0
 */
export const document = (): Json => {
  const forms = new Map<string, Json>()
  const definitions = Object.entries(Ontology.types).flatMap(([type]) => {
    const { ast } = payloads[type as Ontology.Type]
    return ast._tag === "Never" ? [] : [[type, bare(ast, forms)] as const]
  })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `Payloads of version ${Ontology.version} of the ontology`,
    oneOf: definitions.map(([type, payload]) => ({
      type: "object",
      properties: {
        author: { enum: [...Ontology.types[type as Ontology.Type].authors] },
        data: { $ref: `#/$defs/${type}` },
        type: { const: type }
      },
      required: isEmpty(payload) ? ["author", "type"] : ["author", "data", "type"]
    })),
    $defs: Object.fromEntries([...definitions, ...[...forms].sort(([left], [right]) => (left < right ? -1 : 1))])
  }
}

/**
 * The document as text, with a line for each value.
 *
 * @category conversions
 * @since 0.1.0
 */
export const text = (): string => `${JSON.stringify(document(), undefined, 2)}\n`

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }
type Forms = Map<string, Json>

/** Where nothing is required, the payload may be absent. */
const isEmpty = (payload: Json): boolean =>
  typeof payload === "object" && payload !== null && !Object.hasOwn(payload, "required")

const formOf = (ast: SchemaAST.AST, forms: Forms): Json => {
  const name = ast.annotations?.["identifier"]
  if (typeof name !== "string" || ast._tag === "Declaration") return bare(ast, forms)
  if (!forms.has(name)) {
    // It stands there while it is drawn, so that a form may name itself.
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
      return ast.annotations?.["identifier"] === "object" ? { type: "object" } : {}
    case "Literal":
      return { const: ast.literal as string | number | boolean }
    case "Null":
      return { type: "null" }
    case "Number":
      return ast.checks === undefined ? { type: "number" } : { type: "integer", minimum: 0 }
    case "Objects":
      return objectOf(ast, forms)
    case "String":
      return { type: "string" }
    case "Union":
      return anyOf(ast.types, forms)
    default:
      throw new Error(`A payload has a form that the schema has no word for: ${ast._tag}`)
  }
}

const anyOf = (members: ReadonlyArray<SchemaAST.AST>, forms: Forms): Json => {
  const drawn = members.map((member) => formOf(member, forms))
  return drawn.length === 1 ? drawn[0]! : { anyOf: drawn }
}

const objectOf = ({ indexSignatures, propertySignatures }: SchemaAST.Objects, forms: Forms): Json => {
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
