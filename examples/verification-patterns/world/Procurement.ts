/**
 * A purchasing department: a catalogue of vendors, orders that people approve, and the ledger of its budgets.
 *
 * An order is `requested`, and becomes `ordered` or `rejected`. If a vendor is out of stock, another vendor may
 * deliver. If a price has risen, the new price counts. A soft budget can go below zero.
 */
import { setTimeout } from "node:timers"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Router from "./Router.ts"
import type { Tenant } from "./Tenant.ts"

const stepMillis = 15

const item = (vendor: unknown, sku: unknown): string => `${vendor}:${sku}`

/** Takes an order through approval, to a vendor, and into the budget's ledger. */
const proceed = (tenant: Tenant, id: string): void => {
  const order = tenant.get("orders", id)
  if (order?.["status"] !== "requested") return
  const budget = tenant.get("budgets", String(order["allocation"])) ?? {}
  if (budget["frozen"] === true) {
    tenant.patch("orders", id, { status: "rejected" })
    return
  }
  const offer = tenant.get("catalogue", item(order["vendor"], order["sku"])) ?? {}
  const vendor = offer["deliveredBy"] ?? order["vendor"] ?? null
  const amount = Number(offer["price"] ?? 0) * Number(order["quantity"])
  // Small orders need no signature, if the department has agreed on a limit.
  const needsNobody = amount < Number(tenant.setting("unsignedBelow") ?? 0)
  const approvals = needsNobody ? [] : [budget["owner"] ?? "nobody"]
  tenant.patch("budgets", String(order["allocation"]), { remaining: Number(budget["remaining"]) - amount })
  tenant.patch("orders", id, { status: "ordered", vendor, amount, currency: offer["currency"] ?? null, approvals })
}

/** The purchasing department. */
export const service: Router.Service = {
  "POST /orders": (request) => {
    const { actor, body, tenant } = request
    const offer: JsonObject = tenant.get("catalogue", item(body["vendor"], body["sku"])) ?? {}
    const reply = Router.once(request, "orders", () => ({
      ...body,
      status: "requested",
      amount: 0,
      currency: offer["currency"] ?? null,
      terms: offer["terms"] ?? null,
      requester: actor,
      approvals: []
    }))
    for (const { id } of tenant.all("orders")) setTimeout(() => proceed(tenant, id), stepMillis)
    return reply
  },
  "GET /orders": ({ query, tenant }) =>
    Router.json(tenant.all("orders").flatMap(({ body }) => (body["key"] === query.get("key") ? [body] : []))),
  "GET /catalogue/:vendor/:sku": ({ path, tenant }) => {
    const offer = tenant.get("catalogue", item(path["vendor"], path["sku"]))
    return offer === undefined ? Router.missing : Router.json(offer)
  },
  "GET /budgets/:id": ({ path, tenant }) => Router.json(tenant.get("budgets", path["id"] ?? "") ?? null)
}
