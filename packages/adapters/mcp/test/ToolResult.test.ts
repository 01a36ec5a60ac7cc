import { assert, describe, it } from "@effect/vitest"
import * as Limits from "../src/Limits.ts"
import * as ToolResult from "../src/message/ToolResult.ts"

const text = (says: string) => ({ type: "text", text: says })

describe("ToolResult", () => {
  it("keeps an answer so that it comes out again as it was", () => {
    const results = [
      { content: [text("done")] },
      { content: [text('{"id":7}')] },
      { content: [text('{"id":7}')], structuredContent: { id: 7 } },
      { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }, text("x")], _meta: { "a/b": 1 } }
    ]
    for (const result of results) {
      const kept = ToolResult.toEvidence(result)
      const again = ToolResult.fromEvidence(kept)
      assert.deepStrictEqual(again, result)
    }
  })

  it("gives expressions the structured value, or the JSON of the only text", () => {
    assert.deepStrictEqual(ToolResult.toEvidence({ content: [text('{"id":7}')] })["value"], { id: 7 })
    assert.deepStrictEqual(ToolResult.toEvidence({ content: [], structuredContent: { id: 8 } })["value"], { id: 8 })
    assert.notProperty(ToolResult.toEvidence({ content: [text("7"), text("8")] }), "value")
  })

  it("keeps the size and the digest of an answer that is too large", () => {
    const large = { content: [text("x".repeat(Limits.refusing.keptAnswerCharactersMax + 1))] }
    const kept = ToolResult.toEvidence(large)
    assert.isBelow(JSON.stringify(kept).length, 200)
    assert.match(ToolResult.textOf(ToolResult.fromEvidence(kept)), /too large to be kept .* SHA-256 [0-9a-f]{64}/)
  })

  it("tells a record that is no answer of a tool as text", () => {
    const told = ToolResult.fromEvidence({ id: 7, amount: 5 })
    assert.deepStrictEqual(told, { content: [text('{"id":7,"amount":5}')], structuredContent: { id: 7, amount: 5 } })
  })
})
