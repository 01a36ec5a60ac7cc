import * as ToolMapping from "@backstitch/mcp/ToolMapping"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import { misfits } from "../src/contract/toolFit.ts"

const mapping: ToolMapping.Mapping = {
  tools: { pay: { ...ToolMapping.of(ToolMapping.empty, "pay"), key: { argument: "key" } } }
}
const listed = (inputSchema: Json) => new Map<string, JsonObject>([["pay", { name: "pay", inputSchema }]])

describe("toolFit", () => {
  it("takes a schema by its word: one that names no argument and forbids none takes any", () => {
    const takes: ReadonlyArray<Json> = [
      { type: "object" },
      { type: "object", properties: {} },
      { type: "object", properties: { order: {} }, additionalProperties: true },
      { type: "object", properties: { order: {} }, patternProperties: { "^k": {} } },
      { allOf: [{ type: "object" }] },
      { type: "object", properties: { key: {} }, additionalProperties: false }
    ]
    for (const schema of takes) assert.deepStrictEqual(misfits(mapping, listed(schema)), [], JSON.stringify(schema))
    const refuses: ReadonlyArray<readonly [Json, string]> = [
      [{ type: "object", additionalProperties: false }, "none"],
      [{ type: "object", properties: { order: {} } }, "order"],
      [{ type: "object", properties: { order: {} }, additionalProperties: false }, "order"]
    ]
    for (const [schema, names] of refuses) {
      const says = `the mapping of pay puts the key into key, and the tool takes ${names}`
      assert.deepStrictEqual(misfits(mapping, listed(schema)), [says])
    }
  })
})
