/** Approvals that a graph waits for: what a person was shown is what they have approved, once. */
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Backstitch } from "@backstitch/sdk"
import { approvalRequestOf, callIdOf } from "@backstitch/sdk/adapter"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { AIMessage } from "@langchain/core/messages"
import { Command } from "@langchain/langgraph"
import * as z from "zod"
import { BackstitchSaver } from "../src/checkpointer/BackstitchSaver.ts"
import { checkpoints } from "../src/checkpointer/checkpointTypes.ts"
import { contracted } from "../src/tools/ContractedTool.ts"
import * as CallId from "../src/tools/callId.ts"
import { type ApprovalRequest, approve, deny } from "../src/tools/GraphApproval.ts"
import { folder } from "./places.ts"
import * as Bank from "./world/bank.ts"
import { type Payments, payments } from "./world/service.ts"

const own = folder()
let service: Payments
beforeAll(async () => {
  service = await payments(own.path)
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  own[Symbol.dispose]()
})

let orders = 0

/** A graph whose model asks for one charge above the limit, and the requests that it waits with. */
const opened = (...more: ReadonlyArray<ReadonlyArray<Bank.Wanted>>) => openedWith(Bank.pack, more)

const openedWith = async (
  pack: typeof Bank.pack | typeof Bank.hasty,
  more: ReadonlyArray<ReadonlyArray<Bank.Wanted>>
) => {
  const order = `o-${++orders}`
  const backstitch = await Bank.open("memory:", service.url, "default", pack)
  const script = more.length > 0 ? more : [[{ id: "call-1", order, amount: 9000 }]]
  const chargeCard = contracted(backstitch, Bank.shown) as ReturnType<typeof Bank.plain>
  const graph = Bank.graphOf(chargeCard, new BackstitchSaver(backstitch), script)
  const config = { configurable: { thread_id: `thread-of-${order}` } }
  const invoke = async (input: unknown) => (await graph.invoke(input as typeof Bank.asked, config)).messages
  return {
    backstitch,
    config,
    graph,
    order,
    invoke,
    waiting: async () => {
      const { tasks } = await graph.getState(config)
      return tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value as ApprovalRequest))
    },
    resume: (value: unknown) => invoke(new Command({ resume: value })),
    charges: () => service.charges().filter((each) => each.order === order),
    [Symbol.asyncDispose]: () => backstitch.close()
  }
}

const manager = { by: "Grace", role: "manager" } as const

/** The last answer of a tool, as the model reads it. */
const told = (messages: ReadonlyArray<{ getType: () => string; text: string }>) =>
  JSON.parse(messages.findLast((each) => each.getType() === "tool")?.text ?? "null")

describe("an approval", () => {
  it("is asked for with the arguments, and sends them once it is given", async () => {
    await using agent = await opened()
    await agent.invoke(Bank.asked)
    const [request] = await agent.waiting()
    assert.deepStrictEqual(request?.args, { order: agent.order, amount: 9000 })
    assert.deepStrictEqual([request?.tool, request?.needs], ["charge_card", ["manager"]])
    assert.deepStrictEqual(agent.charges(), [])
    const messages = await agent.resume(approve(request!, manager))
    assert.strictEqual(told(messages).amount, 9000)
    assert.strictEqual(agent.charges().length, 1)
  })

  it("does not count for arguments that were changed after it was given", async () => {
    await using agent = await opened()
    await agent.invoke(Bank.asked)
    const [request] = await agent.waiting()
    const { values } = await agent.graph.getState(agent.config)
    const last = values.messages.at(-1) as AIMessage
    const changed = { ...last.tool_calls![0]!, args: { order: agent.order, amount: 90_000 } }
    const message = new AIMessage({ id: last.id!, content: "", tool_calls: [changed] })
    await agent.graph.updateState(agent.config, { messages: [message] }, "agent")
    const messages = await agent.resume(approve(request!, manager))
    assert.deepStrictEqual([told(messages).status, told(messages).sent], ["refused", "no"])
    assert.match(told(messages).why, /other arguments/)
    assert.deepStrictEqual(agent.charges(), [])
  })

  it("is not given by a tool's name, a yes, or a verdict that names no digest", async () => {
    for (const value of [
      true,
      "yes",
      "charge_card",
      { type: "approve" },
      { ...manager, kind: "backstitch.verdict", verdict: "approved" }
    ]) {
      await using agent = await opened()
      await agent.invoke(Bank.asked)
      const messages = await agent.resume(value)
      assert.match(told(messages).why, /no verdict/)
      assert.deepStrictEqual(agent.charges(), [])
      const { length } = await agent.backstitch.approvals()
      assert.strictEqual(length, 1)
    }
  })

  it("is not renewed once it has expired by the verdict that gave it: another question waits", async () => {
    const order = `o-expired-${++orders}`
    const script = ["call-1", "call-2"].map((id) => [{ id, order, amount: 9000 }])
    await using agent = await openedWith(Bank.hasty, script)
    await agent.invoke(Bank.asked)
    const [first] = await agent.waiting()
    const [waiting] = await agent.backstitch.approvals()
    assert.strictEqual(first?.question, waiting?.digest)
    const { question: digest, review, run } = first!
    assert.isTrue((await agent.backstitch.approve(run, review, { ...manager, digest })).ok)
    await sleep(1100)
    const messages = await agent.resume(approve(first!, manager))
    assert.match(told(messages).why, /earlier request/)
    const [second] = await agent.waiting()
    assert.deepStrictEqual([second?.review, second?.digest], [review, first?.digest])
    assert.notStrictEqual(second?.question, first?.question)
    assert.isFalse(service.charges().some((each) => each.order === order))
  })

  it("is not given to another call by a verdict whose digests nobody was shown, or that names no call", async () => {
    await using agent = await opened()
    await agent.invoke(Bank.asked)
    const [first] = await agent.waiting()
    const run = await agent.backstitch.run(first!.run, { wait: true })
    // Another call of the same message, that waits as well.
    const { config } = await agent.graph.getState(agent.config)
    const call = CallId.make("call-2", config.configurable?.["checkpoint_id"])
    const args = { order: `${agent.order}-2`, amount: 9500 }
    await run.tool("charge_card", args, { callId: await callIdOf(run, { call, tool: "charge_card", args }) })
    const second = await approvalRequestOf(run, call)
    await run.close()
    const shown = { ...second!, call: "call-2", kind: "backstitch.approval" } as const
    const forgeries = [
      [{ call: "no-such-call" }, /nobody was asked about/],
      [{ digest: "never shown to anybody" }, /other arguments/],
      [{ question: "never shown to anybody" }, /earlier request/],
      [{ review: first!.review }, /earlier request/],
      [{ role: "cashier" }, /cashier/],
      [{ role: undefined }, /role/]
    ] as const
    for (const [forged, why] of forgeries) {
      await agent.resume({ ...approve(shown, manager), ...forged })
      const { length } = await agent.backstitch.approvals()
      assert.strictEqual(length, 2, JSON.stringify(forged))
      const [waiting] = await agent.waiting()
      assert.strictEqual(waiting?.call, first!.call)
      assert.match(waiting?.refused ?? "", why)
    }
    await agent.resume(approve(shown, manager))
    assert.deepStrictEqual(
      (await agent.backstitch.approvals()).map(({ review }) => review),
      [first!.review]
    )
    assert.deepStrictEqual(
      (await agent.waiting()).map(({ refused }) => refused),
      [undefined]
    )
    assert.deepStrictEqual(agent.charges(), [])
  })

  it("of one call does not let a later call with other arguments run", async () => {
    const order = `o-${++orders}`
    const script = [9000, 9001].map((amount, index) => [{ id: `call-${index}`, order: `${order}-${amount}`, amount }])
    await using agent = await opened(...script)
    await agent.invoke(Bank.asked)
    const [first] = await agent.waiting()
    await agent.resume(approve(first!, manager))
    const [second] = await agent.waiting()
    assert.notStrictEqual(second?.digest, first?.digest)
    await agent.resume(approve(first!, manager))
    assert.deepStrictEqual(
      (await agent.waiting()).map(({ digest }) => digest),
      [second?.digest]
    )
    assert.deepStrictEqual(
      service
        .charges()
        .filter((each) => each.order.startsWith(order))
        .map(({ amount }) => amount),
      [9000]
    )
  })

  it("stays denied when it is given after all", async () => {
    await using agent = await opened()
    await agent.invoke(Bank.asked)
    const [request] = await agent.waiting()
    const denied = await agent.resume(deny(request!, { ...manager, reason: "too much" }))
    assert.strictEqual(told(denied).status, "refused")
    const { run, review } = request!
    const after = await agent.backstitch.approve(run, review, manager)
    assert.isFalse(after.ok)
    assert.deepStrictEqual(agent.charges(), [])
  })

  it("is used once: a run that fails after it sends nothing again, and nobody is asked again", async () => {
    await using agent = await opened()
    await agent.invoke(Bank.asked)
    const [request] = await agent.waiting()
    const verdict = approve(request!, manager)
    const before = await agent.graph.getState(agent.config)
    await agent.resume(verdict)
    assert.strictEqual(agent.charges().length, 1)
    // The step that has used the approval is lost: the graph goes back to before it, as after a crash.
    const again = await agent.graph.invoke(new Command({ resume: verdict }), before.config)
    assert.strictEqual(told(again.messages).amount, 9000)
    assert.strictEqual(agent.charges().length, 1)
  })

  it("is asked for each of several calls of one message, in whatever order the verdicts come", async () => {
    const order = `o-${++orders}`
    const calls = [1, 2, 3].map((each) => ({ id: `call-${each}`, order: `${order}-${each}`, amount: 9000 + each }))
    await using agent = await opened(calls)
    await agent.invoke(Bank.asked)
    for (let round = 0; round < 3; round++) {
      const [request] = await agent.waiting()
      if (request === undefined) break
      await agent.resume(approve(request, manager))
    }
    assert.deepStrictEqual(await agent.waiting(), [])
    const made = service.charges().filter((each) => each.order.startsWith(order))
    assert.deepStrictEqual(made.map(({ amount }) => amount).toSorted(), [9001, 9002, 9003])
    const { values } = await agent.graph.getState(agent.config)
    const results = (values.messages as ReadonlyArray<AIMessage>).filter((each) => each.getType() === "tool")
    assert.strictEqual(results.length, 3)
  })

  it("shows no sensitive argument, and does not count for another one", async () => {
    const order = `o-${++orders}`
    const { charge_card } = Bank.pack.tools
    const input = { ...charge_card.input, card: { type: "string", sensitive: { subject: "args.order" } } }
    const pack = { ...Bank.pack, tools: { charge_card: { ...charge_card, input, output: { amount: "int" } } } }
    await using backstitch = await Backstitch.open({
      pack,
      store: join(own.path, "cards.db"),
      tools: Bank.toolsOf(service.url),
      types: [checkpoints]
    })
    const schema = Bank.shown.schema.extend({ card: z.string() })
    const tool = contracted(backstitch, { ...Bank.shown, schema }) as ReturnType<typeof Bank.plain>
    const script = [[{ id: "call-1", order, amount: 9000, card: "4000" }]]
    const graph = Bank.graphOf(tool, new BackstitchSaver(backstitch), script)
    const config = { configurable: { thread_id: `thread-of-${order}` } }
    await graph.invoke(Bank.asked, config)
    const { tasks, values } = await graph.getState(config)
    const request = tasks[0]?.interrupts[0]?.value as ApprovalRequest
    assert.notInclude(JSON.stringify(request), "4000")
    assert.deepInclude(request.args, { order, amount: 9000 })
    // The card is changed after the person was asked.
    const last = values.messages.at(-1) as AIMessage
    const changed = { ...last.tool_calls![0]!, args: { order, amount: 9000, card: "5000" } }
    const messages = [new AIMessage({ id: last.id!, content: "", tool_calls: [changed] })]
    await graph.updateState(config, { messages }, "agent")
    const after = await graph.invoke(new Command({ resume: approve(request, manager) }), config)
    assert.match(told(after.messages.filter((each) => each.getType() === "tool")).why, /other arguments/)
    assert.deepStrictEqual(
      service.charges().filter((each) => each.order === order),
      []
    )
  })
})
