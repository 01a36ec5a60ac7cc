/** Calls that go wrong in other ways than by a lost answer: each has a named end, and nothing is lost or done twice. */
import { Backstitch, type ToolContext } from "@backstitch/sdk"
import { assert, describe, it } from "@effect/vitest"
import { AIMessage, type ToolMessage } from "@langchain/core/messages"
import { ToolNode } from "@langchain/langgraph/prebuilt"
import { contracted } from "../src/tools/ContractedTool.ts"
import * as Bank from "./world/bank.ts"

/** A bank in this process, whose answers a test decides. */
const opened = async (answer: (charge: object, context: ToolContext) => unknown) => {
  const charges = new Map<string, object>()
  const execute = (charge: object, context: ToolContext) => {
    charges.set(context.key, charge)
    return answer(charge, context)
  }
  const status = (_: object, { key }: ToolContext) => charges.get(key)
  const tools = { charge_card: { execute, status } }
  const backstitch = await Backstitch.open({ pack: Bank.pack, store: "memory:", secret: "of the tests", tools })
  const node = new ToolNode([contracted(backstitch, Bank.shown)])
  const call = async (given: { readonly name?: string; readonly args: object; readonly signal?: AbortSignal }) => {
    const { args, name = "charge_card", signal } = given
    const message = new AIMessage({ content: "", tool_calls: [{ id: "call-1", name, args: { ...args } }] })
    const config = { configurable: { thread_id: "t" }, ...(signal === undefined ? {} : { signal }) }
    const [answered] = (await node.invoke([message], config)) as ReadonlyArray<ToolMessage>
    return { status: answered?.status, text: answered?.text ?? "" }
  }
  return { call, charges, [Symbol.asyncDispose]: () => backstitch.close() }
}

const order = { order: "4711", amount: 1999 }

describe("a call of a graph", () => {
  it("is told from the record where its tool answers 50 MB", async () => {
    await using bank = await opened(() => ({ receipt: "x".repeat(50_000_000) }))
    const { status, text } = await bank.call({ args: order })
    assert.deepStrictEqual([status, JSON.parse(text)], ["success", order])
    assert.strictEqual(bank.charges.size, 1)
  })

  it("is asked about by the next one if its caller cancels it, and sent once", async () => {
    const leaves = new AbortController()
    let sent = 0
    await using bank = await opened((charge) => {
      if (sent++ > 0) return charge
      leaves.abort()
      return new Promise(() => {})
    })
    const cancelled = await bank.call({ args: order, signal: leaves.signal })
    assert.deepStrictEqual([cancelled.status, sent], ["error", 1])
    const { status, text } = await bank.call({ args: order })
    assert.deepStrictEqual([status, JSON.parse(text), sent], ["success", order, 1])
  })

  it("sends nothing for a tool that does not exist, or for arguments of another schema", async () => {
    await using bank = await opened((charge) => charge)
    const invented = await bank.call({ name: "charge_twice", args: order })
    assert.strictEqual(invented.status, "error")
    // The tool that the model is shown has another schema than the contract that was reviewed.
    const changed = await bank.call({ args: { order: "4711", amount: "1999 CHF" } })
    assert.strictEqual(changed.status, "error")
    assert.strictEqual(bank.charges.size, 0)
  })
})
