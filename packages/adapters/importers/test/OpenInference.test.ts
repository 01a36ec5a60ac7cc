import { assert, describe, it } from "@effect/vitest"
import * as OpenInference from "../src/formats/OpenInference.ts"
import { parse, told } from "./spans.ts"

const span = (second: number, attributes: object) => ({ traceId: "t", startTime: [second, 0], attributes })

const asked = {
  "llm.input_messages.0.message.role": "user",
  "llm.input_messages.0.message.content": "weather?"
}

const called = {
  "llm.output_messages.0.message.role": "assistant",
  "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c",
  "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
  "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{}"
}

describe("OpenInference", () => {
  it("reads messages and calls that are spread over attributes", () => {
    const [chat] = parse([
      span(1, { ...asked, ...called, "llm.token_count.total": 3 }),
      span(2, {
        "openinference.span.kind": "TOOL",
        "tool.name": "weather",
        "input.value": "{}",
        "output.value": "rain"
      })
    ])
    assert.deepStrictEqual(told(chat), ["user: weather?", "weather(c)", "c => rain"])
    assert.deepStrictEqual(chat?.lost, { usage: 1 })
  })

  it("takes a model call that says nothing new for no step around others", () => {
    const [chat] = parse([span(1, asked), span(2, asked), span(3, { "llm.model_name": "m" })])
    assert.deepStrictEqual(told(chat), ["user: weather?"])
    assert.deepStrictEqual(chat?.lost, { frame: 1 })
  })

  it("answers no messages if a span has none of its attributes", () => {
    assert.isUndefined(OpenInference.convention.given({ "gen_ai.prompt": "weather?" }))
  })
})
