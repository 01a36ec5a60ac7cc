import { assert, describe, it } from "vitest"
import * as CheckedInput from "../src/contract/checkedInput.ts"
import * as InputFields from "../src/contract/inputFields.ts"
import * as StandardSchema from "../src/contract/StandardSchema.ts"
import { guarded } from "../src/Sdk.ts"

const jsonSchema = {
  type: "object",
  required: ["order", "amount", "lines"],
  properties: {
    order: { type: "string", minLength: 1 },
    amount: { type: "integer" },
    rate: { type: "number" },
    paid: { type: "boolean" },
    state: { type: "string", enum: ["open", "done"] },
    lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] } },
    to: { type: "object", properties: { city: { type: "string" } }, additionalProperties: false }
  }
}

const fields = {
  order: { type: "string" },
  amount: { type: "int" },
  rate: { type: "json", optional: true },
  paid: { type: "bool", optional: true },
  state: { type: "enum", values: ["open", "done"], optional: true },
  lines: { type: "list", item: { type: "json" } },
  to: { type: "object", fields: { city: { type: "string", optional: true } }, optional: true }
}

/** A schema that reads amounts from text. */
const schema: StandardSchema.StandardSchema<{ order: string; amount: number }> = {
  "~standard": {
    version: 1,
    vendor: "acme",
    validate: (value) => {
      const { amount, order } = value as { order: string; amount: unknown }
      const read = Number(amount)
      if (Number.isInteger(read)) return { value: { order, amount: read } }
      return { issues: [{ message: "expected a whole number", path: ["amount"] }] }
    },
    jsonSchema: { input: () => jsonSchema }
  }
}

describe("StandardSchema", () => {
  it("is told from a JSON Schema and from fields, and each of them says the fields", () => {
    assert.isTrue(StandardSchema.isStandardSchema(schema))
    assert.isTrue(StandardSchema.isStandardSchema(Object.assign(() => 1, schema)))
    assert.isFalse(StandardSchema.isStandardSchema(jsonSchema))
    assert.deepStrictEqual(InputFields.of(jsonSchema).fields, fields)
    assert.deepStrictEqual(InputFields.of(schema), { fields, schema })
    assert.deepStrictEqual(InputFields.of({ order: "string" }), { fields: { order: "string" }, schema: undefined })
  })

  it("checks arguments and converts them, and says where they are wrong", async () => {
    assert.deepStrictEqual(await CheckedInput.of(schema, { order: "1", amount: "5" }), {
      params: { order: "1", amount: 5 },
      problem: undefined
    })
    const { problem } = await CheckedInput.of(schema, { order: "1", amount: "five" })
    assert.strictEqual(problem, "amount: expected a whole number")
  })

  it("guards a tool by what it makes of its arguments, and refuses what does not fit", async () => {
    const sent: Array<unknown> = []
    const { "~standard": standard } = schema
    const narrow = { properties: { order: { type: "string" }, amount: { type: "integer" } }, required: ["order"] }
    const input = { "~standard": { ...standard, jsonSchema: { input: () => ({ type: "object", ...narrow }) } } }
    await using charge = guarded(async (args: { order: string; amount: unknown }) => void sent.push(args), {
      contract: { tool: "charge", input },
      store: "memory:"
    })
    await charge({ order: "1", amount: "5" })
    await charge({ order: "1", amount: 5 })
    const refused = await charge.outcome({ order: "2", amount: "five" })
    assert.deepInclude(refused, { status: "refused", why: "amount: expected a whole number" })
    assert.deepStrictEqual(sent, [{ order: "1", amount: 5 }])
  })

  it("says what to add where a library offers no JSON Schema", () => {
    const { "~standard": standard } = schema
    const bare = { "~standard": { version: 1, vendor: "acme", validate: standard.validate } } as const
    const wrap = (more: object) =>
      guarded(async (_: object) => 1, { contract: { tool: "charge", input: bare, ...more } })
    assert.throws(
      () => wrap({}),
      /The schema of charge \(acme\) does not say which fields it has.*Add them beside input, such as fields:/s
    )
    assert.strictEqual(wrap({ fields: { order: "string" } }).tool, "charge")
  })
})
