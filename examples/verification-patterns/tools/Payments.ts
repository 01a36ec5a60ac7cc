/** Charges a card and refunds money, proven by the processor and by the merchant's own books. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Client } from "./Client.ts"
import * as Proven from "./Proven.ts"

/** A charge, in the smallest unit of its currency. */
export interface Charge {
  readonly account: string
  readonly amount: number
  readonly currency: string
}

/** A refund of a charge, with its currency and account. */
export interface Refund extends Charge {
  readonly charge: string
  readonly refund: number
}

const money = { account: "string", amount: "int", currency: "string" } as const

/** Reads a charge from both systems. */
const read = async (client: Client, charge: JsonObject, count: number): Promise<JsonObject> => {
  const entries = (await client.get(`entries?charge=${charge["id"]}`)) as ReadonlyArray<{ readonly amount: number }>
  return {
    ...charge,
    count,
    ledger: entries.length === 0 ? null : entries.reduce((sum, { amount }) => sum + amount, 0)
  }
}

/** The tool that charges. */
export const charge = (client: Client): Proven.Proven => ({
  contract: Proven.contract("payments", {
    class: "high_risk_external",
    input: money,
    identity: ["account", "amount", "currency"],
    target: "'account/' + args.account",
    options: {
      wants: {
        amount: "args.amount",
        currency: "args.currency",
        refunded: "0",
        id: "observed.id",
        account: "args.account",
        status: "'settled'"
      },
      confirm: ["transaction", "key", "account", "state"]
    }
  }),
  code: {
    execute: (body: Charge, { key }) => client.send("POST", "charges", { key, body: { ...body } }),
    readback: async ({ key, observed }) => {
      const charges = (await client.get(`charges?key=${key}`)) as ReadonlyArray<JsonObject>
      const answered = (observed as { readonly id?: string } | undefined)?.id
      const found = charges.find(({ id }) => id === answered) ?? charges[0]
      return found && read(client, found, charges.length)
    }
  }
})

/** The tool that refunds. */
export const refund = (client: Client): Proven.Proven => ({
  contract: Proven.contract("payments", {
    class: "high_risk_external",
    input: { ...money, charge: "string", refund: "int" },
    identity: ["charge"],
    target: "'charge/' + args.charge",
    options: {
      wants: {
        amount: "args.amount",
        currency: "args.currency",
        refunded: "args.refund",
        account: "args.account",
        id: "args.charge"
      },
      confirm: ["transaction", "account"]
    }
  }),
  code: {
    execute: (body: Refund, { key }) =>
      client.send("POST", `charges/${body.charge}/refunds`, { key, body: { amount: body.refund } }),
    readback: async (_, body: Refund) => {
      const found = (await client.get(`charges/${body.charge}`)) as JsonObject | undefined
      return found && read(client, found, 1)
    }
  }
})
