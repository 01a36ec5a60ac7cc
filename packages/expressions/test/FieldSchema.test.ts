import { assert, describe, it } from "@effect/vitest"
import { Field, FieldSchema } from "../src/index.ts"

describe("FieldSchema", () => {
  it("makes the JSON Schema of fields", () => {
    const schema = FieldSchema.ofFields({
      name: { type: "string", description: "Whose it is" },
      count: { type: "int", optional: true },
      ratio: { type: "float" },
      price: { type: "decimal", precision: 2 },
      whole: { type: "decimal", precision: 0 },
      done: { type: "bool", nullable: true },
      any: { type: "json" },
      kind: { type: "enum", values: ["a", "b"] },
      items: { type: "list", item: { type: "int" } },
      rows: { type: "table", key: "id", row: Field.object({ n: { type: "int" } }) }
    })
    assert.deepStrictEqual(schema, {
      type: "object",
      additionalProperties: false,
      required: ["name", "ratio", "price", "whole", "done", "any", "kind", "items", "rows"],
      properties: {
        name: { type: "string", description: "Whose it is" },
        count: { type: "integer" },
        ratio: { type: "number" },
        price: { type: "string", pattern: "^-?\\d+(\\.\\d{1,2})?$" },
        whole: { type: "string", pattern: "^-?\\d+$" },
        done: { anyOf: [{ type: "boolean" }, { type: "null" }] },
        any: {},
        kind: { type: "string", enum: ["a", "b"] },
        items: { type: "array", items: { type: "integer" } },
        rows: {
          type: "object",
          additionalProperties: {
            type: "object",
            properties: { n: { type: "integer" } },
            required: ["n"],
            additionalProperties: false
          }
        }
      }
    })
  })
})
