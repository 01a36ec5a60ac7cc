/** Orders from a vendor, proven by the register of orders, the catalogue and the ledger of the budget. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Client } from "./Client.ts"
import * as Proven from "./Proven.ts"

/** An order. `amount` is the approved amount, in the smallest unit of the currency. */
export interface Order {
  readonly vendor: string
  readonly sku: string
  readonly quantity: number
  readonly amount: number
  readonly currency: string
  readonly allocation: string
  readonly approver: string
}

/** The tool. */
export const order = (client: Client): Proven.Proven => ({
  contract: Proven.contract("procurement", {
    class: "medium_risk_write",
    input: {
      vendor: "string",
      sku: "string",
      quantity: "int",
      amount: "int",
      currency: "string",
      allocation: "string",
      approver: "string"
    },
    identity: ["vendor", "sku", "allocation"],
    target: "'budget/' + args.allocation",
    options: {
      wants: {
        amount: "args.amount",
        currency: "args.currency",
        approver: "args.approver",
        id: "observed.id",
        vendor: "args.vendor",
        sku: "args.sku",
        allocation: "args.allocation",
        terms: "'net30'",
        requester: "'agent'"
      },
      confirm: ["order", "item", "allocation", "terms", "requester"]
    }
  }),
  code: {
    execute: ({ allocation, quantity, sku, vendor }: Order, { key }) =>
      client.send("POST", "orders", { key, body: { vendor, sku, quantity, allocation } }),
    readback: async ({ key, observed }) => {
      const orders = (await client.get(`orders?key=${key}`)) as ReadonlyArray<JsonObject>
      const answered = (observed as { readonly id?: string } | undefined)?.id
      const found = orders.find(({ id }) => id === answered) ?? orders[0]
      if (found === undefined) return undefined
      const offer = await client.get(`catalogue/${found["vendor"]}/${found["sku"]}`)
      const budget = (await client.get(`budgets/${found["allocation"]}`)) as JsonObject
      return {
        ...found,
        listed: (offer as JsonObject | undefined)?.["authorized"] === true,
        remaining: budget["remaining"] ?? null,
        count: orders.length
      }
    }
  }
})
