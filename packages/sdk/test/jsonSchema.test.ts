import { assert, describe, it } from "vitest"
import * as JsonSchema from "../src/contract/jsonSchema.ts"
import { BackstitchError, guarded } from "../src/Sdk.ts"

const objectOf = (field: object, more: object = {}) => ({
  type: "object",
  title: "a charge",
  properties: { value: { description: "a field", ...field } },
  ...more
})

const fits = (schema: object, value: unknown): boolean => {
  const answer = JsonSchema.schemaOf({ ...schema })["~standard"].validate(value)
  return !("issues" in answer) || answer.issues === undefined
}

describe("a JSON Schema of arguments", () => {
  const cases: ReadonlyArray<readonly [object, good: unknown, bad: unknown]> = [
    [{ minLength: 2, maxLength: 3 }, "ab", "a"],
    [{ maxLength: 1 }, "😀", "ab"],
    [{ pattern: "^[A-Z]+$" }, "AB", "ab"],
    [{ minimum: 1, maximum: 500 }, 500, 501],
    [{ exclusiveMinimum: 0 }, 0.1, 0],
    [{ exclusiveMaximum: 1 }, 0.9, 1],
    [{ multipleOf: 0.1 }, 0.3, 0.35],
    [{ enum: [1, 2] }, 2, 3],
    [{ const: { a: [1] } }, { a: [1] }, { a: [2] }],
    [{ type: ["string", "null"] }, null, 1],
    [{ items: { type: "integer" }, minItems: 1, maxItems: 2 }, [1], [1, "2"]],
    [{ additionalProperties: { type: "string" }, minProperties: 1 }, { a: "b" }, { a: 1 }],
    [{ propertyNames: { maxLength: 1 }, maxProperties: 1 }, { a: 1 }, { ab: 1 }],
    [{ properties: { a: true }, required: ["a"], additionalProperties: false }, { a: 1 }, { b: 1 }],
    [{ anyOf: [{ type: "string" }, { type: "integer" }] }, "a", 1.5],
    [{ oneOf: [{ minimum: 1 }, { maximum: 3 }] }, 4, 2],
    [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, 2, 4],
    [{ not: { const: 1 } }, 2, 1],
    [{ format: "date" }, "2026-11-27", "27.11."],
    [{ format: "email" }, "ada@example.org", "ada"]
  ]
  for (const [field, good, bad] of cases) {
    it(`is checked: ${JSON.stringify(field)}`, () => {
      assert.isTrue(fits(objectOf(field), { value: good }))
      assert.isFalse(fits(objectOf(field), { value: bad }))
    })
  }

  it("is followed where it refers to itself", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } }, additionalProperties: false }
    const schema = objectOf({ $ref: "#/$defs/node" }, { $defs: { node } })
    assert.isTrue(fits(schema, { value: { next: { next: {} } } }))
    assert.isFalse(fits(schema, { value: { next: { next: { more: 1 } } } }))
  })

  it("is refused by the name and place of what cannot be checked", () => {
    const refused: ReadonlyArray<readonly [object, string]> = [
      [{ contains: {} }, "#/properties/value/contains"],
      [{ pattern: "(" }, "#/properties/value/pattern"],
      [{ format: "postcode" }, "#/properties/value/format"],
      [{ $ref: "#/$defs/absent" }, "#/properties/value/$ref"],
      [{ minimum: "1" }, "#/properties/value/minimum"]
    ]
    for (const [field, place] of refused) {
      try {
        guarded(async (_: object) => 1, { contract: { tool: "charge", input: objectOf(field) } })
        assert.fail(`${place} was taken`)
      } catch (cause) {
        assert.isTrue(cause instanceof BackstitchError && cause.code === "contract_invalid")
        assert.include(String(cause), place)
      }
    }
  })

  it("is kept by the calls of a guarded tool", async () => {
    const input = objectOf({ type: "integer", minimum: 1, maximum: 500 })
    await using charge = guarded(async (args: object) => args, {
      contract: { tool: "charge", input },
      store: "memory:"
    })
    assert.deepInclude(await charge.outcome({ value: -5 }), { status: "refused", why: "value: must be at least 1" })
    assert.deepStrictEqual(await charge({ value: 500 }), { value: 500 })
  })
})
