/** A till whose payments need an approval above a limit, for an agent of the AI SDK, over a store in memory. */
import { Backstitch, type Run } from "@backstitch/sdk"
import { tool } from "ai"
import * as z from "zod"
import { contractedTools } from "../src/AiSdk.ts"

/** A payment as the till has it. */
export interface Payment {
  readonly item: string
  readonly amount: number
}

export const pack = {
  pack: "acme.till",
  version: "1",
  state: { working: { notes: { list: "string" } } },
  tools: {
    price: { class: "read_only", input: { item: "string" }, output: { price: "int" } },
    pay: {
      class: "high_risk_external",
      description: "Pays for an item",
      input: { item: "string", amount: "int" },
      target: "'item/' + args.item",
      identity: { scope: "goal", fields: ["item"] },
      times: { sendWithin: "1s", settleAfter: "100ms", keyRetention: "24h" },
      status: "by_key",
      readback: { source: "the till", expect: ["actual.amount == args.amount"], within: "200ms" },
      undo: "X"
    }
  },
  approvals: { pay: { when: "args.amount > 100", by: ["manager"], expires: "1h" } },
  budgets: { tokens: 1000 }
}

/** A till, its store, and its run. */
export class Till {
  readonly paid = new Map<string, Payment>()
  sent = 0
  /** Called within each payment, after it is made; what it returns is the receipt. */
  after: () => unknown = () => undefined

  readonly tools = {
    price: tool({
      description: "The price of an item",
      inputSchema: z.object({ item: z.string() }),
      execute: async () => ({ price: 30 })
    }),
    pay: tool({
      description: "Pays for an item",
      inputSchema: z.object({ item: z.string(), amount: z.int() }),
      execute: async (payment: Payment, { toolCallId }) => {
        this.sent++
        this.paid.set(toolCallId, payment)
        const receipt = await this.after()
        return { receipt: typeof receipt === "string" ? receipt : `r-${payment.item}` }
      }
    })
  }

  /** Opens a store, and a run in it. */
  async open(
    more: object = {},
    store = "memory:"
  ): Promise<{ readonly backstitch: Backstitch.Backstitch; readonly run: Run }> {
    const found = (_: unknown, { key }: { readonly key: string }) => this.paid.get(key)
    const tools = contractedTools(this.tools, { pay: { status: found, readback: found } })
    const backstitch = await Backstitch.open({ store, pack: { ...pack, ...more }, tools })
    return { backstitch, run: await backstitch.run("errand") }
  }
}
