/**
 * A card processor, and the books of the merchant, in which the processor makes entries.
 *
 * A charge is `pending` and becomes `declined`, or `captured` and then `settled` or `settlement_failed`. Refunds are
 * made of captured money. The books accept entries while the period is open.
 */
import { setTimeout } from "node:timers"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Router from "./Router.ts"
import type { Tenant } from "./Tenant.ts"

const stepMillis = 15

const accountOf = (tenant: Tenant, charge: JsonObject): JsonObject =>
  tenant.get("accounts", String(charge["account"])) ?? { balance: 0 }

const authorize = (tenant: Tenant, id: string): void => {
  const charge = tenant.get("charges", id)
  if (charge?.["status"] !== "pending") return
  const account = accountOf(tenant, charge)
  if (account["underReview"] === true) return
  const [asked, balance] = [Number(charge["amount"]), Number(account["balance"])]
  // A prepaid card pays only up to its remaining balance.
  const taken = account["prepaid"] === true ? Math.min(asked, balance) : asked
  if (taken > balance || taken === 0) {
    tenant.patch("charges", id, { status: "declined" })
    return
  }
  tenant.patch("accounts", String(charge["account"]), { balance: balance - taken })
  tenant.patch("charges", id, { status: "captured", amount: taken })
  if (tenant.setting("periodClosed") !== true) tenant.put("entries", id, { charge: id, amount: taken })
  setTimeout(() => {
    tenant.patch("charges", id, { status: account["bank"] === "closed" ? "settlement_failed" : "settled" })
  }, stepMillis)
}

const refund = ({ body, path, tenant }: Router.Request): Router.Reply => {
  const id = path["id"] ?? ""
  const charge = tenant.get("charges", id)
  if (charge === undefined) return Router.missing
  // The contract with the card scheme defines the fee that it keeps of a refund.
  const fee = Number(accountOf(tenant, charge)["refundFee"] ?? 0)
  const refunded = Math.min(Number(body["amount"]), Number(charge["amount"])) - fee
  tenant.patch("charges", id, { status: "refunded", refunded })
  return Router.json({ id, refunded })
}

/** The card processor. */
export const service: Router.Service = {
  "POST /charges": (request) => {
    const { body, tenant } = request
    const reply = Router.once(request, "charges", () => ({
      status: "pending",
      account: body["account"] ?? null,
      amount: body["amount"] ?? 0,
      currency: body["currency"] ?? null,
      refunded: 0
    }))
    for (const { id } of tenant.all("charges")) setTimeout(() => authorize(tenant, id), stepMillis)
    return reply
  },
  "POST /charges/:id/refunds": refund,
  "GET /charges/:id": ({ path, tenant }) => {
    const charge = tenant.get("charges", path["id"] ?? "")
    return charge === undefined ? Router.missing : Router.json(charge)
  },
  "GET /charges": ({ query, tenant }) =>
    Router.json(tenant.all("charges").flatMap(({ body }) => (body["key"] === query.get("key") ? [body] : []))),
  "GET /entries": ({ query, tenant }) =>
    Router.json(tenant.all("entries").flatMap(({ body }) => (body["charge"] === query.get("charge") ? [body] : [])))
}
