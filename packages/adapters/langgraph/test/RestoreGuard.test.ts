/** Restores and forks of a graph, against what its tools have done since. */
import { Backstitch, ToolRefused } from "@backstitch/sdk"
import { factsOf } from "@backstitch/sdk/adapter"
import { assert, describe, it } from "@effect/vitest"
import { AIMessage } from "@langchain/core/messages"
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph"
import { ToolNode } from "@langchain/langgraph/prebuilt"
import * as z from "zod"
import { BackstitchSaver } from "../src/checkpointer/BackstitchSaver.ts"
import { checkpoints } from "../src/checkpointer/checkpointTypes.ts"
import { guardRestores, RestoreBlocked } from "../src/gate/RestoreGuard.ts"
import { contracted } from "../src/tools/ContractedTool.ts"
import * as CallId from "../src/tools/callId.ts"

const mutation = (undo: unknown) => ({
  class: "high_risk_external",
  input: { seat: "string" },
  identity: { scope: "goal", fields: [{ seat: "code" }] },
  times: { sendWithin: "2s", settleAfter: "1s", keyRetention: "24h" },
  status: "by_key",
  undo
})

const pack = {
  pack: "acme.seats",
  version: "1",
  machine: {
    states: ["choosing", "paying"],
    initial: "choosing",
    edges: [{ from: "choosing", tool: "book", to: "paying" }]
  },
  tools: { look: { class: "read_only", input: { seat: "string" } }, book: mutation("X"), pay: mutation("X") }
}

const effects = new Map<string, unknown>()
const acting = {
  execute: (args: { seat: string }, { key }: { key: string }) => {
    if (args.seat === "taken") throw new ToolRefused("taken")
    effects.set(key, args)
    return args
  },
  status: (_: object, { key }: { key: string }) => effects.get(key) as object | undefined
}

const names = ["look", "book", "pay"] as const
const config = { configurable: { thread_id: "trip-42" } }

const gathered = async <A>(all: AsyncIterable<A>): Promise<Array<A>> => {
  const found: Array<A> = []
  for await (const each of all) found.push(each)
  return found
}

/** A graph that calls its tools one after another, and its checkpoints, the first one first. */
const played = async (
  calls: ReadonlyArray<readonly [(typeof names)[number], string]>,
  more: { readonly durability?: "exit" } = {}
) => {
  const tools = { look: { execute: (args: object) => args }, book: acting, pay: acting }
  const backstitch = await Backstitch.open({ pack, store: "memory:", types: [checkpoints], tools })
  const schema = z.object({ seat: z.string() })
  const shown = names.map((name) => contracted(backstitch, { name, description: name, schema }))
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", ({ messages }) => {
      const done = messages.filter((each) => each.getType() === "ai").length
      const [name = "look", seat = ""] = calls[done] ?? []
      const call = { id: `call-${done}`, name, args: { seat } }
      return { messages: [new AIMessage({ content: "", tool_calls: done < calls.length ? [call] : [] })] }
    })
    .addNode("tools", new ToolNode(shown))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", ({ messages }) =>
      (messages.at(-1) as AIMessage).tool_calls?.length ? "tools" : "__end__"
    )
    .addEdge("tools", "agent")
    .compile({ checkpointer: new BackstitchSaver(backstitch) })
  await graph.invoke({ messages: [{ role: "user", content: "a seat" }] }, { ...config, ...more })
  const history = (await gathered(graph.getStateHistory(config))).toReversed()
  return { backstitch, graph, guarded: guardRestores(graph), history, [Symbol.asyncDispose]: () => backstitch.close() }
}

const blocked = async (does: () => unknown): Promise<RestoreBlocked> => {
  try {
    await does()
  } catch (cause) {
    assert.instanceOf(cause, RestoreBlocked)
    return cause
  }
  return assert.fail("the restore was let through")
}

describe("guardRestores", () => {
  it("lets a graph go back over reads and refused calls, and not over an effect, by whatever method", async () => {
    await using agent = await played([
      ["look", "4a"],
      ["book", "taken"],
      ["book", "4a"]
    ])
    const { graph, guarded, history } = agent
    const beforeTheBooking = history.findLast(({ next }) => next.includes("tools"))!.config
    const sent = effects.size
    for (const does of [
      () => guarded.invoke(null, beforeTheBooking),
      async () => gathered(await guarded.stream(null, beforeTheBooking)),
      () => gathered(guarded.streamEvents(null, { ...beforeTheBooking, version: "v2" })),
      () => guarded.updateState(beforeTheBooking, { messages: [] }, "agent"),
      () => guarded.withConfig(beforeTheBooking).invoke(null)
    ]) {
      const { message, obstacles } = await blocked(does)
      assert.deepStrictEqual(
        obstacles.map(({ actions, code }) => [code, actions.map(({ tool }) => tool)]),
        [["irreversible_effect_policy", ["book"]]]
      )
      assert.match(message, /would leave behind what was done since: book \(a\d+\)/)
    }
    assert.strictEqual(effects.size, sent)
    const { values } = await guarded.getState(beforeTheBooking)
    assert.isAbove(values.messages.length, 0)
    const last = await guarded.invoke(
      { messages: [{ role: "user", content: "more" }] },
      (await guarded.getState(config)).config
    )
    assert.isAbove(last.messages.length, 0)
    const forked = await graph.updateState(beforeTheBooking, { messages: [] }, "agent")
    assert.isDefined(forked.configurable?.["checkpoint_id"], "the graph itself remains as it was")
  })

  it("knows the order of checkpoints and calls, however late a checkpoint is kept", async () => {
    for (let run = 0; run < 5; run++) {
      await using agent = await played([["book", `9${run}`]])
      const before = agent.history.findLast(({ next }) => next.includes("tools"))!.config
      const { obstacles } = await blocked(() => agent.guarded.invoke(null, before))
      assert.strictEqual(obstacles[0]?.actions[0]?.tool, "book")
      const [call] = await factsOf(agent.backstitch).calls("trip-42")
      assert.strictEqual(CallId.checkpointIn(call?.callId), before.configurable?.["checkpoint_id"])
      const after = agent.history.findLast(({ next }) => next.includes("agent"))!.config
      assert.isAbove((await agent.guarded.invoke(null, after)).messages.length, 0)
    }
  })

  it("goes by ticks where a graph keeps a checkpoint only as it ends", async () => {
    await using agent = await played([["book", "exit"]], { durability: "exit" })
    await agent.graph.invoke({ messages: [{ role: "user", content: "more" }] }, { ...config, durability: "exit" })
    const [first] = agent.history
    assert.isAbove((await agent.guarded.invoke(null, first!.config)).messages.length, 0)
    const all = await gathered(agent.graph.getStateHistory(config))
    assert.isAbove(all.length, 1)
  })

  it("lets a graph go back to after its effect", async () => {
    await using agent = await played([
      ["book", "7c"],
      ["look", "7c"]
    ])
    const afterTheBooking = agent.history.filter(({ next }) => next.includes("agent"))[1]!.config
    const { messages } = await agent.guarded.invoke(null, afterTheBooking)
    assert.isAbove(messages.length, 0)
  })

  it("needs the saver that knows what is later than a checkpoint", () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", () => ({}))
      .addEdge(START, "agent")
      .compile({ checkpointer: new MemorySaver() })
    assert.throws(() => guardRestores(graph), /with a BackstitchSaver/)
  })
})
