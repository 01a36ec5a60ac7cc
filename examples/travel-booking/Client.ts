/**
 * The travel tools, bound to the world over HTTP.
 *
 * Three properties make a tool safe to resume. It sends the key that the runtime gives it. It answers questions about
 * the outcome of that key. It tells a refusal from a lost answer. A refusal is thrown as `ToolRefused`, because
 * nothing happened; any other failure is an error without a meaning, and the runtime asks about the key. A 202 is
 * `Accepted`: the request was taken, and is not done.
 */
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"

/** Headers of the requests of a call: the name of a tenant, for example. */
export type Headers = (params: JsonObject, kind: "execute" | "status" | "readback") => Readonly<Record<string, string>>

/** Makes the tools of the contract for the world at an address. Mutations carry `headers`, if any. */
export const tools = (url: string, headers: Headers = () => ({})): ToolExecutor.Tools => {
  const world = { headers, url }
  return {
    search_flights: search(url, "/flights", ["from", "to", "date"]),
    search_hotels: search(url, "/hotels", ["city", "from", "nights"]),
    book_flight: mutation(world, () => "/bookings", { sends: ["flight", "traveller"], reads: ["/bookings", "pnr"] }),
    cancel_flight: mutation(world, ({ pnr }) => `/bookings/${pnr}/cancel`, { sends: [], reads: ["/bookings", "pnr"] }),
    book_hotel: mutation(world, () => "/stays", {
      sends: ["hotel", "guest", "from", "nights"],
      reads: ["/stays", "stay"]
    }),
    cancel_hotel: mutation(world, ({ stay }) => `/stays/${stay}/cancel`, { sends: [], reads: ["/stays", "stay"] }),
    charge_card: mutation(world, () => "/charges", {
      sends: ["card", "amount", "currency", "reference"],
      reads: ["/charges", "charge"]
    }),
    refund_charge: {
      ...mutation(world, ({ charge }) => `/charges/${charge}/refund`, { sends: [], reads: ["/charges", "charge"] }),
      sources: { "book of refunds": refunds(url) }
    },
    send_confirmation: mutation(world, () => "/messages", {
      sends: ["to", "template", "body"],
      reads: ["/messages", "message"]
    })
  }
}

const search = (url: string, path: string, names: ReadonlyArray<string>): ToolExecutor.Tool => ({
  execute: async (params: JsonObject, { signal }) => {
    const query = new URLSearchParams(names.map((name): [string, string] => [name, String(params[name])]))
    return bodyOf(await ask(`${url}${path}?${query}`, { signal }))
  }
})

/** `sends` names the fields of the body, `reads` the path of the record and the field of the answer that names it. */
const mutation = (
  { headers, url }: { readonly url: string; readonly headers: Headers },
  path: (params: JsonObject) => string,
  { reads: [folder, id], sends }: { readonly sends: ReadonlyArray<string>; readonly reads: readonly [string, string] }
): ToolExecutor.Tool => {
  const statusOf = async (
    { key, signal }: Parameters<ToolExecutor.SourceReader>[0],
    params: JsonObject
  ): Promise<Answer> =>
    ask(`${url}/status/${encodeURIComponent(key ?? "")}`, { headers: headers(params, "status"), signal })
  return {
    execute: async (params: JsonObject, { key, signal }) => {
      const body = Object.fromEntries(sends.map((name) => [name, params[name]]))
      const sent = { ...headers(params, "execute"), ...(key === undefined ? {} : { "Idempotency-Key": key }) }
      const request = { method: "POST", headers: sent, body: JSON.stringify(body), signal }
      const answer = await ask(`${url}${path(params)}`, request)
      return answer.status === taken ? new ToolExecutor.Accepted(answer.body) : bodyOf(answer)
    },
    status: async (context, params: JsonObject) => {
      const answer = await statusOf(context, params)
      if (answer.status === 404) return undefined
      const found = record(bodyOf(answer))
      if (found["state"] === "pending") return "pending"
      return bodyOf({ status: Number(found["status"]), body: found["response"] ?? null })
    },
    readback: async (context, params: JsonObject) => {
      const { observed, signal } = context
      // An answer without a name identifies no record: the record of the key names it, or says that there is none. If
      // that has no name either, there is nothing to read, and "not found" would be an answer about something else.
      let name = record(observed)[id] ?? params[id]
      if (name === undefined) {
        const byKey = await statusOf(context, params)
        if (byKey.status === 404) return undefined
        name = record(record(byKey.body)["response"])[id]
      }
      if (typeof name !== "string") throw new Error(`Neither the answer nor the record of its key names the ${id}`)
      const answer = await ask(`${url}${folder}/${name}`, { headers: headers(params, "readback"), signal })
      return answer.status === 404 ? undefined : bodyOf(answer)
    }
  }
}

/** The second source of a refund: the book in which every refund is entered. */
const refunds =
  (url: string): ToolExecutor.SourceReader =>
  async ({ signal }, { charge }: JsonObject) => {
    const { rows } = record(bodyOf(await ask(`${url}/audit?tables=refunds`, { signal })))
    const entries = record(rows)["refunds"]
    return Array.isArray(entries) ? entries.find((entry: Json) => record(entry)["charge"] === charge) : undefined
  }

interface Answer {
  readonly status: number
  readonly body: Json
}

const ask = async (url: string, init: RequestInit): Promise<Answer> => {
  const response = await fetch(url, init)
  const text = await response.text()
  try {
    return { status: response.status, body: JSON.parse(text) }
  } catch {
    throw new Error(`The world answered ${response.status} with something that is not JSON`)
  }
}

/** The request is queued, and not done. */
const taken = 202

/** Final refusals: the request was understood and nothing was done. */
const final = new Set([400, 402, 403, 404, 409, 413, 422])

const bodyOf = ({ body, status }: Answer): Json => {
  if (status < 300) return body
  const error = record(record(body)["error"])
  if (final.has(status) && error["code"] !== "in_progress") throw new ToolExecutor.ToolRefused(error)
  throw new Error(`The world answered ${status}: ${String(error["message"] ?? "no reason given")}`)
}

const record = (json: Json | undefined): JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json) ? (json as JsonObject) : {}
