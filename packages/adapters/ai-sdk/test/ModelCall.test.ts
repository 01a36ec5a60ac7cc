import { assert, describe, it } from "@effect/vitest"
import * as ModelCall from "../src/ModelCall.ts"
import * as lab from "./lab.ts"
import { type Fault, ModelProcess, type Program } from "./ModelProcess.ts"

const asked: ModelCall.ModelQuestion = {
  instructions: "Call the tool.",
  messages: [{ role: "user", content: "Now." }],
  tools: { look: { description: "Looks", input: { type: "object", properties: { item: { type: "string" } } } } }
}

const ask = async (program: Program, options: Omit<ModelCall.Options, "model"> = {}) => {
  const model = await ModelProcess.start(program)
  try {
    const answer = await ModelCall.ask({ ...options, model: lab.modelOf(model) }, asked).catch(
      (cause: unknown) => cause
    )
    return { answer, requests: await model.requests() }
  } finally {
    model.stop()
  }
}

describe("ModelCall", () => {
  for (const isStreamed of [false, true]) {
    it(`tells the words, the calls and the tokens, ${isStreamed ? "as they arrive" : "at once"}`, async () => {
      const deltas: Array<string> = []
      const given = [
        { name: "look", arguments: { item: "milk" } },
        { name: "look", arguments: "{" },
        { name: "fly", arguments: {} }
      ]
      const answers = [{ text: "I look at it.", calls: given, tokens: 12 }]
      const { answer } = await ask({ answers }, isStreamed ? { onText: (delta) => deltas.push(delta) } : {})
      assert.deepStrictEqual(answer, {
        text: "I look at it.",
        finish: "tool-calls",
        tokens: 12,
        calls: [
          { name: "look", input: { item: "milk" }, isMalformed: false, isOffered: true },
          { name: "look", input: "{", isMalformed: true, isOffered: true },
          { name: "fly", input: {}, isMalformed: false, isOffered: false }
        ]
      })
      assert.strictEqual(deltas.join(""), isStreamed ? "I look at it." : "")
    })
  }

  it("sends a request again that brought no answer, as often as it is told to", async () => {
    const faults: ReadonlyArray<Fault> = [{ request: 1, kind: "500" }]
    const again = await ask({ answers: [{ text: "Now." }], faults }, { retriesMax: 1 })
    assert.deepInclude(again.answer, { text: "Now." })
    assert.lengthOf(again.requests, 2)
    const once = await ask({ answers: [{ text: "Now." }], faults }, { retriesMax: 0 })
    assert.deepInclude(once.answer, { _tag: "ModelFailed", kind: "refused" })
  })

  it("uses nothing of an answer that the provider withheld", async () => {
    const { answer } = await ask({ answers: [{ text: "I", finish: "content_filter" }] })
    assert.deepInclude(answer, { _tag: "ModelFailed", kind: "blocked" })
  })
})
