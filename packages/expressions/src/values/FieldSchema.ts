/**
 * The JSON Schema of a field, for a model or a program that fills in a value without knowing the language of fields.
 *
 * A schema says less than a field: it guides the one who writes a value, and `Field.check` decides about the value.
 * A sensitive field is described as its plain value, since it is sealed after it was given.
 */
import type { JsonObject } from "@backstitch/trace/Canonical"
import type * as Field from "./Field.ts"

/** Makes the JSON Schema of a field. */
export const of = (field: Field.Field): JsonObject => {
  const { description } = field
  const schema = { ...typed(field), ...(description === undefined ? {} : { description }) }
  return field.nullable === true ? { anyOf: [schema, { type: "null" }] } : schema
}

const typed = (field: Field.Field): JsonObject => {
  switch (field.type) {
    case "string":
      return { type: "string" }
    case "bool":
      return { type: "boolean" }
    case "int":
      return { type: "integer" }
    case "float":
      return { type: "number" }
    case "decimal":
      return { type: "string", pattern: `^-?\\d+${field.precision === 0 ? "" : `(\\.\\d{1,${field.precision}})?`}$` }
    case "enum":
      return { type: "string", enum: [...field.values] }
    case "list":
      return { type: "array", items: of(field.item) }
    case "table":
      return { type: "object", additionalProperties: of(field.row) }
    case "object":
      return ofFields(field.fields)
    case "json":
      return {}
  }
}

/** Makes the JSON Schema of an object that has these fields and no others. */
export const ofFields = (fields: Field.Fields): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, of(field)])),
  required: Object.entries(fields).flatMap(([name, { optional }]) => (optional === true ? [] : [name])),
  additionalProperties: false
})
