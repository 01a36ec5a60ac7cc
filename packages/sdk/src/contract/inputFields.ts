/**
 * The fields of a pack for a schema of arguments.
 *
 * The schema checks values; the fields are what the pack records, seals and compares. A part of a schema that fields
 * cannot say is `json`, which accepts any value.
 */
import * as JsonSchema from "./jsonSchema.ts"
import { isStandardSchema, type StandardSchema } from "./StandardSchema.ts"
import type { InputSchema } from "./ToolContract.ts"

type Schema = Readonly<Record<string, unknown>>

/** The fields of an object, as a pack writes them. */
export type Fields = Readonly<Record<string, unknown>>

/** The fields of a schema, if they are known, and the schema that checks values, unless it is one of fields. */
export const of = (
  input: InputSchema | undefined
): { readonly fields: Fields | undefined; readonly schema: StandardSchema | undefined } => {
  if (input === undefined) return { fields: undefined, schema: undefined }
  if (isStandardSchema(input)) return { fields: fieldsOf(jsonSchemaOf(input)), schema: input }
  const isJsonSchema = input["type"] === "object" && isObject(input["properties"] ?? {})
  if (!isJsonSchema) return { fields: input, schema: undefined }
  return { fields: fieldsOf(input) ?? {}, schema: JsonSchema.schemaOf(input) }
}

/** The JSON Schema of a schema; `undefined` where its library does not offer one, or cannot write it. */
const jsonSchemaOf = (schema: StandardSchema): Schema | undefined => {
  try {
    return schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" })
  } catch {
    return undefined
  }
}

const fieldsOf = (schema: Schema | undefined): Fields | undefined => {
  if (schema === undefined || !isObject(schema["properties"])) return undefined
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  const closed = Object.entries(schema["properties"]).map(([name, each]) => {
    const type = typeOf(isObject(each) ? each : {})
    return [name, required.includes(name) ? type : { ...type, optional: true }] as const
  })
  return Object.fromEntries(closed)
}

const typeOf = (schema: Schema): Schema => {
  const values = schema["enum"]
  if (Array.isArray(values) && values.every((each) => typeof each === "string")) return { type: "enum", values }
  switch (schema["type"]) {
    case "string":
      return { type: "string" }
    case "boolean":
      return { type: "bool" }
    case "integer":
      return { type: "int" }
    case "array":
      return isObject(schema["items"]) ? { type: "list", item: typeOf(schema["items"]) } : { type: "json" }
    case "object": {
      const fields = schema["additionalProperties"] === false ? fieldsOf(schema) : undefined
      return fields === undefined ? { type: "json" } : { type: "object", fields }
    }
    default:
      return { type: "json" }
  }
}

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)
