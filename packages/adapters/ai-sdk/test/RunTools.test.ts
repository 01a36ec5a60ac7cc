import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { generateText, isStepCount, streamText, type ToolSet } from "ai"
import { aiSdkTools, messagesOf, parked, toolsOf } from "../src/AiSdk.ts"
import * as lab from "./lab.ts"
import { type Answer, ModelProcess } from "./ModelProcess.ts"
import { pack, Till } from "./till.ts"

const pay = (amount: number, item = "milk"): Answer => ({ calls: [{ name: "pay", arguments: { item, amount } }] })

/** Lets a model of the AI SDK work with the tools of a till, and tells the results that it was shown. */
const work = async (
  answers: ReadonlyArray<Answer>,
  options: { readonly till?: Till; readonly tools?: (till: Till) => ToolSet; readonly toolMs?: number } = {}
) => {
  const model = await ModelProcess.start({ answers })
  const { till = new Till(), toolMs } = options
  const { backstitch, run } = await till.open()
  try {
    const tools = options.tools?.(till) ?? aiSdkTools(run, till.tools)
    const { steps, text } = await generateText({
      model: lab.modelOf(model),
      prompt: "Buy milk",
      tools,
      stopWhen: [parked, isStepCount(5)],
      ...(toolMs === undefined ? {} : { timeout: { toolMs } })
    })
    const shown = (await model.requests()).flatMap(({ messages }) => messages).filter(({ role }) => role === "tool")
    const results = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output as object))
    const messages = await messagesOf(run)
    return { till, steps, text, shown: shown.map(({ content }) => String(content)), results, messages }
  } finally {
    await backstitch.close()
    model.stop()
  }
}

describe("RunTools", () => {
  it("gives a model the outcome of each call, and the program all of it", async () => {
    const { results, shown, steps, till } = await work([pay(30), { text: "Paid." }])
    assert.strictEqual(till.sent, 1)
    assert.containSubset(results, [{ status: "done", verified: true, output: { receipt: "r-milk" }, run: "errand" }])
    assert.deepStrictEqual(JSON.parse(shown[0] ?? ""), { status: "done", output: { receipt: "r-milk" } })
    assert.lengthOf(steps, 2)
  })

  it("answers an act that was done before from the record, under whichever id it is called", async () => {
    const { results, till } = await work([pay(30), pay(30), { text: "Paid." }])
    assert.strictEqual(till.sent, 1)
    assert.containSubset(results, [{ before: false }, { status: "done", before: true }])
  })

  it("does one act for two calls of one answer, which the AI SDK makes side by side", async () => {
    const twice = { calls: [...(pay(30).calls ?? []), ...(pay(30).calls ?? [])] }
    const { results, till } = await work([twice, { text: "Paid." }])
    assert.strictEqual(till.sent, 1)
    assert.containSubset(results, [{ status: "done" }, { status: "done" }])
  })

  it("makes each of two calls to which the provider gives one id", async () => {
    const call = (item: string): Answer => ({ calls: [{ name: "price", arguments: { item }, id: "call_0" }] })
    const { results } = await work([call("milk"), call("bread"), call("milk"), { text: "All are 30." }])
    assert.containSubset(results, [{ before: false }, { before: false }, { before: false }])
  })

  it("ends the loop where a call waits for a person, and where its outcome is unknown", async () => {
    const waiting = await work([pay(500), { text: "Never said." }])
    assert.containSubset(waiting.results, [{ status: "parked", needs: ["manager"] }])
    assert.lengthOf(waiting.steps, 1)
    const till = new Till()
    till.after = () => {
      till.paid.clear()
      throw new Error("the connection was cut")
    }
    const held = await work([pay(30), { text: "Never said." }], { till })
    assert.lengthOf(held.steps, 1)
    assert.containSubset(held.results, [{ status: "held" }])
  })

  it("throws nothing where the AI SDK gives up waiting, and the next call asks what became of it", async () => {
    const till = new Till()
    till.after = () => new Promise((resolve) => setTimeout(resolve, 700))
    const { results } = await work([pay(30), pay(30), { text: "Paid." }], { till, toolMs: 200 })
    assert.containSubset(results[0], { status: "unavailable" })
    assert.strictEqual(till.sent, 1)
  })

  it("carries out nothing for a tool that does not exist, or for arguments that are no JSON", async () => {
    const fly: Answer = { calls: [{ name: "fly", arguments: {} }] }
    const broken: Answer = { calls: [{ name: "pay", arguments: '{"item":' }] }
    const { shown, text, till } = await work([fly, broken, { text: "Sorry." }])
    assert.strictEqual(till.sent, 0)
    assert.strictEqual(text, "Sorry.")
    assert.include(shown[0], "fly")
  })

  it("has the outcome from the record where a tool answers 50 MB", async () => {
    const till = new Till()
    till.after = () => "x".repeat(50_000_000)
    const { backstitch, run } = await till.open()
    const { pay } = aiSdkTools(run, till.tools)
    const options = { toolCallId: "call_1", messages: [], context: {} }
    const outcome = await pay.execute?.({ item: "milk", amount: 30 }, options as never)
    assert.containSubset(outcome, { status: "done", basis: "readback", output: { item: "milk", amount: 30 } })
    assert.isBelow(JSON.stringify(await messagesOf(run)).length, 10_000)
    await backstitch.close()
  })

  it("keeps a secret argument sealed in the record, and hands it to the tool", async () => {
    const till = new Till()
    const { pay } = pack.tools
    const input = { item: "string", amount: { type: "int", sensitive: { subject: "args.item" } } }
    const folder = mkdtempSync(join(tmpdir(), "backstitch-till-"))
    const more = { tools: { ...pack.tools, pay: { ...pay, input, output: {} } }, approvals: {} }
    const { backstitch, run } = await till.open(more, join(folder, "trace.db"))
    try {
      const options = { toolCallId: "call_1", messages: [], context: {} }
      const { pay: paying } = aiSdkTools(run, till.tools)
      await paying.execute?.({ item: "milk", amount: 424_242 }, options as never)
      assert.deepStrictEqual([...till.paid.values()], [{ item: "milk", amount: 424_242 }])
      let record = ""
      for await (const event of run.events({ follow: false })) record += JSON.stringify(event)
      assert.notInclude(record, "424242")
    } finally {
      await backstitch.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("offers the tools of the pack with their contracts, where there is no code of the AI SDK", async () => {
    const till = new Till()
    const { backstitch, run } = await till.open()
    const tools = await toolsOf(run)
    assert.sameMembers(Object.keys(tools), ["price", "pay"])
    assert.strictEqual(tools["pay"]?.description, "Pays for an item")
    const options = { toolCallId: "call_1", messages: [], context: {} }
    const outcome = await tools["pay"]?.execute?.({ item: "milk", amount: 30 }, options as never)
    assert.containSubset(outcome, { status: "done" })
    await backstitch.close()
  })

  it("leaves messages of which each call has its result", async () => {
    const { messages } = await work([pay(30), { text: "Paid." }])
    assert.deepStrictEqual(
      messages.map(({ role }) => role),
      ["user", "assistant", "tool", "user"]
    )
  })

  it("streams as it generates", async () => {
    const model = await ModelProcess.start({ answers: [pay(30), { text: "All paid." }] })
    const till = new Till()
    const { backstitch, run } = await till.open()
    try {
      const stream = streamText({
        model: lab.modelOf(model),
        prompt: "Buy milk",
        tools: aiSdkTools(run, till.tools),
        stopWhen: [parked, isStepCount(5)]
      })
      let text = ""
      for await (const delta of stream.textStream) text += delta
      assert.strictEqual(text, "All paid.")
      assert.strictEqual(till.sent, 1)
    } finally {
      await backstitch.close()
      model.stop()
    }
  })
})
