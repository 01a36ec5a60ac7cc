/** A graph of somebody else's, with a model and a tool, that is given a callback and nothing else. */
import { Backstitch } from "@backstitch/sdk"
import { factsOf } from "@backstitch/sdk/adapter"
import { assert, describe, it } from "@effect/vitest"
import { AIMessage } from "@langchain/core/messages"
import { tool } from "@langchain/core/tools"
import { FakeListChatModel } from "@langchain/core/utils/testing"
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph"
import { ToolNode } from "@langchain/langgraph/prebuilt"
import * as z from "zod"
import { GraphRecorder } from "../src/capture/GraphRecorder.ts"
import { checkpoints } from "../src/checkpointer/checkpointTypes.ts"

let calls = 0
const charge = tool(
  async ({ order }) => {
    calls++
    if (calls === 1) throw new Error("timed out")
    return `charged ${order}`
  },
  { name: "charge_card", description: "charges", schema: z.object({ order: z.string() }) }
)
const model = new FakeListChatModel({ responses: ["it is charged"] })

/** Charges, and once more if that has failed. */
const graph = new StateGraph(MessagesAnnotation)
  .addNode("agent", async ({ messages }, config) => {
    if (messages.at(-1)?.text.startsWith("charged") === true)
      return { messages: [await model.invoke(messages, config)] }
    const id = `call-${messages.length}`
    return {
      messages: [new AIMessage({ content: "", tool_calls: [{ id, name: "charge_card", args: { order: "4711" } }] })]
    }
  })
  .addNode("tools", new ToolNode([charge]))
  .addEdge(START, "agent")
  .addConditionalEdges("agent", ({ messages }) =>
    (messages.at(-1) as AIMessage).tool_calls?.length ? "tools" : "__end__"
  )
  .addEdge("tools", "agent")
  .compile({ checkpointer: new MemorySaver() })

const opened = (types = [checkpoints]) => Backstitch.open({ store: "memory:", types })

describe("GraphRecorder", () => {
  it("records nodes, models and tools of a graph that knows nothing of it, and names a repeated call", async () => {
    await using bs = await opened()
    const recorder = new GraphRecorder(bs)
    const config = { configurable: { thread_id: "order:4711" }, callbacks: [recorder] }
    const { messages } = await graph.invoke({ messages: [{ role: "user", content: "charge it" }] }, config)
    assert.strictEqual(messages.at(-1)?.text, "it is charged")
    await recorder.flush()
    const facts = factsOf(bs)
    const [run = ""] = await gathered(facts.runs())
    const { facts: all } = await facts.read(run, { namespace: "langgraph", from: 1 })
    const began = all.filter(({ type }) => type === "langgraph.began")
    const named = began.map(({ fields: { kind, name } }) => `${kind} ${name}`)
    for (const each of ["graph LangGraph", "node agent", "node tools", "tool charge_card", "model FakeListChatModel"]) {
      assert.include(named, each)
    }
    const tools = began.filter(({ fields }) => fields["kind"] === "tool")
    assert.deepStrictEqual(
      tools.map(({ fields }) => fields["repeats"]),
      [undefined, tools[0]?.tick]
    )
    const ended = all.filter(({ fields }) => fields["kind"] === "tool" && fields["status"] !== undefined)
    assert.deepStrictEqual(
      ended.map(({ fields }) => [fields["of"], fields["status"], fields["error"]]),
      [
        [tools[0]?.tick, "failed", "timed out"],
        [tools[1]?.tick, "done", undefined]
      ]
    )
    const [input] = await facts.texts([String(tools[0]?.fields["input"])])
    assert.strictEqual(input, '{"order":"4711"}')
    assert.strictEqual(began.length, all.length - began.length)
    assert.isTrue((await (await bs.run(run)).verify()).consistent)
  })

  it("finds a repeat of a call that an earlier process has left without an answer", async () => {
    await using bs = await opened()
    const serialized = { lc: 1, type: "not_implemented", id: ["charge_card"] } as const
    const thread = { thread_id: "t" }
    const start = (recorder: GraphRecorder, id: string) =>
      recorder.handleToolStart({ ...serialized, id: ["charge_card"] }, "4711", id, undefined, [], thread)
    const first = new GraphRecorder(bs)
    start(first, "1")
    await first.flush()
    const second = new GraphRecorder(bs)
    start(second, "2")
    second.handleToolEnd("ok", "2")
    start(second, "3")
    await second.flush()
    const { facts } = await factsOf(bs).read("t", { namespace: "langgraph", from: 1 })
    const began = facts.filter(({ type }) => type === "langgraph.began")
    assert.deepStrictEqual(
      began.map(({ fields }) => fields["repeats"]),
      [undefined, began[0]?.tick, undefined]
    )
  })

  it("lets the graph go on if nothing can be recorded, and tells it afterwards", async () => {
    await using bs = await opened([])
    const recorder = new GraphRecorder(bs)
    const config = { configurable: { thread_id: "t" }, callbacks: [recorder] }
    const { messages } = await graph.invoke({ messages: [{ role: "user", content: "charge it" }] }, config)
    assert.strictEqual(messages.at(-1)?.text, "it is charged")
    let failure: unknown
    await recorder.flush().catch((cause: unknown) => {
      failure = cause
    })
    assert.match(String(failure), /takes no fact langgraph\.began/)
  })
})

const gathered = async <A>(all: AsyncIterable<A>): Promise<Array<A>> => {
  const found: Array<A> = []
  for await (const each of all) found.push(each)
  return found
}
