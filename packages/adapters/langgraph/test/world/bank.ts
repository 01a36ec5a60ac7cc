/** The agent of the tests: it charges a card, with and without a contract. */
import { Backstitch, type ToolContext } from "@backstitch/sdk"
import { AIMessage, HumanMessage } from "@langchain/core/messages"
import { tool } from "@langchain/core/tools"
import { type BaseCheckpointSaver, END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph"
import { ToolNode } from "@langchain/langgraph/prebuilt"
import * as z from "zod"
import { checkpoints } from "../../src/checkpointer/checkpointTypes.ts"
import type { ToolDescription } from "../../src/tools/ContractedTool.ts"

/** The tool as a model is shown it. */
export const shown = {
  name: "charge_card",
  description: "Charges a card for an order.",
  schema: z.object({ order: z.string(), amount: z.number().int() })
} satisfies ToolDescription

/** The pack: a charge is known by its order, and one above 5,000 needs a manager. */
export const pack = {
  pack: "acme.payments",
  version: "1.0.0",
  tools: {
    charge_card: {
      class: "high_risk_external",
      input: { order: "string", amount: "int" },
      target: "'order/' + args.order",
      identity: { scope: "goal", fields: [{ order: "code" }] },
      times: { sendWithin: "2s", settleAfter: "1s", keyRetention: "24h" },
      status: "by_key",
      undo: "X"
    }
  },
  approvals: { charge_card: { when: "args.amount > 5000", by: ["manager"], expires: "1h" } }
} as const

const post = async (url: string, charge: object, headers: Record<string, string>, signal: AbortSignal) => {
  const body = JSON.stringify(charge)
  return (await fetch(`${url}/charges`, { method: "POST", body, headers, signal })).json()
}

/** The code that carries calls out, and asks about them. */
export const toolsOf = (url: string) => ({
  charge_card: {
    execute: (charge: object, { key, signal }: ToolContext) => post(url, charge, { "idempotency-key": key }, signal),
    status: async (_: object, { key }: ToolContext) => (await fetch(`${url}/charges?key=${key}`)).json()
  }
})

/** The pack, with an approval that expires after a second. */
export const hasty = {
  ...pack,
  approvals: { charge_card: { ...pack.approvals.charge_card, expires: "1s" } }
} as const

/** Opens a store with the pack, or one like it, and its tools. */
export const open = (store: string, url: string, tenant = "default", own: typeof pack | typeof hasty = pack) =>
  Backstitch.open({
    pack: own,
    store,
    tenant,
    secret: "the secret of the tests",
    tools: toolsOf(url),
    types: [checkpoints]
  })

/** The tool as it is usually written: no key, and an error if no answer comes in time. */
export const plain = (url: string, timeoutMillis: number) =>
  tool((charge: object) => post(url, charge, {}, AbortSignal.timeout(timeoutMillis)), shown)

/** A call that the model of a graph asks for. */
export interface Wanted {
  readonly id: string
  readonly order: string
  readonly amount: number
}

/**
 * A graph with a scripted model: it asks for the given calls, one message after another, and then says what the last
 * tool has answered.
 */
export const graphOf = (
  chargeCard: ReturnType<typeof plain>,
  checkpointer: BaseCheckpointSaver,
  script: ReadonlyArray<ReadonlyArray<Wanted>>
) =>
  new StateGraph(MessagesAnnotation)
    .addNode("agent", ({ messages }) => {
      const calls = script[messages.filter((each) => each.getType() === "ai").length]
      if (calls === undefined) return { messages: [new AIMessage(`I am told: ${messages.at(-1)?.text}`)] }
      const tool_calls = calls.map(({ id, ...args }) => ({ id, name: "charge_card", args, type: "tool_call" as const }))
      return { messages: [new AIMessage({ content: "", tool_calls })] }
    })
    .addNode("tools", new ToolNode([chargeCard]))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", ({ messages }) =>
      ((messages.at(-1) as AIMessage).tool_calls ?? []).length > 0 ? "tools" : END
    )
    .addEdge("tools", "agent")
    .compile({ checkpointer })

/** The first message of a user. */
export const asked = { messages: [new HumanMessage("charge order 4711")] }
