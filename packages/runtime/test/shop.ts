/** Two runs that pay for one order: what was charged can be refunded, and a refund has a record of its own. */
import type { Proposal } from "@backstitch/kernel/Proposal"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import { packOf } from "./twins.ts"

const times = { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" } as const
const keyed = { class: "high_risk_external", idempotency: "idempotent_write", status: "by_key", times } as const

export const pack = packOf({
  state: { world: { paid: "int" }, working: { notes: { list: "string" } } },
  specification: {},
  guards: [],
  violations: [],
  reducers: { on: { "observation.add": [{ append: { list: "working.notes", item: "args.text" } }] } },
  tools: {
    charge: {
      ...keyed,
      input: { order: "string" },
      target: "'order/' + args.order",
      identity: { scope: "goal", fields: [{ order: "code" }] },
      readback: { source: "bank", expect: ["actual.status == 'captured'"], within: "2s" },
      undo: { class: "K", by: "refund", with: { charge: "actual.id", percent: "100" } },
      on_reconciled: [{ add: { field: "world.paid", value: "1" } }]
    },
    refund: {
      ...keyed,
      input: { charge: "string", percent: "int" },
      target: "'charge/' + args.charge",
      identity: { scope: "goal", fields: [{ charge: "exact" }] },
      readback: { source: "bank", expect: ["actual.status == 'refunded'"], within: "2s" },
      undo: "X",
      on_reconciled: [{ add: { field: "world.paid", value: "0 - 1" } }]
    },
    ship: {
      ...keyed,
      input: { order: "string" },
      target: "'parcel/' + args.order",
      identity: { scope: "goal", fields: [{ order: "code" }] },
      readback: { source: "depot", expect: ["actual.status == 'sent'"], within: "2s" },
      undo: "X"
    }
  },
  skeletons: { order: { tools: ["charge", "ship"], aborts: ["ship"] } }
})

export const charge: Proposal = { tool: "charge", params: { order: "A1" } }
export const refund: Proposal = { tool: "refund", params: { charge: "charge A1", percent: 100 } }
export const ship: Proposal = { tool: "ship", params: { order: "A1" } }

/** A bank and a depot, each with a book of its own. What is done under a key is done once. */
export class Shop {
  readonly effects: Array<string> = []
  readonly done = new Map<string, JsonObject>()
  /** Parcels that the depot still refuses. */
  refusals = 0
  /** The bank gives nothing back. */
  isFinal = false
  /** The bank answers no questions. */
  isClosed = false

  get tools(): ToolExecutor.Tools {
    const does = (verb: string, status: string, field: string): ToolExecutor.Tool => {
      const idOf = (params: JsonObject) => `${verb} ${params[field]}`
      return {
        execute: (params: JsonObject, { key = "" }) => {
          if (verb === "ship" && this.refusals > 0) {
            this.refusals--
            throw new ToolExecutor.ToolRefused("no such address")
          }
          if (verb === "refund" && this.isFinal) throw new ToolExecutor.ToolRefused("too late")
          const id = idOf(params)
          if (!this.done.has(key)) {
            this.done.set(key, { id, status })
            this.effects.push(id)
          }
          return this.done.get(key)!
        },
        status: async ({ key = "" }) => this.done.get(key),
        readback: async (_, params: JsonObject) => {
          if (verb !== "ship" && this.isClosed) throw new Error("the bank is closed")
          const id = idOf(params)
          return this.effects.includes(id) ? { id, status } : undefined
        }
      }
    }
    return {
      charge: does("charge", "captured", "order"),
      refund: does("refund", "refunded", "charge"),
      ship: does("ship", "sent", "order")
    }
  }

  get executor() {
    return ToolExecutor.fromTools(this.tools)
  }
}
