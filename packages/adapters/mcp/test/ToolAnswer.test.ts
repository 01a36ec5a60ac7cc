import { assert, describe, it } from "@effect/vitest"
import * as Limits from "../src/Limits.ts"
import * as ToolAnswer from "../src/message/ToolAnswer.ts"

const text = (says: string) => ({ type: "text", text: says })

describe("ToolAnswer", () => {
  it("keeps an answer so that it comes out again as it was", () => {
    const results = [
      { content: [text("done")] },
      { content: [text('{"id":7}')] },
      { content: [text('{"id":7}')], structuredContent: { id: 7 } },
      { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }, text("x")], _meta: { "a/b": 1 } }
    ]
    for (const result of results) {
      const kept = ToolAnswer.toEvidence(result)
      const again = ToolAnswer.fromEvidence(kept)
      assert.deepStrictEqual(again, result)
    }
  })

  it("gives expressions the structured value, or the JSON of the only text", () => {
    assert.deepStrictEqual(ToolAnswer.toEvidence({ content: [text('{"id":7}')] })["value"], { id: 7 })
    assert.deepStrictEqual(ToolAnswer.toEvidence({ content: [], structuredContent: { id: 8 } })["value"], { id: 8 })
    assert.notProperty(ToolAnswer.toEvidence({ content: [text("7"), text("8")] }), "value")
  })

  it("keeps the size and the digest of an answer that is too large", () => {
    const large = { content: [text("x".repeat(Limits.refusing.keptAnswerCharactersMax + 1))] }
    const kept = ToolAnswer.toEvidence(large)
    assert.isBelow(JSON.stringify(kept).length, 200)
    assert.match(ToolAnswer.textOf(ToolAnswer.fromEvidence(kept)), /too large to be kept .* SHA-256 [0-9a-f]{64}/)
  })

  it("tells a record that is no answer of a tool as text", () => {
    const told = ToolAnswer.fromEvidence({ id: 7, amount: 5 })
    assert.deepStrictEqual(told, { content: [text('{"id":7,"amount":5}')], structuredContent: { id: 7, amount: 5 } })
  })
})
