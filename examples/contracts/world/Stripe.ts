/**
 * Payment intents and refunds as Stripe answers them: forms, idempotency keys, lists with cursors, and errors.
 *
 * The payment method `pm_empty` is declined. Under a key that was used with other parameters a request is refused.
 *
 * `POST _deliveries` answers the event of the latest payment, signed as its webhook would be.
 *
 * @source Stripe, "Idempotent requests", "Pagination", "Payment Intents", "Refunds" and "Webhooks"
 */
import { createHash, createHmac, randomUUID } from "node:crypto"
import type { Make, Reply, Request } from "./Provider.ts"
import { ok } from "./Provider.ts"
import * as Records from "./Records.ts"

interface Intent {
  readonly id: string
  readonly object: string
  readonly amount: number
  readonly currency: string
  readonly status: string
  readonly created: number
  readonly payment_intent?: string
  readonly metadata: Readonly<Record<string, string>>
}

interface Answered {
  readonly request: string
  readonly reply: Reply
}

const error = (status: number, type: string, message: string, code?: string): Reply =>
  ok({ error: { type, message, ...(code === undefined ? {} : { code }) } }, status)

/** Fields of a form such as `metadata[order]`. */
const metadataOf = (form: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) => {
      const key = /^metadata\[(\w+)\]$/.exec(name)?.[1]
      return key === undefined ? [] : [[key, value]]
    })
  )

/** The provider. */
export const make: Make = (database) => {
  const intents = Records.make<Intent>(database, "stripe.payment_intents")
  const refunds = Records.make<Intent>(database, "stripe.refunds")
  const answers = Records.make<Answered>(database, "stripe.answers")

  const page = (records: Records.Records<Intent>, query: URLSearchParams): Reply => {
    const since = Number(query.get("created[gte]") ?? 0)
    const of = query.get("payment_intent")
    const newest = records
      .all()
      .map(({ body }) => body)
      .filter((each) => each.created >= since && (of === null || each.payment_intent === of))
      .reverse()
    const after = query.get("starting_after")
    const from = after === null ? 0 : newest.findIndex(({ id }) => id === after) + 1
    const limit = Math.min(100, Number(query.get("limit") ?? 10))
    return ok({ object: "list", data: newest.slice(from, from + limit), has_more: from + limit < newest.length })
  }

  const base = (form: URLSearchParams, prefix: string) => ({
    id: `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 24)}`,
    amount: Number(form.get("amount")),
    created: Math.floor(Date.now() / 1000),
    metadata: metadataOf(form)
  })

  const charge = (form: URLSearchParams): Reply => {
    const isDeclined = form.get("payment_method") === "pm_empty"
    const intent: Intent = {
      ...base(form, "pi"),
      object: "payment_intent",
      currency: String(form.get("currency")),
      status: isDeclined ? "requires_payment_method" : "succeeded"
    }
    intents.put(intent.id, intent)
    return isDeclined ? error(402, "card_error", "Your card has insufficient funds.", "card_declined") : ok(intent)
  }

  const refund = (form: URLSearchParams): Reply => {
    const paid = intents.get(String(form.get("payment_intent")))
    if (paid === undefined) return error(404, "invalid_request_error", "No such payment_intent", "resource_missing")
    const before = refunds.all().filter(({ body }) => body.payment_intent === paid.id)
    const given = before.reduce((sum, { body }) => sum + body.amount, 0)
    const own = base(form, "re")
    if (given + own.amount > paid.amount) {
      return error(400, "invalid_request_error", "Refund amount is greater than unrefunded amount on charge")
    }
    const made: Intent = {
      ...own,
      object: "refund",
      currency: paid.currency,
      status: "succeeded",
      payment_intent: paid.id
    }
    refunds.put(made.id, made)
    return ok(made)
  }

  /** Carries a request out once for each key, and answers a repetition as the first one. */
  const once = ({ body, headers, path }: Request, work: (form: URLSearchParams) => Reply): Reply => {
    const key = headers["idempotency-key"] ?? randomUUID()
    const request = createHash("sha256")
      .update(`${path.join("/")} ${body}`)
      .digest("hex")
    const known = answers.get(key)
    if (known !== undefined && known.request !== request) {
      return error(400, "idempotency_error", "Keys for idempotent requests can only be used with the same parameters")
    }
    const reply = known?.reply ?? work(new URLSearchParams(body))
    answers.put(key, { request, reply })
    return known === undefined ? reply : { ...reply, headers: { "idempotent-replayed": "true" } }
  }

  /** The event of the latest payment, as a webhook sends it. */
  const delivery = (secret: string): Reply => {
    const [latest] = intents.all().slice(-1)
    const event = { id: `evt_${latest?.id}`, type: "payment_intent.succeeded", data: { object: latest?.body } }
    const seconds = Math.floor(Date.now() / 1000)
    const body = JSON.stringify(event)
    const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")
    return ok({ body, headers: { "stripe-signature": `t=${seconds},v1=${signature}` } })
  }

  return (request) => {
    const { headers, method, path, query } = request
    if (path[0] === "_deliveries") return delivery(request.body)
    if (!headers["authorization"]?.startsWith("Bearer sk_")) {
      return error(401, "invalid_request_error", "Invalid API Key provided")
    }
    const [, kind] = path
    if (kind === "payment_intents") return method === "GET" ? page(intents, query) : once(request, charge)
    if (kind === "refunds") return method === "GET" ? page(refunds, query) : once(request, refund)
    return error(404, "invalid_request_error", "Unrecognized request URL")
  }
}
