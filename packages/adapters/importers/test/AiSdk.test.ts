import { assert, describe, it } from "@effect/vitest"
import { parse, told } from "./spans.ts"

describe("AiSdk", () => {
  it("reads model calls, tools, and the span around them if it stands alone", () => {
    const span = (seconds: number, attributes: object) => ({ traceId: "t", startTime: [seconds, 0], attributes })
    const ask = { role: "user", content: [{ type: "text", text: "weather?" }] }
    const call = { type: "tool-call", toolCallId: "c", toolName: "weather", input: { city: "Basel" } }
    const result = {
      type: "tool-result",
      toolCallId: "c",
      toolName: "weather",
      output: { type: "text", value: "rain" }
    }
    const around = span(1, {
      "ai.operationId": "ai.generateText",
      "ai.prompt": JSON.stringify({ prompt: "weather?" }),
      "ai.response.text": "it rains",
      "ai.usage.completionTokens": 9
    })
    const spans = [
      around,
      span(2, {
        "ai.operationId": "ai.generateText.doGenerate",
        "gen_ai.system": "openai",
        "ai.prompt.messages": JSON.stringify([ask]),
        "ai.response.toolCalls": JSON.stringify([{ ...call, type: undefined, input: '{"city":"Basel"}' }]),
        "gen_ai.usage.input_tokens": 3
      }),
      span(3, {
        "ai.operationId": "ai.toolCall",
        "ai.toolCall.name": "weather",
        "ai.toolCall.id": "c",
        "ai.toolCall.args": '{"city":"Basel"}',
        "ai.toolCall.result": '"rain"'
      }),
      span(4, {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.prompt.messages": JSON.stringify([
          ask,
          { role: "assistant", content: [call] },
          { role: "tool", content: [result] }
        ]),
        "ai.response.text": "it rains",
        "ai.response.reasoning": "clouds"
      }),
      span(5, { "http.method": "POST" })
    ]
    const [chat] = parse(spans)
    assert.deepStrictEqual(told(chat), ["user: weather?", "weather(c)", 'c => "rain"', "agent: it rains"])
    assert.deepStrictEqual(chat?.lost, { frame: 2, reasoning: 1, usage: 1 })
    assert.deepStrictEqual(told(parse([around])[0]), ["user: weather?", "agent: it rains"])
  })
})
