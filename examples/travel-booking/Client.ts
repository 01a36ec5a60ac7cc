/**
 * The travel tools, bound to the world over HTTP.
 *
 * Three things make a tool safe to resume: it sends the key that the runtime
 * gives it, it can be asked what became of that key, and it tells a refusal
 * from a lost answer. A refusal is thrown as `ToolRefused`, because nothing
 * happened; everything else that goes wrong is an error of no meaning, and the
 * runtime asks.
 *
 * @since 0.1.0
 */
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"

/**
 * Makes the tools of the contract for the world at an address.
 *
 * @category constructors
 * @since 0.1.0
 */
export const tools = (url: string): ToolExecutor.Tools => ({
  search_flights: search(url, "/flights", ["from", "to", "date"]),
  search_hotels: search(url, "/hotels", ["city", "from", "nights"]),
  book_flight: mutation(url, () => "/bookings", { sends: ["flight", "traveller"], reads: ["/bookings", "pnr"] }),
  cancel_flight: mutation(url, ({ pnr }) => `/bookings/${pnr}/cancel`, { sends: [], reads: ["/bookings", "pnr"] }),
  book_hotel: mutation(url, () => "/stays", {
    sends: ["hotel", "guest", "from", "nights"],
    reads: ["/stays", "stay"]
  }),
  cancel_hotel: mutation(url, ({ stay }) => `/stays/${stay}/cancel`, { sends: [], reads: ["/stays", "stay"] }),
  charge_card: mutation(url, () => "/charges", {
    sends: ["card", "amount", "currency", "reference"],
    reads: ["/charges", "charge"]
  }),
  refund_charge: mutation(url, ({ charge }) => `/charges/${charge}/refund`, {
    sends: [],
    reads: ["/charges", "charge"]
  }),
  send_confirmation: mutation(url, () => "/messages", {
    sends: ["to", "template", "body"],
    reads: ["/messages", "message"]
  })
})

const search = (url: string, path: string, names: ReadonlyArray<string>): ToolExecutor.Tool => ({
  execute: async (params: JsonObject, { signal }) => {
    const query = new URLSearchParams(names.map((name): [string, string] => [name, String(params[name])]))
    return accepted(await ask(`${url}${path}?${query}`, { signal }))
  }
})

/** `sends` names what goes into the body, `reads` where the record is and the field of the answer that names it. */
const mutation = (
  url: string,
  path: (params: JsonObject) => string,
  { reads: [folder, id], sends }: { readonly sends: ReadonlyArray<string>; readonly reads: readonly [string, string] }
): ToolExecutor.Tool => ({
  execute: async (params: JsonObject, { key, signal }) => {
    const body = Object.fromEntries(sends.map((name) => [name, params[name]]))
    const headers = key === undefined ? {} : { "Idempotency-Key": key }
    return accepted(await ask(`${url}${path(params)}`, { method: "POST", headers, body: JSON.stringify(body), signal }))
  },
  status: async ({ key, signal }) => {
    const answer = await ask(`${url}/status/${encodeURIComponent(key ?? "")}`, { signal })
    if (answer.status === 404) return undefined
    const found = record(accepted(answer))
    if (found["state"] === "pending") return "pending"
    return accepted({ status: Number(found["status"]), body: found["response"] ?? null })
  },
  readback: async ({ observed, signal }, params: JsonObject) => {
    const name = record(observed)[id] ?? params[id]
    const answer = await ask(`${url}${folder}/${name}`, { signal })
    return answer.status === 404 ? undefined : accepted(answer)
  }
})

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

/** Refusals that are final: the request was understood and nothing was done. */
const final = new Set([400, 402, 403, 404, 409, 413, 422])

const accepted = ({ body, status }: Answer): Json => {
  if (status < 300) return body
  const error = record(record(body)["error"])
  if (final.has(status) && error["code"] !== "in_progress") throw new ToolExecutor.ToolRefused(error)
  throw new Error(`The world answered ${status}: ${String(error["message"] ?? "no reason given")}`)
}

const record = (json: Json | undefined): JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json) ? (json as JsonObject) : {}
