/**
 * A mail provider: it accepts messages, and delivers those that the receiving side accepts.
 *
 * A message is `queued`, and becomes `delivered`, `bounced`, `rejected`, `quarantined` or `suppressed`. While the
 * receiving side asks for a later attempt, it stays `deferred`.
 */
import { createHash } from "node:crypto"
import { setTimeout } from "node:timers"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Router from "./Router.ts"
import type { Tenant } from "./Tenant.ts"

const deliveryMillis = 15

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Decides the fate of a message by the receiving side: its mailboxes, its filter, its policy. */
const fate = (tenant: Tenant, message: JsonObject): string => {
  const to = String(message["recipient"])
  if (tenant.get("suppressions", to) !== undefined) return "suppressed"
  const domain = tenant.get("domains", to.split("@")[1] ?? "") ?? {}
  if (domain["refuses"] === message["sender"]) return "rejected"
  if (domain["greylists"] === true) return "deferred"
  const mailbox = tenant.get("mailboxes", to) ?? { quota: 10 }
  const full = tenant.all("messages").filter(({ body }) => body["recipient"] === to && body["status"] === "delivered")
  if (Number(mailbox["quota"]) <= full.length) return "bounced"
  const forbidden = domain["filters"]
  return typeof forbidden === "string" && String(message["subject"]).includes(forbidden) ? "quarantined" : "delivered"
}

const deliver = (tenant: Tenant, id: string): void => {
  const message = tenant.get("messages", id)
  if (message !== undefined) tenant.patch("messages", id, { status: fate(tenant, message) })
}

/** The mail provider. */
export const service: Router.Service = {
  "POST /messages": (request) => {
    const { body, tenant } = request
    const reply = Router.once(
      request,
      "messages",
      () => {
        const domain = String(body["from"]).split("@")[1] ?? ""
        const signs = tenant.get("domains", domain)?.["signs"] === true
        const footer = tenant.setting("footer")
        return {
          status: "queued",
          sender: body["from"] ?? null,
          recipient: tenant.setting("catchAll") ?? body["to"] ?? null,
          subject: body["subject"] ?? "",
          subjectHash: hash(String(body["subject"])),
          bodyHash: hash(`${body["text"]}${footer ?? ""}`),
          dkim: signs ? "pass" : "none",
          dmarc: signs ? "pass" : "fail"
        }
      },
      202
    )
    for (const { body: message, id } of tenant.all("messages")) {
      if (message["status"] === "queued") setTimeout(() => deliver(tenant, id), deliveryMillis)
    }
    return reply
  },
  "GET /messages": ({ query, tenant }) =>
    Router.json(
      tenant
        .all("messages")
        .flatMap(({ body }) => (body["key"] === query.get("key") ? [body] : [])) as Array<JsonObject>
    ),
  "GET /suppressions/:address": ({ path, tenant }) =>
    Router.json({ suppressed: tenant.get("suppressions", path["address"] ?? "") !== undefined })
}
