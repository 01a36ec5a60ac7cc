import type { Run } from "@backstitch/sdk"
import { assert, describe, it } from "@effect/vitest"
import { generateText, streamText, wrapLanguageModel } from "ai"
import { recordCalls } from "../src/AiSdk.ts"
import * as lab from "./lab.ts"
import { ModelProcess, type Program } from "./ModelProcess.ts"
import { Till } from "./till.ts"

/** Lets a program ask a model whose calls are recorded, and tells what the run has of them. */
const recorded = async (
  program: Program,
  asks: (model: Parameters<typeof generateText>[0]["model"]) => Promise<unknown>,
  more: object = {}
) => {
  const model = await ModelProcess.start(program)
  const { backstitch, run } = await new Till().open(more)
  const own = wrapLanguageModel({ model: lab.modelOf(model) as never, middleware: recordCalls(run) })
  try {
    const failure = await asks(own).then(
      () => undefined,
      (cause: unknown) => cause
    )
    return { failure, calls: await callsIn(run), requests: (await model.requests()).length }
  } finally {
    await backstitch.close()
    model.stop()
  }
}

const callsIn = async (run: Run): Promise<ReadonlyArray<object>> => {
  const calls: Array<object> = []
  for await (const { data, spent } of run.events({ follow: false })) {
    const call = (data as { readonly model_call?: object } | null)?.model_call
    if (call !== undefined) calls.push({ ...call, spent })
  }
  return calls
}

const prompt = "Say something"
const call = { calls: [{ name: "pay", arguments: { item: "milk", amount: 30 } }], tokens: 40 }

describe("CallRecorder", () => {
  it("records each call with its model, its tools and its tokens, which the budget counts", async () => {
    const { calls } = await recorded({ answers: [call] }, (model) =>
      generateText({ model, prompt, tools: new Till().tools, toolChoice: "auto" })
    )
    assert.containSubset(calls[0], {
      model: "fake.chat/model-1",
      finish: "tool-calls",
      tools: ["pay"],
      input_tokens: 39,
      output_tokens: 1,
      spent: { tokens: 40 }
    })
  })

  it("records a stream once: read to its end, cut off, left or given up", async () => {
    const read = (model: Parameters<typeof generateText>[0]["model"]) =>
      streamText({ model, prompt, onError: () => {}, maxRetries: 0 }).consumeStream()
    const whole = await recorded({ answers: [{ text: "All is well.", tokens: 25 }] }, async (model) => read(model))
    assert.containSubset(whole.calls, [{ finish: "stop", spent: { tokens: 25 } }])
    assert.lengthOf(whole.calls, 1)
    const cut = await recorded({ answers: [call], faults: [{ request: 1, kind: "cut" }] }, async (model) => read(model))
    assert.containSubset(cut.calls, [{ finish: "error", tools: [] }])
    const left = await recorded({ answers: [{ text: "All is well, ".repeat(50), tokens: 90 }] }, async (model) => {
      for await (const _ of streamText({ model, prompt }).textStream) break
      await new Promise((resolve) => setTimeout(resolve, 200))
    })
    assert.containSubset(left.calls, [{ finish: "stop", spent: { tokens: 90 } }])
    assert.lengthOf(left.calls, 1)
    const late = await recorded({ answers: [{}], faults: [{ request: 1, kind: "hang" }] }, async (model) =>
      streamText({ model, prompt, onError: () => {}, abortSignal: AbortSignal.timeout(300) }).consumeStream()
    )
    assert.containSubset(late.calls, [{ finish: "error" }])
  })

  it("records a call that fails, and hands the failure on", async () => {
    const { calls, failure } = await recorded({ answers: [{}], faults: [{ request: 1, kind: "500" }] }, (model) =>
      generateText({ model, prompt, maxRetries: 0 })
    )
    assert.include(String(failure), "the fault 500")
    assert.containSubset(calls, [{ finish: "error", error: "the fault 500" }])
  })

  it("asks no more once the budget is used up", async () => {
    const asks = async (model: Parameters<typeof generateText>[0]["model"]) => {
      for (let count = 0; count < 5; count++) await generateText({ model, prompt, maxRetries: 0 })
    }
    const { calls, failure, requests } = await recorded({ answers: [{ text: "Yes.", tokens: 40 }] }, asks, {
      budgets: { tokens: 100 }
    })
    assert.deepInclude(failure, { _tag: "ModelFailed", kind: "spent" })
    assert.lengthOf(calls, 2)
    assert.strictEqual(requests, 3)
  })
})
